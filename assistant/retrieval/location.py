"""Where builds of the index stand, which one is in use, and who may write.

index/CURRENT            the name of the build in use; replaced in one step when a new build is verified
index/builds/<name>/     a build: manifest, passages, vectors, lexical files, Chroma
index/vectors.sqlite3    vectors already computed
index/writer.lock        held while a build is written
index/space.id           what the folder's collections on a Chroma server are called by
"""

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from assistant.errors import IndexUnavailable, InvalidInput
from assistant.retrieval.manifest import REBUILD, REMEDY

CURRENT = "CURRENT"
VECTORS = "vectors.sqlite3"
CHROMA = "chroma"
"""The folder of a build that holds its vectors, unless a server does."""
_LOCK = "writer.lock"
_SPACE = "space.id"
_BUILDS = "builds"
_ROOM = 262_144
"""Bytes that opening a database may write."""


def current_build(directory: Path) -> Path:
    """The folder of the build in use. Raises IndexUnavailable where there is none."""
    pointer = directory / CURRENT
    if not pointer.is_file():
        raise IndexUnavailable(f"There is no index in {directory}.", REMEDY)
    try:
        name = pointer.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise IndexUnavailable(f"The index in {directory} is damaged: {CURRENT} can't be read.", REBUILD) from error
    build = directory / _BUILDS / name
    if not name or Path(name).name != name or not build.is_dir():
        raise IndexUnavailable(f"The index in {directory} is damaged: its build is missing.", REBUILD)
    return build


@contextmanager
def writing(directory: Path) -> Iterator[None]:
    """Hold the folder for one writer. A folder with other things in it isn't written to."""
    from filelock import FileLock, Timeout

    if directory.exists() and not directory.is_dir():
        raise InvalidInput(f"{directory} is a file, so no index can be written there.", "Name a folder with --index.")
    directory.mkdir(parents=True, exist_ok=True)
    if not (directory / CURRENT).exists():
        foreign = [path.name for path in directory.iterdir() if not _is_own(path.name)]
        if foreign:
            raise InvalidInput(
                f"{directory} isn't an index: it holds {sorted(foreign)[0]!r}.", "Name an empty folder with --index."
            )
    lock = FileLock(directory / _LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout as error:
        raise IndexUnavailable(
            f"Another process is building the index in {directory}.", "Wait for it to end, then try again."
        ) from error
    try:
        yield
    finally:
        lock.release()


def _is_own(name: str) -> bool:
    return name in (_BUILDS, _LOCK, _SPACE) or name.startswith((CURRENT, VECTORS, "knowledge-", "."))


def space_of(directory: Path) -> str:
    """The name under which a folder's collections stand on a Chroma server; made up once, by its first writer."""
    path = directory / _SPACE
    if not path.is_file():
        directory.mkdir(parents=True, exist_ok=True)
        partial = directory / f".{_SPACE}.{os.getpid()}"
        partial.write_text(secrets.token_hex(6), encoding="ascii")
        partial.replace(path)
    return path.read_text(encoding="ascii").strip()


def fresh_build(directory: Path) -> Path:
    """A new folder for a build. What interrupted builds left is removed; the build in use is not."""
    builds = directory / _BUILDS
    builds.mkdir(exist_ok=True)
    try:
        in_use = current_build(directory).name
    except IndexUnavailable:
        in_use = ""
    for old in builds.iterdir():
        if old.name != in_use:
            shutil.rmtree(old, ignore_errors=True)
    build = builds / f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}-{os.getpid()}"
    build.mkdir()
    return build


def put_in_use(directory: Path, build: Path) -> None:
    """Make a verified build the one in use, in one step that a crash can't leave half done."""
    partial = directory / f"{CURRENT}.partial"
    with partial.open("w", encoding="ascii") as file:
        file.write(build.name)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(directory / CURRENT)


def is_in_use(directory: Path, build: Path) -> bool:
    try:
        return current_build(directory) == build
    except IndexUnavailable:
        return False


def is_writable(folder: Path) -> bool:
    """False where the folder takes no more bytes: it is read-only, or its disk is full."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"\0" * _ROOM)
            file.flush()
    except OSError:
        return False
    return True
