"""A conversation as it goes on: events of the assistant become exchanges, and exchanges the messages of the page."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from html import escape
from typing import Literal

from pydantic import BaseModel, ConfigDict

from assistant.answering.answer import Answer
from assistant.answering.assistant import MAX_HISTORY, MAX_QUESTION_CHARACTERS
from assistant.answering.events import AnswerReady, Event, StepBegun, StepName, TextVerified
from assistant.answering.evidence import Question
from assistant.answering.memo.page import answer_markdown
from assistant.errors import AssistantError
from assistant.interfaces.chat.kept import kept_form
from assistant.interfaces.chat.markup import clean, one_line, plain, render
from assistant.interfaces.chat.sources_panel import passage_id, title_of
from assistant.interfaces.chat.text import LANGUAGE_TAGS
from assistant.language.detection import detect_language
from assistant.language.formatting import format_number
from assistant.language.tongue import Language
from assistant.language.wording import Wording

MOST_EXCHANGES = 20
"""Older ones are dropped from the page."""
SHOWN_CHARACTERS = 1_200
"""Of a long question."""

Ask = Callable[[Question], Iterator[Event]]
End = Literal["failed", "stopped"]


class Exchange(BaseModel):
    """A question and what has come of it so far."""

    model_config = ConfigDict(frozen=True)

    number: int
    question: str
    step: StepName | Literal["opening"] | None = "opening"
    text: str = ""
    answer: Answer | None = None
    changes: tuple[str, ...] = ()
    """What would change what was calculated."""
    problem: str | None = None
    end: End | None = None

    @property
    def under_way(self) -> bool:
        return self.answer is None and self.problem is None and self.end is None


class Conversation(BaseModel):
    """Exchanges, oldest first."""

    model_config = ConfigDict(frozen=True)

    exchanges: tuple[Exchange, ...] = ()
    earlier: tuple[str, ...] = ()
    """Questions that were asked before those shown, as a shared link carries them."""

    @property
    def questions(self) -> tuple[str, ...]:
        return (*self.earlier, *(exchange.question for exchange in self.exchanges))

    @property
    def under_way(self) -> bool:
        return bool(self.exchanges) and self.exchanges[-1].under_way

    def asked(self, question: str) -> "Conversation":
        """The conversation with a question added to it."""
        number = self.exchanges[-1].number + 1 if self.exchanges else 1
        shown = (*self.exchanges[-MOST_EXCHANGES + 1 :], Exchange(number=number, question=question))
        return self.model_copy(update={"exchanges": shown})

    def before(self, number: int) -> "Conversation":
        """The conversation as it was before an exchange."""
        return self.model_copy(update={"exchanges": tuple(one for one in self.exchanges if one.number < number)})

    def with_last(self, **changes: object) -> "Conversation":
        """The same with something new known of the last exchange."""
        *earlier, last = self.exchanges
        return self.model_copy(update={"exchanges": (*earlier, last.model_copy(update=changes))})

    def ended(self, end: End) -> "Conversation":
        """The same, with an exchange that is still under way marked as ended without an answer."""
        if not self.under_way:
            return self
        return self.with_last(end=end, step=None)


def converse(conversation: Conversation, question: str, ask: Ask, spoken: Language = "en") -> Iterator[Conversation]:
    """The conversation after each event of the answer to `question`. An expected error becomes its problem.

    A question of names and numbers alone is answered in the language of the page, `spoken`.
    """
    question = clean(question)
    history = conversation.questions[-MAX_HISTORY:]
    conversation = conversation.asked(question)
    yield conversation
    try:
        for event in ask(asked_on_page(question, history, spoken)):
            match event:
                case StepBegun():
                    conversation = conversation.with_last(step=event.step)
                case TextVerified():
                    conversation = conversation.with_last(text=event.text)
                case AnswerReady():
                    changes = tuple(change for run in event.answer.tool_runs for change in run.changes)
                    conversation = conversation.with_last(answer=event.answer, changes=changes, step=None)
            yield conversation
    except AssistantError as error:
        yield conversation.with_last(problem=str(error), step=None)


def asked_on_page(question: str, history: tuple[str, ...], spoken: Language) -> Question:
    """The question as the assistant is asked it, in its own language or else that of the page."""
    return Question(text=question, history=history, language=detect_language(question, history, usual=spoken))


def messages_of(conversation: Conversation, text: Wording, language: Language) -> list[dict[str, str]]:
    """The messages of the page: a question and what has come of it, for each exchange."""
    messages: list[dict[str, str]] = []
    for exchange in conversation.exchanges:
        messages.append({"role": "user", "content": question_html(exchange, text, language)})
        messages.append({"role": "assistant", "content": answer_html(exchange, text, language)})
    return messages


def question_html(exchange: Exchange, text: Wording, language: Language) -> str:
    """The question as it was typed; a very long one is cut short and says so."""
    shown = plain(exchange.question[:SHOWN_CHARACTERS])
    rest = len(exchange.question) - SHOWN_CHARACTERS
    if rest > 0:
        more = text.say("more_characters", language, count=format_number(Decimal(rest), language))
        shown += f' <span class="aside">{escape(more)}</span>'
    return one_line(f'<div class="question" dir="auto">{shown}</div>')


def answer_html(exchange: Exchange, text: Wording, language: Language) -> str:
    """The answer with its markers as links, or as much of it as is verified, and the step under way."""
    answer = exchange.answer
    parts: list[str] = []
    if exchange.problem is not None:
        said = text.say("problem", language, problem=clean(exchange.problem))
        parts.append(f'<div class="problem" role="alert">{escape(said)}</div>')
    else:
        parts += _body(exchange, text, language)
    if not exchange.under_way:
        parts.append(_footer(exchange, text, language))
    tag = f' lang="{LANGUAGE_TAGS[answer.language]}"' if answer else ""
    return one_line(f'<div class="answer"{tag} dir="auto" id="exchange-{exchange.number}">{"".join(parts)}</div>')


def _body(exchange: Exchange, text: Wording, language: Language) -> list[str]:
    """The text so far, the step under way, and how it ended where there is no answer."""
    answer = exchange.answer
    parts = [render(answer.text if answer else exchange.text, _markers(exchange, text, language))]
    if len(exchange.question) > MAX_QUESTION_CHARACTERS and exchange.end is None:
        read = format_number(Decimal(MAX_QUESTION_CHARACTERS), language)
        parts.append(f'<p class="aside">{escape(text.say("question_cut", language, read=read))}</p>')
    if exchange.step is not None:
        parts.append(f'<p class="step">{escape(text.say(f"step_{exchange.step}", language))}</p>')
    if exchange.changes:
        named = escape(text.say("would_change", language))
        items = "".join(f"<li>{escape(clean(change))}</li>" for change in exchange.changes)
        parts.append(f'<details class="changes"><summary>{named}</summary><ul>{items}</ul></details>')
    if exchange.end is not None:
        name = "failure" if exchange.end == "failed" else "stopped"
        parts.append(f'<p class="problem" role="alert">{escape(text.say(name, language))}</p>')
    return parts


def _markers(exchange: Exchange, text: Wording, language: Language) -> dict[int, str]:
    if exchange.answer is None:
        return {}
    links: dict[int, str] = {}
    for citation in exchange.answer.citations:
        named = text.say("source", language, marker=str(citation.marker), title=title_of(citation, text, language))
        links[citation.marker] = (
            f'<a class="cite" href="#{passage_id(exchange.number, citation.marker)}" title="{escape(named)}">'
            f"{citation.marker}</a>"
        )
    return links


def _footer(exchange: Exchange, text: Wording, language: Language) -> str:
    """What stands under an answer, in the language of the page: its sources, what can be done, who wrote it."""
    answer = exchange.answer
    parts: list[str] = []
    if answer is not None:
        if answer.citations:
            said = text.say("show_sources", language, count=str(len(answer.citations)))
            parts.append(f'<a class="all-sources" href="#sources-{exchange.number}">{escape(said)}</a>')
        parts.append(f'<button type="button" class="copy">{escape(text.say("copy", language))}</button>')
    parts += [_action(name, name, text, language) for name in ("retry", "edit")]
    if answer is not None:
        further = "".join(
            _action(name.replace("_", "-"), name, text, language)
            for name in ("copy_link", "download", "copy_dokuwiki", "copy_mediawiki")
        )
        more = escape(text.say("more", language))
        parts.append(f'<details class="more"><summary>{more}</summary><div class="menu">{further}</div></details>')
        if answer.model:
            parts.append(
                f'<span class="aside">{escape(text.say("written_by", language, model=clean(answer.model)))}</span>'
            )
        parts.append(f'<pre class="copied" hidden>{escape(clean(answer_markdown(answer)))}</pre>')
        kept = kept_form(exchange.number, exchange.question, answer, exchange.changes)
        parts.append(f'<pre class="record" hidden>{escape(clean(kept))}</pre>')
    parts.append(f'<pre class="asked" hidden>{escape(clean(exchange.question))}</pre>')
    return f'<div class="answer-foot" lang="{LANGUAGE_TAGS[language]}">{"".join(parts)}</div>'


def _action(action: str, name: str, text: Wording, language: Language) -> str:
    """A button; conversation.js does what it says."""
    return f'<button type="button" class="do-{action}">{escape(text.say(name, language))}</button>'
