"""What a user is told when a value can't be used, in the user's language where the refusal has a phrase."""

from functools import lru_cache
from pathlib import Path

from assistant.errors import AssistantError, InvalidInput
from assistant.language.tongue import Language
from assistant.language.wording import Wording, read_wording


@lru_cache(maxsize=4)
def _refusals(path: Path) -> Wording:
    return read_wording(path)


def refusal_text(error: AssistantError, language: Language, corpus: Path) -> str:
    """The refusal in that language; in English where the knowledge base has no phrase for it."""
    path = corpus / "phrases" / "refusals.yaml"
    if not isinstance(error, InvalidInput) or not error.code or not path.is_file():
        return str(error)
    wording = _refusals(path)
    return wording.say(error.code, language, **error.values) if error.code in wording.phrases else str(error)
