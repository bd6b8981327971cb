"""Questions of shapes that nobody asks: the time to read one grows with its length, not with the square of it."""

import time

import pytest

from assistant.answering.assistant import Assistant

SHORT, LONG = 1_000, 4_000


def seconds(assistant: Assistant, text: str) -> float:
    """Processor time of the best of three."""
    taken = []
    for _ in range(3):
        start = time.process_time()
        assistant.reader.read(text, "en")
        taken.append(time.process_time() - start)
    return min(taken)


@pytest.mark.parametrize(
    "piece", ["80 GB 700 W ", "RTX 1234 ", "显存带宽功耗多少", "1,", "(", "H100 ", "memory price power ", "8 million "]
)
def test_four_times_the_question_takes_about_four_times_as_long(assistant: Assistant, piece: str) -> None:
    assistant.reader.read(piece * 20, "en")
    short, long = (seconds(assistant, (piece * size)[:size]) for size in (SHORT, LONG))
    assert long < 10 * max(short, 0.02)


def test_only_so_many_unknown_names_of_a_question_are_looked_up(assistant: Assistant) -> None:
    text = " ".join(f"RTX {number}" for number in range(1001, 1101))
    unknown = assistant.names.unknown(text, assistant.names.read(text))
    assert len(unknown) == 100
    assert 0 < sum(bool(name.nearest) for name in unknown) < 30
