"""Everything that can be set, by environment variable or .env file."""

from functools import cached_property
from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

ROOT = Path(__file__).resolve().parent.parent


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
    host: str = Field(default="127.0.0.1", description="Address the chat listens on.")
    port: int = Field(default=7860, ge=0, le=65535, description="Port the chat listens on.")

    @cached_property
    def uses_language_model(self) -> bool:
        return self.llm_model is not None
