"""Whether a language model's endpoint still answers; a composed answer in its place would measure something else."""

from assistant.answering.answer import Answer
from assistant.answering.assistant import Assistant
from assistant.errors import AssistantError
from assistant.settings import Settings

_PROBE_S = 5.0
_SERVER_FAILED = 500


class EndpointDied(AssistantError):
    """The endpoint stopped answering, so that what is left of a run can't be measured."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(
            f"The endpoint {settings.openai_base_url or 'of OpenAI'} no longer answers.",
            "What was finished is kept; start it and run the same command to go on.",
        )


def wrote_less(assistant: Assistant, answer: Answer, settings: Settings) -> bool:
    """True where a model was to write the answer, it didn't or stopped on the way, and its endpoint is gone."""
    if assistant.writer is None or answer.status not in ("answered", "partly_answered"):
        return False
    stopped = assistant.phrases.say("model_stopped", answer.language) in answer.text
    return (answer.model is None or stopped) and not is_alive(settings)


def is_alive(settings: Settings) -> bool:
    """True where something answers at the endpoint's address, even if it doesn't list its models."""
    import httpx2

    if settings.openai_base_url is None:
        return True
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else "none"
    try:
        answer = httpx2.get(
            f"{settings.openai_base_url.rstrip('/')}/models",
            headers={"Authorization": f"Bearer {key}"},
            timeout=_PROBE_S,
        )
    except httpx2.HTTPError:
        return False
    return answer.status_code < _SERVER_FAILED
