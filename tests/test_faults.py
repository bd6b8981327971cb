"""What is left after a kill, a full disk, a folder that may not be written, damage and a clock that jumps."""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kill_points import HashedVectors, articles, build, what_is_told

from assistant.errors import IndexUnavailable
from assistant.feedback.store import FeedbackStore
from assistant.retrieval import location
from assistant.retrieval.index import build_index, open_index
from assistant.retrieval.location import VECTORS, current_build

KILLS = 25
HELPER = Path(__file__).with_name("kill_points.py")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(HELPER.parents[1])}


def test_a_build_killed_anywhere_leaves_the_old_index_or_the_new_one_and_a_true_manifest(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, str(HELPER), str(tmp_path / "index"), str(KILLS)],
        env=ENVIRONMENT, capture_output=True, text=True, timeout=280,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-1000:]
    *kills, last = map(json.loads, ended.stdout.splitlines())
    assert len(kills) == KILLS
    for kill in kills:
        assert kill["after"] in (kill["before"], kill["new"]), kill
    assert sum(kill["signal"] == signal.SIGKILL for kill in kills) >= KILLS - 2, "nearly all builds were cut short"
    assert {kill["after"] == kill["new"] for kill in kills} == {True, False}, "before and after the change-over"
    assert last["last"] == "99" and last["builds"] <= 2, "the next build is whole, and no others pile up"


def run_limited(folder: Path, limit: int) -> subprocess.CompletedProcess[str]:
    """Build in a process whose files may not grow past so many bytes, as on a disk that is full."""
    program = f"import kill_points, pathlib; kill_points.build(pathlib.Path({str(folder)!r}), 5)"
    environment = {**ENVIRONMENT, "PYTHONPATH": f"{HELPER.parents[1]}:{HELPER.parent}"}
    return subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )  # fmt: skip


