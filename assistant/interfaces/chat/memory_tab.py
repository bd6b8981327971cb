"""The memory calculator's tab."""

from collections.abc import Callable
from typing import get_args

import gradio as gr

from assistant.interfaces.chat.form import Form, first_holding
from assistant.interfaces.chat.localiser import Localiser, Outcome
from assistant.interfaces.chat.memory_view import CONTEXTS, MemoryForm, memory_outcome
from assistant.interfaces.chat.opening import Opening
from assistant.interfaces.chat.text import page_wording
from assistant.language.tongue import Language
from assistant.settings import Settings
from assistant.tools.memory.cache_layout import KV_TYPES, Engine
from assistant.tools.memory.gguf_types import MIXTURES
from assistant.tools.memory.quantization import FORMATS
from assistant.tools.memory.request import Task

Choices = list[tuple[str, str]]


def build_memory_tab(localiser: Localiser, language: gr.Radio, opening: Opening, settings: Settings) -> None:
    """The form, its outcome, and the events between them."""
    text = page_wording()
    catalogue = opening.catalogue()

    def optional(names: list[str] | tuple[str, ...]) -> Callable[[Language], Choices]:
        return lambda language: [(text.say("automatic", language), ""), *((name, name) for name in names)]

    def tasks(language: Language) -> Choices:
        return [(text.say(f"task_{task}", language), task) for task in get_args(Task)]

    models = [model.name for model in catalogue.models]
    cards = [card.name for card in catalogue.cards.values()]
    formats = list(dict.fromkeys([*FORMATS, *MIXTURES]))
    with localiser.add(gr.Tab(id="memory"), label="tab_memory") as tab:
        localiser.add(gr.Markdown(elem_classes="tab-lead"), value="memory_lead")
        with gr.Row(elem_classes="calculator"):
            with gr.Column(scale=2, min_width=300, elem_classes="form"):
                model = localiser.add(
                    gr.Dropdown(models, value=first_holding("70B", models), allow_custom_value=True), label="model"
                )
                with gr.Row():
                    card = localiser.add(
                        gr.Dropdown(cards, value=first_holding("H100 SXM", cards), scale=3), label="card"
                    )
                    count = localiser.add(gr.Number(1, precision=None, scale=1, min_width=90), label="cards")
                task = localiser.add(gr.Radio(value="inference"), label="task", choices=tasks)
                weights = localiser.add(gr.Dropdown([("", "")], value=""), label="weights", choices=optional(formats))
                with gr.Row() as inference:
                    context = localiser.add(
                        gr.Dropdown([*CONTEXTS], value="8k", allow_custom_value=True),
                        label="context",
                        choices=optional(CONTEXTS),
                    )
                    concurrency = localiser.add(gr.Number(1, min_width=90), label="concurrency")
                with gr.Row(visible=False) as training:
                    sequence = localiser.add(
                        gr.Dropdown([*CONTEXTS], value="2k", allow_custom_value=True), label="sequence"
                    )
                    batch = localiser.add(gr.Number(1, min_width=90), label="batch")
                with localiser.add(gr.Accordion(open=False), label="more_choices"):
                    zero = localiser.add(gr.Dropdown([("0", 0), ("1", 1), ("2", 2), ("3", 3)], value=0), label="zero")
                    engine = localiser.add(
                        gr.Dropdown([("", "")], value=""), label="engine", choices=optional(get_args(Engine))
                    )
                    kv_type = localiser.add(
                        gr.Dropdown([("", "")], value=""), label="kv_type", choices=optional(list(KV_TYPES))
                    )
            with gr.Column(scale=3, min_width=320):
                outcome = gr.Markdown(elem_id="memory-outcome", latex_delimiters=[])

    fields: list[gr.components.Component] = [
        model, card, count, task, weights, context, concurrency, sequence, batch, zero, engine, kv_type,
    ]  # fmt: skip

    def compute(spoken: Language, *values: object) -> str:
        return memory_outcome(MemoryForm(*values), Form(text, spoken), catalogue, settings.corpus)  # type: ignore[arg-type]

    def arrange(chosen: str) -> tuple[dict[str, object], dict[str, object]]:
        return gr.update(visible=chosen == "inference"), gr.update(visible=chosen != "inference")

    task.change(arrange, task, [inference, training], show_progress="hidden", api_visibility="private")
    localiser.show(Outcome(outcome, fields, compute), language, [tab])
