"""Exceptions that carry what the user can do about them, and the exit status they end in."""

from assistant.printable import one_line


class AssistantError(Exception):
    """Base of every error shown to a user as one line: what is wrong, then what to do."""

    exit_status = 2

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return one_line(f"{self.problem} {self.remedy}")


class InvalidInput(AssistantError):
    """The user's question, option or file can't be used as given.

    `code` names a phrase of corpus/phrases/refusals.yaml that says the same in every language, with `values` filled in.
    """

    def __init__(self, problem: str, remedy: str = "", *, code: str = "", **values: str) -> None:
        super().__init__(problem, remedy)
        self.code = code
        self.values = values


class FileUnavailable(InvalidInput):
    """A file that the user named isn't there or can't be read."""

    exit_status = 3


class CorpusError(AssistantError):
    """A file of the knowledge base breaks its schema."""


class CorpusUnavailable(CorpusError):
    """There is no knowledge base where one is looked for."""

    exit_status = 3


class IndexUnavailable(AssistantError):
    """There is no index that can be used with the present corpus and embedding engine."""

    exit_status = 3


class EngineUnavailable(AssistantError):
    """The embedding engine or the reranking model can't be loaded."""

    exit_status = 3


class EndpointUnavailable(AssistantError):
    """The language model's endpoint failed, timed out or returned nothing usable."""

    exit_status = 3
