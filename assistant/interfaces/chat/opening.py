"""What the page needs of the product, opened beside the building of the page."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import date
from functools import cached_property

from assistant.answering.assistant import Assistant
from assistant.answering.events import Event
from assistant.answering.evidence import Question
from assistant.interfaces.chat.cost_view import CostDesk
from assistant.settings import Settings
from assistant.tools.cost.describer import read_cost_wording
from assistant.tools.memory.catalogue import Catalogue, open_catalogue

OpenAssistant = Callable[[Settings], Assistant]


class Opening:
    """The assistant and the calculators' tables; asking for one waits until it is open. Safe to share."""

    def __init__(self, settings: Settings, open_assistant: OpenAssistant = Assistant.open) -> None:
        self._settings = settings
        worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="opening")
        self._assistant: Future[Assistant] = worker.submit(open_assistant, settings)
        worker.shutdown(wait=False)

    def assistant(self) -> Assistant:
        """Raises what opening raised: CorpusError, IndexUnavailable, EngineUnavailable."""
        return self._assistant.result()

    def ask(self, question: Question) -> Iterator[Event]:
        """The events of an answer."""
        return self.assistant().stream(question)

    @cached_property
    def _catalogue(self) -> Catalogue:
        return open_catalogue(self._settings.corpus)

    def catalogue(self) -> Catalogue:
        """Models and cards. Raises CorpusError."""
        return self._catalogue

    def cost_desk(self) -> CostDesk:
        """Prices, and the words to tell costs in. Raises what opening raised."""
        return CostDesk(self.assistant().corpus, read_cost_wording(self._settings.corpus), date.today())
