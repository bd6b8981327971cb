"""The page: header, conversation with its sources, and the calculators' tabs."""

import json
from collections.abc import Callable, Iterator
from html import escape
from typing import Any

import gradio as gr

from assistant.answering.assistant import MAX_HISTORY
from assistant.errors import AssistantError
from assistant.interfaces.chat.carried import read_carried
from assistant.interfaces.chat.compare_tab import build_compare_tab
from assistant.interfaces.chat.conversation import Conversation, asked_on_page, converse, messages_of
from assistant.interfaces.chat.cost_tab import build_cost_tab
from assistant.interfaces.chat.document import visitor_language
from assistant.interfaces.chat.library_tab import build_library_tab
from assistant.interfaces.chat.localiser import Localiser
from assistant.interfaces.chat.markup import one_line
from assistant.interfaces.chat.memory_tab import build_memory_tab
from assistant.interfaces.chat.opening import Opening
from assistant.interfaces.chat.sources_panel import panel_html
from assistant.interfaces.chat.text import (
    LANGUAGE_NAMES,
    LANGUAGE_TAGS,
    OPINION_WORDS,
    example_questions,
    page_wording,
)
from assistant.knowledge.corpus import Corpus
from assistant.language.tongue import Language
from assistant.settings import Settings

_QUIET: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
_STATE_LIVES_S = 24 * 3600


def build(opening: Opening, settings: Settings) -> gr.Blocks:
    """The whole page. Raises what opening the knowledge base raised."""
    page = gr.Blocks(title="GPU assistant", analytics_enabled=False, fill_width=True)
    with page:
        ChatPage(page, opening, settings)
    page.queue(default_concurrency_limit=4, max_size=64)
    return page