@pytest.mark.parametrize("limit", [1_000, 40_000, 100_000])
def test_a_disk_that_fills_up_leaves_the_old_index(tmp_path: Path, limit: int) -> None:
    build(tmp_path, 1)
    assert run_limited(tmp_path, limit).returncode != 0
    assert what_is_told(tmp_path) == "1"
    build(tmp_path, 2)
    assert what_is_told(tmp_path) == "2"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 3 MB; only root can make one."""
    mount = tmp_path / "disk"
    mount.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(mount)], capture_output=True, text=True
    )
    if made.returncode:
        pytest.skip(f"no small disk can be mounted here: {made.stderr.strip()}")
    try:
        yield mount
    finally:
        subprocess.run(["umount", "--lazy", str(mount)], check=True)


def test_a_small_disk_that_is_full_leaves_the_old_index_and_says_so(small_disk: Path) -> None:
    folder, ballast = small_disk / "index", small_disk / "ballast"
    build(folder, 1)
    held = sum(path.stat().st_blocks * 512 for path in small_disk.rglob("*"))
    free = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize
    for left in (0, 4_096, 40_960, held // 8):
        ballast.write_bytes(b"x" * max(0, free - left))
        program = (
            "import pathlib, kill_points\n"
            f"try:\n    kill_points.build(pathlib.Path({str(folder)!r}), 2)\n"
            "except kill_points.AssistantError as error:\n    print(error)\n"
        )
        environment = {**ENVIRONMENT, "PYTHONPATH": f"{HELPER.parents[1]}:{HELPER.parent}"}
        ended = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120
        )
        assert "is full" in ended.stdout and "Make room" in ended.stdout, (left, ended.stdout, ended.stderr[-500:])
        assert what_is_told(folder) == "1", left
    ballast.unlink()
    build(folder, 2)
    assert what_is_told(folder) == "2"


def test_a_killed_writer_of_feedback_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    program = (
        "import pathlib, sys\n"
        "from assistant.feedback.record import Feedback\n"
        "from assistant.feedback.store import FeedbackStore\n"
        f"store = FeedbackStore(pathlib.Path({str(tmp_path)!r}))\n"
        "while True:\n"
        "    given = dict(answer_id='1', question='Q' * 3_000, language='en', verdict='up')\n"
        "    print(store.add(Feedback.model_validate(given)).id, flush=True)\n"
    )
    acknowledged = 0
    for turn in range(4):
        with subprocess.Popen([sys.executable, "-c", program], env=ENVIRONMENT, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            # Killed after another number of writes each time, so at another point of one.
            for _ in range(2 * turn + 1):
                acknowledged = int(writer.stdout.readline())
            writer.kill()
            rest = writer.stdout.read().split()
        acknowledged = int(rest[-1]) if rest and rest[-1].isdigit() else acknowledged
        records = FeedbackStore(tmp_path).records()
        assert [record.id for record in records] == list(range(1, len(records) + 1))
        assert len(records) >= acknowledged
        assert all(len(record.feedback.question) == 3_000 for record in records)


def test_a_folder_that_may_not_be_written_is_read_and_named(tmp_path: Path) -> None:
    build(tmp_path, 1)
    if os.geteuid() == 0:
        tmp_path.chmod(0o755)
        for part in tmp_path.parents:
            if str(part).startswith("/tmp/pytest"):  # pytest makes its folders for their owner alone
                part.chmod(0o755)
    program = (
        # What is needed is loaded while its files may be read.
        "import encodings.ascii, os, pathlib, chromadb, filelock, kill_points\n"
        "folder = pathlib.Path(os.environ['FOLDER'])\n"
        "kill_points.what_is_told(folder)\n"
        "os.geteuid() or os.setuid(65534)\n"
        "try:\n    kill_points.build(folder, 2)\n"
        "except (OSError, kill_points.AssistantError) as error:\n    print(error)\n"
        "print('told', kill_points.what_is_told(folder))\n"
    )
    environment = {**ENVIRONMENT, "PYTHONPATH": f"{HELPER.parents[1]}:{HELPER.parent}", "FOLDER": str(tmp_path)}
    tmp_path.chmod(0o555)
    try:
        ended = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120
        )
        assert "ermission denied" in ended.stdout, ended.stderr[-500:]
        assert "told 1" in ended.stdout, "who may only read it gets answers too"
        assert what_is_told(tmp_path) == "1"
    finally:
        tmp_path.chmod(0o755)


def test_a_flipped_bit_is_named_or_changes_nothing(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    build(whole, 1)
    chosen = random.Random(7)
    files = [path.relative_to(whole) for path in sorted(whole.rglob("*")) if path.is_file() and path.stat().st_size]
    outcomes = set()
    for number, name in enumerate(files):
        copy = tmp_path / str(number)
        shutil.copytree(whole, copy)
        content = bytearray((copy / name).read_bytes())
        content[chosen.randrange(len(content))] ^= 1 << chosen.randrange(8)
        (copy / name).write_bytes(content)
        told = what_is_told(copy)
        assert told == "1" or "damaged" in told or "Run: gpu-assistant index" in told, (str(name), told)
        outcomes.add(told == "1")
    assert outcomes == {True, False}


def test_flipped_bits_in_known_vectors_are_embedded_again(tmp_path: Path) -> None:
    build(tmp_path, 1)
    path = tmp_path / VECTORS
    content = path.read_bytes()
    vector = HashedVectors().embed_passages(["Cards\nVersion 1 of card 2."])[0].tobytes()
    assert vector in content
    damaged = bytearray(vector)
    damaged[3] ^= 0x40  # the exponent of the first number
    path.write_bytes(content.replace(vector, bytes(damaged)))
    manifest = build_index(articles(1), HashedVectors(), tmp_path, corpus_hash="again")
    assert manifest.embedded == 1


@pytest.mark.parametrize("year", [1990, 2090])
def test_a_clock_that_jumps_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, year: int) -> None:
    class Jumped(datetime):
        @classmethod
        def now(cls, tz: object = None) -> "Jumped":
            return cls(year, 1, 1, tzinfo=UTC)

    build(tmp_path, 1)
    monkeypatch.setattr(location, "datetime", Jumped)
    build(tmp_path, 2)
    assert what_is_told(tmp_path) == "2" and current_build(tmp_path).name.startswith(str(year))
    monkeypatch.undo()
    build(tmp_path, 3)
    assert what_is_told(tmp_path) == "3"


def test_a_tidying_up_that_fails_leaves_the_new_index_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path, 1)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("assistant.retrieval.vector_cache.VectorCache.drop_unused", full)
    with pytest.raises(OSError, match="No space"):
        build(tmp_path, 2)
    assert what_is_told(tmp_path) == "2"


def test_two_articles_of_one_text_are_both_found(tmp_path: Path) -> None:
    twins = [one.model_copy(update={"body": "The same words.\n"}) for one in articles(1)]
    build_index(twins, HashedVectors(), tmp_path)
    found = open_index(tmp_path, HashedVectors()).search("words", language="en", top_k=10)
    assert {result.passage.source_id for result in found} == {"a0", "a1", "a2", "a3"}


def test_one_article_given_twice_is_one(tmp_path: Path) -> None:
    build_index([*articles(1), articles(1)[0]], HashedVectors(), tmp_path)
    found = open_index(tmp_path, HashedVectors()).search("card", language="en", top_k=10)
    assert len(found) == 4


@pytest.mark.parametrize("pointer", [b"", b"\xff\xfe", b"nothing"])
def test_a_pointer_cut_short_says_what_to_run(tmp_path: Path, pointer: bytes) -> None:
    build(tmp_path, 1)
    (tmp_path / "CURRENT").write_bytes(pointer)
    with pytest.raises(IndexUnavailable, match="--rebuild"):
        open_index(tmp_path, HashedVectors())
