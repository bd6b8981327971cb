"""Everything that can be set, by environment variable or .env file."""

import os
import re
from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated, Literal

from dotenv import dotenv_values
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr
from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from assistant.errors import FileUnavailable

SETTINGS_FILE = "ASSISTANT_SETTINGS_FILE"
ROOT = Path(__file__).resolve().parent.parent

_ORIGIN = re.compile(r"^https?://(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$")
_HOST = re.compile(r"^(?:\*\.)?[a-z0-9_](?:[a-z0-9._-]*[a-z0-9])?$")
_PREFIX = re.compile(r"^(?:/[A-Za-z0-9._~-]+)+$")


def settings_file() -> Path:
    """The file of settings. Raises FileUnavailable where one is named and isn't there."""
    named = os.environ.get(SETTINGS_FILE)
    if named and not Path(named).is_file():
        raise FileUnavailable(f"{SETTINGS_FILE}: {named}: no such file.")
    return Path(named or ".env")


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


def _host(text: str) -> str:
    host = text.lower().strip("[]")
    try:
        return str(ip_address(host))
    except ValueError:
        if not _HOST.match(host):
            raise ValueError(f"{text!r} is no host; write assistant.example.org or *.example.org, no port") from None
        return host


def _network(text: str) -> str:
    try:
        return str(ip_network(text)) if "/" in text else str(ip_address(text))
    except ValueError as error:
        raise ValueError(f"{text!r} is no address; write 127.0.0.1 or 10.0.0.0/8") from error


def is_loopback(host: str) -> bool:
    """True for an address that only this machine reaches."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _prefix(text: str) -> str:
    prefix = text.rstrip("/")
    if prefix and not _PREFIX.match(prefix):
        raise ValueError(f"{text!r} is no path; write it as /assistant")
    return prefix


FrameAncestors = Annotated[
    tuple[Annotated[str, AfterValidator(_frame_ancestor)], ...], NoDecode, BeforeValidator(_listed)
]
Origins = Annotated[tuple[Annotated[str, AfterValidator(_origin)], ...], NoDecode, BeforeValidator(_listed)]
Hosts = Annotated[tuple[Annotated[str, AfterValidator(_host)], ...], NoDecode, BeforeValidator(_listed)]
Networks = Annotated[tuple[Annotated[str, AfterValidator(_network)], ...], NoDecode, BeforeValidator(_listed)]
PathPrefix = Annotated[str, AfterValidator(_prefix)]


class Settings(BaseSettings):
    """Settings of the assistant; each field is the variable ASSISTANT_<FIELD>, but for the OPENAI_ two."""

    model_config = SettingsConfigDict(env_prefix="ASSISTANT_", extra="ignore", frozen=True)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment before the file; which file that is, the environment says when the settings are read."""
        return init_settings, env_settings, DotEnvSettingsSource(settings_cls, env_file=settings_file())

    corpus: Path = Field(default=ROOT / "corpus", description="Folder of the knowledge base.")
    index: Path = Field(default=ROOT / "index", description="Folder of the search index, a cache of the corpus.")
    chroma_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/?#@]+/?$",
        description="Address of a Chroma server that holds the vectors: http://127.0.0.1:8000.",
    )
    cache_size: int = Field(
        default=512, ge=0, le=100_000, description="Answers, and vectors of questions, kept in memory; 0 keeps none."
    )
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
    openai_api_key: SecretStr | None = Field(
        default=None, validation_alias="OPENAI_API_KEY", description="Key of the endpoint."
    )
    openai_base_url: str | None = Field(
        default=None, validation_alias="OPENAI_BASE_URL", description="Address of the language model's endpoint."
    )
    data: Path = Field(
        default_factory=data_folder, description="Folder for what the server keeps: tokens and feedback."
    )
    offers: Path | None = Field(
        default=None, description="File that 'prices refresh' keeps offers in; a file of the user's if left out."
    )
    host: str = Field(default="127.0.0.1", description="Address the chat listens on.")
    port: int = Field(default=7860, ge=0, le=65535, description="Port the chat listens on.")

    public_hosts: Hosts = Field(
        default=(),
        description="Names under which people reach this server, besides localhost and its address: "
        "assistant.example.org, *.example.org. Asked under any other, it refuses.",
    )
    root_path: PathPrefix = Field(default="", description="Path under which a proxy serves this server: /assistant.")
    frame_ancestors: FrameAncestors = Field(
        default=(), description="Origins whose pages may show this one in a frame, with commas between them."
    )
    cors_origins: Origins = Field(
        default=(), description="Origins whose pages may call the API and read its answers, with commas between them."
    )

    access: Literal["auto", "open", "token", "proxy"] = Field(
        default="auto",
        description="Who may ask: anyone (open), holders of a token (token), and whom a trusted proxy names (proxy)."
        " auto is open on this machine alone without a proxy, else proxy where identity_header is set, else token.",
    )
    trusted_proxies: Networks = Field(
        default=(), description="Addresses or networks of proxies whose forwarded headers are believed."
    )
    identity_header: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z0-9-]{1,100}$",
        description="Header in which a trusted proxy names the person who is logged in there.",
    )
    rate_per_caller: int = Field(
        default=120, ge=0, le=1_000_000, description="Calls a minute of one token or person; 0 for no limit."
    )
    rate_per_address: int = Field(
        default=600,
        ge=0,
        le=1_000_000,
        description="Calls a minute from one address other than this machine's own; 0 for no limit.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Least level that is logged; info has a line for each call and each answer."
    )
    log_file: Path | None = Field(default=None, description="File for the log; standard error if left out.")
    log_questions: bool = Field(default=False, description="Whether questions stand in the log.")
    stop_timeout_s: int = Field(
        default=30, ge=0, le=600, description="Seconds that answers under way get when the server is stopped."
    )

    @property
    def access_mode(self) -> Literal["open", "token", "proxy"]:
        """How callers are known, with `auto` decided."""
        if self.access != "auto":
            return self.access
        if is_loopback(self.host) and not self.trusted_proxies:
            return "open"
        return "proxy" if self.identity_header else "token"

    @property
    def uses_language_model(self) -> bool:
        return self.llm_model is not None


class ShownSetting(BaseModel):
    """A setting as it is listed; a secret's value is not."""

    model_config = ConfigDict(frozen=True)

    variable: str
    value: str
    default: str
    origin: Literal["environment", "file", "command line", "default"]
    meaning: str


def shown_settings(settings: Settings | None) -> Iterator[ShownSetting]:
    """Every setting, with its present value where `settings` are given."""
    in_file = {name.lower() for name, value in dotenv_values(settings_file()).items() if value is not None}
    read = Settings() if settings is not None else None
    for name, field in Settings.model_fields.items():
        variable = str(field.validation_alias or f"ASSISTANT_{name.upper()}")
        default = _shown(field.get_default(call_default_factory=True))
        default = default.replace(str(Path.home()), "~", 1) if default.startswith(str(Path.home())) else default
        origin: Literal["environment", "file", "command line", "default"] = "default"
        if variable.lower() in {key.lower() for key in os.environ}:
            origin = "environment"
        elif variable.lower() in in_file:
            origin = "file"
        if settings is not None and getattr(settings, name) != getattr(read, name):
            origin = "command line"
        value = default if settings is None else _shown(getattr(settings, name))
        meaning = field.description or ""
        yield ShownSetting(variable=variable, value=value, default=default, origin=origin, meaning=meaning)


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
