"""Names are found in every usual spelling, and names that aren't known are said to be so."""

import pytest

from assistant.knowledge.corpus import Corpus
from assistant.language.mention import NameReader


@pytest.fixture(scope="module")
def names(corpus: Corpus) -> NameReader:
    return NameReader(corpus.entities)


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("H100 80G", ["nvidia-h100"]),
        ("een H100-SXM5 huren", ["nvidia-h100-sxm"]),
        ("两张H100能跑吗", ["nvidia-h100"]),
        ("英伟达H200和AMD MI325X", ["nvidia-h200", "amd-mi325x"]),
        ("Hvad koster Lambdas B200'ere?", ["lambda", "nvidia-b200"]),
        ("AMDs MI455X i Helios", ["amd", "amd-mi455x", "amd-helios"]),
        ("CUDA 13.4.1 vs ROCm 10", ["cuda-toolkit-13.4.1", "rocm-10"]),
        ("rtx4090", ["nvidia-rtx-4090"]),
        ("Llama 3.3 70B", ["llama-3.3-70b"]),
        ("全角 Ｈ１００", ["nvidia-h100"]),
    ],
)
def test_usual_spellings_name_the_entity(names: NameReader, text: str, entities: list[str]) -> None:
    assert [mention.entity for mention in names.read(text)] == entities


@pytest.mark.parametrize("text", ["alpha100", "XH100", "H1000", "MI300XY", "rocmetal"])
def test_a_name_inside_another_word_is_no_mention(names: NameReader, text: str) -> None:
    assert names.read(text) == []


@pytest.mark.parametrize(
    ("text", "unknown", "near"),
    [
        ("What does the H900 cost?", "H900", "nvidia-h100"),
        ("Is de RTX 4095 snel?", "RTX 4095", "nvidia-rtx-4090"),
        ("Hvornår kommer ROCm 12?", "ROCm 12", "rocm-10"),
        ("CUDA 15 有什么新功能？", "CUDA 15", "cuda-14"),
        ("MI399X", "MI399X", "amd-mi300x"),
    ],
)
def test_an_unknown_card_or_version_is_named_with_its_nearest(
    names: NameReader, text: str, unknown: str, near: str
) -> None:
    found = names.unknown(text, names.read(text))
    assert [name.text for name in found] == [unknown]
    assert near in found[0].nearest


def test_offsets_are_those_of_the_original_text(names: NameReader) -> None:
    text = "Kan ik twee  H100 – SXM  kaarten huren?"
    for mention in names.read(text):
        assert text[mention.start : mention.end] == mention.text
