"""The tab that puts cards side by side."""

import gradio as gr

from assistant.interfaces.chat.compare_view import CompareDesk
from assistant.interfaces.chat.form import Form
from assistant.interfaces.chat.localiser import Localiser, Outcome
from assistant.interfaces.chat.opening import Opening
from assistant.interfaces.chat.text import page_wording
from assistant.language.tongue import Language
from assistant.tools.card_table import MOST_CARDS

_FIRST = ("NVIDIA H200", "NVIDIA B200", "AMD Instinct MI355X")
_CHARTED = "memory_capacity"


def build_compare_tab(localiser: Localiser, language: gr.Radio, opening: Opening) -> None:
    """A choice of cards and of the property to draw, and what comes of it."""
    desk: CompareDesk = opening.compare_desk()
    known = desk.cards()
    with localiser.add(gr.Tab(id="compare"), label="tab_compare") as tab:
        localiser.add(gr.Markdown(elem_classes="tab-lead"), value="compare_lead")
        with gr.Row(elem_classes="calculator"):
            cards = localiser.add(
                gr.Dropdown(
                    known, value=[name for name in _FIRST if name in known], multiselect=True,
                    max_choices=MOST_CARDS, scale=3, min_width=280,
                ),
                label="compare_cards",
            )  # fmt: skip
            charted = localiser.add(
                gr.Dropdown(desk.properties("en"), value=_CHARTED, scale=2, min_width=220),
                label="compare_chart",
                choices=desk.properties,
            )
        outcome = gr.Markdown(elem_id="compare-outcome", latex_delimiters=[])

    def compare(spoken: Language, chosen: list[str], attribute: str) -> str:
        return desk.compare(chosen, attribute, Form(page_wording(), spoken))

    localiser.show(Outcome(outcome, [cards, charted], compare), language, [tab])