class ChatPage:
    """The components of the page and what happens between them."""

    def __init__(self, page: gr.Blocks, opening: Opening, settings: Settings) -> None:
        self._opening = opening
        self._text = page_wording()
        self._localiser = Localiser(self._text)
        add = self._localiser.add
        self._conversation = gr.State(Conversation(), time_to_live=_STATE_LIVES_S)
        with gr.Row(elem_id="header"):
            brand = add(gr.Markdown(elem_id="brand"), value=self._brand)
            # Empty until the visitor's language is known: the page is shown when its name appears.
            brand.value = ""
            self._language = add(
                gr.Radio([(name, code) for code, name in LANGUAGE_NAMES.items()], value="en", elem_id="language"),
                label="language",
            )
            add(gr.Button(elem_id="theme", size="sm"), value="theme")
        with gr.Tabs(elem_id="tabs"):
            with add(gr.Tab(id="chat"), label="tab_chat"):
                self._build_chat()
            build_memory_tab(self._localiser, self._language, opening, settings)
            build_cost_tab(self._localiser, self._language, opening)
            build_compare_tab(self._localiser, self._language, opening)
            build_library_tab(self._localiser, self._language, opening)
        self._connect(page)

    def _build_chat(self) -> None:
        add = self._localiser.add
        with gr.Row(elem_id="chat-row"):
            with gr.Column(scale=5, min_width=320, elem_id="talk"):
                self._chatbot = add(
                    gr.Chatbot(
                        elem_id="conversation",
                        show_label=False,
                        height="auto",
                        buttons=[],
                        latex_delimiters=[],
                        layout="bubble",
                        autoscroll=False,
                        allow_tags=False,
                    ),
                    label="conversation",
                    placeholder=self._welcome,
                )
                with gr.Column(elem_id="examples") as self._examples:
                    add(gr.Markdown(elem_id="examples-title"), value="examples")
                    with gr.Row(elem_id="example-questions"):
                        self._example_buttons = [
                            add(gr.Button(size="sm", elem_classes="example"), value=example.in_language)
                            for example in example_questions().examples
                        ]
                with gr.Row(elem_id="asking"):
                    self._question = add(
                        gr.Textbox(
                            lines=1, max_lines=6, scale=6, min_width=160, autofocus=True, container=False,
                            elem_id="question",
                        ),
                        label="question",
                        placeholder="question_placeholder",
                    )  # fmt: skip
                    self._ask = add(gr.Button(variant="primary", scale=1, min_width=84, elem_id="ask"), value="ask")
                    self._stop = add(
                        gr.Button(variant="stop", scale=1, min_width=84, visible=False, elem_id="stop"), value="stop"
                    )
                self._follow_ups = gr.Markdown(elem_id="follow-ups", latex_delimiters=[])
                self._new = add(
                    gr.Button(size="sm", variant="secondary", elem_id="new", visible=False), value="new_conversation"
                )
                # Written by conversation.js, which can't call Python otherwise.
                with gr.Column(elem_id="carrying"):
                    self._replacing = gr.Textbox(elem_id="replacing", container=False, show_label=False)
                    self._carried = gr.Textbox(elem_id="carried", container=False, show_label=False)
                    self._carry = gr.Button(elem_id="carry")
            with gr.Column(scale=3, min_width=300, elem_id="sources"):
                self._sources = gr.Markdown(elem_id="sources-panel", latex_delimiters=[])

    def _connect(self, page: gr.Blocks) -> None:
        shown = [
            self._conversation, self._chatbot, self._sources, self._examples, self._ask, self._stop, self._new,
            self._follow_ups,
        ]  # fmt: skip
        triggers: list[tuple[Callable[..., Any], gr.components.Component]] = [
            (self._question.submit, self._question),
            (self._ask.click, self._question),
            *((button.click, button) for button in self._example_buttons),
        ]
        asking = [
            trigger(
                self._answer,
                [words, self._conversation, self._language, self._replacing],
                [self._question, self._replacing, *shown],
                # Otherwise a question right after a stop would be passed over until the stopped answer has ended.
                trigger_mode="multiple",
                **_QUIET,
            )
            for trigger, words in triggers
        ]
        asking.append(
            self._carry.click(
                self._bring_back, [self._carried, self._conversation, self._language],
                [self._question, self._replacing, *shown], **_QUIET,
            )
        )  # fmt: skip
        for event in asking:
            event.failure(self._end_failed, [self._conversation, self._language], shown, **_QUIET)
            event.success(self._offer, [self._conversation, self._language], self._follow_ups, **_QUIET)
        self._stop.click(self._end_stopped, [self._conversation, self._language], shown, cancels=asking, **_QUIET)
        self._new.click(self._begin_anew, self._language, shown, cancels=asking, **_QUIET).then(
            lambda: "", None, self._question, **_QUIET
        )
        outcomes = self._localiser.outcomes
        self._language.input(
            self._speak,
            [self._language, self._conversation, *(field for outcome in outcomes for field in outcome.fields)],
            [self._chatbot, self._sources, *self._localiser.components, *(outcome.shown for outcome in outcomes)],
            **_QUIET,
        )
        page.load(self._greet, None, [self._language, self._sources, *self._localiser.components], **_QUIET)

    def _brand(self, language: Language) -> str:
        title, promise, named = (escape(self._text.say(n, language)) for n in ("title", "promise", "conversation"))
        # page.js gives the conversation its name from here: Gradio's own is English.
        return (
            f'<div class="brand" lang="{LANGUAGE_TAGS[language]}"><h1>{title}</h1><p>{promise}</p>'
            f'<span class="conversation-name" hidden>{named}</span>'
            f'<span class="words" hidden>{escape(self._script_words(language))}</span></div>'
        )

    def _script_words(self, language: Language) -> str:
        """What the scripts say themselves, as JSON; {title} and {name} are filled in there."""
        names = (
            "history", "history_note", "history_delete", "history_clear", "shared_changed", "remove_one", "remove_all",
            "follow_ups", "close", "something_wrong", "unreachable", "busy",
            *OPINION_WORDS,
        )  # fmt: skip
        return json.dumps({name: self._text.phrases[name].in_language(language) for name in names}, ensure_ascii=False)

    def _welcome(self, language: Language) -> str:
        title, detail = (escape(self._text.say(name, language)) for name in ("welcome", "welcome_detail"))
        return one_line(f'<div class="welcome"><p class="welcome-title">{title}</p><p>{detail}</p></div>')

    def _answer(
        self, question: str, conversation: Conversation, language: Language, replacing: str = ""
    ) -> Iterator[tuple[Any, ...]]:
        """What the page shows after each event of the answer; `replacing` is the number of an exchange to replace."""
        if conversation.under_way:
            # One answer at a time: the question stays where it was typed.
            yield tuple(gr.skip() for _ in range(2 + len(self._shown(conversation, language))))
            return
        if replacing.isdecimal():
            conversation = conversation.before(int(replacing[:9]))
        for number, now in enumerate(converse(conversation, question or "", self._opening.ask, language)):
            # Emptied once: what is typed while an answer comes in is the visitor's next question.
            written = ("", "") if number == 0 else (gr.skip(), gr.skip())
            yield (*written, *self._shown(now, language, ended=not now.under_way))

    def _shown(self, conversation: Conversation, language: Language, *, ended: bool = True) -> tuple[Any, ...]:
        """State, messages, sources, example questions, and the buttons to ask, to stop, to begin anew."""
        return (
            conversation,
            messages_of(conversation, self._text, language),
            self._panel(conversation, language) if ended else gr.skip(),
            gr.update(visible=not conversation.exchanges),
            gr.update(visible=ended),
            gr.update(visible=not ended),
            gr.update(visible=bool(conversation.exchanges)),
            "",
        )

    def _bring_back(self, carried: str, conversation: Conversation, language: Language) -> Iterator[tuple[Any, ...]]:
        """A conversation that the browser kept, or the question of a shared link."""
        read = read_carried(carried)
        if read is None or conversation.under_way:
            yield ("", "", *self._shown(conversation, language))
        elif read.question.strip():
            yield from self._answer(read.question, read.conversation, language)
        else:
            yield ("", "", *self._shown(read.conversation, language))

    def _offer(self, conversation: Conversation, language: Language) -> str:
        """Questions to go on with, as buttons; none while an answer is made or after one without answer."""
        last = conversation.exchanges[-1] if conversation.exchanges else None
        if last is None or last.answer is None:
            return ""
        asked = asked_on_page(last.question, conversation.questions[:-1][-MAX_HISTORY:], last.answer.language)
        offered = self._opening.follow_ups().after(asked)
        if not offered:
            return ""
        tag = LANGUAGE_TAGS[last.answer.language]
        buttons = "".join(
            f'<button type="button" class="follow-up" lang="{tag}">{escape(one)}</button>' for one in offered
        )
        return one_line(f'<p class="hint">{escape(self._text.say("follow_ups", language))}</p><div>{buttons}</div>')

    def _panel(self, conversation: Conversation, language: Language) -> str:
        answered = [(one.number, one.answer.citations) for one in conversation.exchanges if one.answer]
        return panel_html(answered, self._corpus(), self._text, language)

    def _corpus(self) -> Corpus | None:
        try:
            return self._opening.assistant().corpus
        except AssistantError:
            return None

    def _end_failed(self, conversation: Conversation, language: Language) -> tuple[Any, ...]:
        return self._shown(conversation.ended("failed"), language)

    def _end_stopped(self, conversation: Conversation, language: Language) -> tuple[Any, ...]:
        return self._shown(conversation.ended("stopped"), language)

    def _begin_anew(self, language: Language) -> tuple[Any, ...]:
        return self._shown(Conversation(), language)

    def _speak(self, language: Language, conversation: Conversation, *values: Any) -> list[Any]:
        """The page in another language, outcomes and all; the conversation stays as it is."""
        messages, panel = messages_of(conversation, self._text, language), self._panel(conversation, language)
        return [messages, panel, *self._localiser.updates(language), *self._localiser.told(language, values)]

    def _greet(self, request: gr.Request) -> list[Any]:
        """The page in the visitor's language."""
        headers = request.headers
        language = visitor_language(headers.get("cookie", ""), headers.get("accept-language", ""))
        return [language, panel_html([], self._corpus(), self._text, language), *self._localiser.updates(language)]
