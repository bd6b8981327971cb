"""Who asks."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from assistant.interfaces.access.tokens import SCOPES, Scope


class Caller(BaseModel):
    """Whoever sent a request, as far as it is known: anyone, the holder of a token, or a person a proxy vouches for."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["anyone", "token", "person"] = "anyone"
    id: str = ""
    scopes: frozenset[Scope] = frozenset(SCOPES)

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}" if self.id else self.kind
