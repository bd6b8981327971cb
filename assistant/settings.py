"""Everything that can be set, by environment variable or .env file."""

import os
import re
from functools import cached_property
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

ROOT = Path(__file__).resolve().parent.parent

_ORIGIN = re.compile(r"^https?://(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$")
_PREFIX = re.compile(r"^(?:/[A-Za-z0-9._~-]+)+$")


def data_folder() -> Path:
    """The user's folder for what is kept beside the knowledge base."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "gpu-assistant"


def _listed(given: object) -> object:
    """Items of a list written with commas or spaces between them."""
    return tuple(re.split(r"[\s,]+", given.strip())) if isinstance(given, str) and given.strip() else given or ()


def _frame_ancestor(text: str) -> str:
    origin = text.lower().rstrip("/")
    if not _ORIGIN.match(origin):
        raise ValueError(f"{text!r} is no origin; write https://wiki.example.org or https://*.example.org")
    return origin


def _origin(text: str) -> str:
    origin = _frame_ancestor(text)
    if "*" in origin:
        raise ValueError(f"{text!r}: name each origin in full")
    return origin


def _prefix(text: str) -> str:
    prefix = text.rstrip("/")
    if prefix and not _PREFIX.match(prefix):
        raise ValueError(f"{text!r} is no path; write it as /assistant")
    return prefix


FrameAncestors = Annotated[
    tuple[Annotated[str, AfterValidator(_frame_ancestor)], ...], NoDecode, BeforeValidator(_listed)
]
Origins = Annotated[tuple[Annotated[str, AfterValidator(_origin)], ...], NoDecode, BeforeValidator(_listed)]
PathPrefix = Annotated[str, AfterValidator(_prefix)]


class Settings(BaseSettings):
    """Settings of the assistant; each field is the variable ASSISTANT_<FIELD>, but for the OPENAI_ two."""

    model_config = SettingsConfigDict(env_prefix="ASSISTANT_", env_file=".env", extra="ignore", frozen=True)

    corpus: Path = Field(default=ROOT / "corpus", description="Folder of the knowledge base.")
    index: Path = Field(default=ROOT / "index", description="Folder of the search index, a cache of the corpus.")
    embedding_model: str = Field(
        default="bundled",
        description="'bundled' (multilingual-e5-small, no torch), or a sentence-transformers model name or directory.",
    )
    embedding_device: str = Field(default="cpu", description="Device of a sentence-transformers model: cpu, cuda, mps.")
    reranker: str | None = Field(
        default=None, description="Cross-encoder model name or directory that reranks passages."
    )
    llm_model: str | None = Field(default=None, description="Model that writes answers; none means composed answers.")
    llm_timeout_s: float = Field(default=60, gt=0, le=600, description="Seconds to wait for the endpoint.")
    llm_max_tokens: int = Field(default=700, ge=50, le=8000, description="Longest draft asked of the model.")
    openai_api_key: SecretStr | None = Field(default=None, validation_alias="OPENAI_API_KEY")
    openai_base_url: str | None = Field(default=None, validation_alias="OPENAI_BASE_URL")
    data: Path = Field(
        default_factory=data_folder, description="Folder for what the server keeps: tokens and feedback."
    )
    offers: Path | None = Field(
        default=None, description="File that 'prices refresh' keeps offers in; a file of the user's if left out."
    )
    host: str = Field(default="127.0.0.1", description="Address the chat listens on.")
    port: int = Field(default=7860, ge=0, le=65535, description="Port the chat listens on.")

    root_path: PathPrefix = Field(default="", description="Path under which a proxy serves this server: /assistant.")
    frame_ancestors: FrameAncestors = Field(
        default=(), description="Origins whose pages may show this one in a frame, with commas between them."
    )
    cors_origins: Origins = Field(
        default=(), description="Origins whose pages may call the API and read its answers, with commas between them."
    )

    @cached_property
    def uses_language_model(self) -> bool:
        return self.llm_model is not None
