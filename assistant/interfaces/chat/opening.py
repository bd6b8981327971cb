"""What the page needs of the product, opened beside the building of the page."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import date
from functools import cached_property

from assistant.answering.assistant import Assistant
from assistant.answering.current import CurrentAssistant
from assistant.answering.events import Event
from assistant.answering.evidence import Question
from assistant.answering.follow_ups import FollowUps
from assistant.errors import FileUnavailable, InvalidInput
from assistant.interfaces.chat.compare_view import CompareDesk
from assistant.interfaces.chat.cost_view import CostDesk
from assistant.interfaces.chat.library_view import Library
from assistant.interfaces.observation import observed
from assistant.language.detection import detect_language
from assistant.language.tongue import Language
from assistant.retrieval.reranking import Reranker, open_reranker
from assistant.retrieval.search import SearchResult
from assistant.settings import Settings
from assistant.tools.cost.calculation import CostTables
from assistant.tools.cost.describer import read_cost_wording
from assistant.tools.cost.offers import kept_offers
from assistant.tools.memory.catalogue import Catalogue, open_catalogue

OpenAssistant = Callable[[Settings], Assistant]


class Opening:
    """The assistant and the calculators' tables; asking for one waits until it is open. Safe to share."""

    def __init__(self, settings: Settings, open_assistant: OpenAssistant = Assistant.open) -> None:
        self._settings = settings
        self.folder = settings.corpus
        worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="opening")
        self._current: Future[CurrentAssistant] = worker.submit(self._open, open_assistant)
        worker.shutdown(wait=False)

    def _open(self, open_assistant: OpenAssistant) -> CurrentAssistant:
        settings = self._settings
        return CurrentAssistant(open_assistant(settings), settings.index, lambda: open_assistant(settings))

    def assistant(self) -> Assistant:
        """The assistant over the index in use. Raises what opening raised: CorpusError, IndexUnavailable, …"""
        return self._current.result().assistant()

    def ask(self, question: Question) -> Iterator[Event]:
        """The events of an answer."""
        return observed(question, self.assistant().stream(question), log_question=self._settings.log_questions)

    @cached_property
    def _reranker(self) -> Reranker | None:
        model = self._settings.reranker
        return open_reranker(model, self._settings.embedding_device) if model else None

    def search(self, question: str, language: Language | None, top_k: int) -> list[SearchResult]:
        """The passages that fit a question best. Raises what opening raised."""
        language = language or detect_language(question)
        return self.assistant().index.search(question, language=language, top_k=top_k, reranker=self._reranker)

    @cached_property
    def _catalogue(self) -> Catalogue:
        return open_catalogue(self._settings.corpus)

    def catalogue(self) -> Catalogue:
        """Models and cards. Raises CorpusError."""
        return self._catalogue

    def cost_desk(self) -> CostDesk:
        """Prices, and the words to tell costs in. Raises what opening raised."""
        return CostDesk(self.assistant().corpus, self.cost_tables)

    def cost_tables(self) -> CostTables:
        """What costs are computed from. Raises what opening raised, FileUnavailable for offers that can't be read."""
        corpus, today = self.assistant().corpus, date.today()
        try:
            offers = kept_offers(self._settings.offers, corpus, today)
        except InvalidInput as error:
            # Whoever asks from elsewhere can't mend a file of this machine, and need not know where it lies.
            raise FileUnavailable("The offers kept on this server can't be read.") from error
        return CostTables(corpus, offers, today, read_cost_wording(self._settings.corpus))

    def compare_desk(self) -> CompareDesk:
        """Cards with everything known of them. Raises what opening raised."""
        opened = self.assistant()
        return CompareDesk(opened.corpus, opened.library.by_entity)

    @cached_property
    def _follow_ups(self) -> FollowUps:
        return FollowUps(self.assistant(), self._settings.corpus)

    def follow_ups(self) -> FollowUps:
        """Offers questions to go on with. Raises what opening raised."""
        return self._follow_ups

    def library(self) -> Library:
        """The sources to search and to filter. Raises what opening raised."""
        return Library(self.assistant().corpus, self.search)
