"""What an index was built from and with, kept beside it."""

import zlib
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from assistant.errors import IndexUnavailable
from assistant.language.tongue import Language

FORMAT = 3
MANIFEST_NAME = "manifest.json"
REMEDY = "Run: gpu-assistant index"
REBUILD = "Run: gpu-assistant index --rebuild"


class Manifest(BaseModel):
    """The facts that decide whether an index can be used; `files` holds the checksum of each of its files."""

    model_config = ConfigDict(frozen=True)

    format: int
    engine: str
    dimension: int
    chunker: int
    chromadb: str
    corpus_hash: str
    passages: dict[Language, int]
    statements: dict[Language, int]
    drift: int
    """How many texts have changed since the centres were fitted."""
    server: str | None = None
    """Address of the Chroma server that holds the vectors, or None where they are in the build."""
    files: dict[str, int]
    embedded: int
    """How many texts had to be embedded anew for this build."""
    built: datetime

    @property
    def passage_count(self) -> int:
        return sum(self.passages.values())


def write_manifest(manifest: Manifest, directory: Path) -> None:
    (directory / MANIFEST_NAME).write_text(manifest.model_dump_json(indent=1), encoding="utf-8")


def read_manifest(directory: Path) -> Manifest:
    """Read and check a build's manifest. Raises IndexUnavailable where it isn't one, or files are not as written."""
    home = directory.parent.parent
    try:
        manifest = Manifest.model_validate_json((directory / MANIFEST_NAME).read_bytes())
    except (OSError, ValidationError) as error:
        raise IndexUnavailable(f"The index in {home} is damaged: no readable manifest.", REBUILD) from error
    if manifest.format != FORMAT:
        raise IndexUnavailable(
            f"The index was written in format {manifest.format}; this version reads format {FORMAT}.", REMEDY
        )
    for name, checksum in manifest.files.items():
        path = directory / name
        if not path.is_file() or checksum_of(path) != checksum:
            raise IndexUnavailable(f"The index in {home} is damaged: {name} is missing or changed.", REBUILD)
    return manifest


def checksum_of(path: Path) -> int:
    """CRC-32 of a file's content, read at about a gigabyte a second."""
    checksum = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            checksum = zlib.crc32(block, checksum)
    return checksum


def check_manifest(manifest: Manifest, *, engine: str, corpus_hash: str | None, server: str | None) -> None:
    """Raises IndexUnavailable where the index is of another engine, place or state of the knowledge base."""
    if manifest.engine != engine:
        raise IndexUnavailable(
            f"The index was built with the engine '{manifest.engine}', but '{engine}' is set.",
            f"{REMEDY}, or set ASSISTANT_EMBEDDING_MODEL back.",
        )
    if (manifest.server is None) != (server is None):
        held, wanted = manifest.server or "its own folder", server or "its own folder"
        raise IndexUnavailable(f"The index has its vectors in {held}, but ASSISTANT_CHROMA_URL says {wanted}.", REMEDY)
    if corpus_hash is not None and manifest.corpus_hash != corpus_hash:
        raise IndexUnavailable("The knowledge base has changed since the index was built.", REMEDY)
