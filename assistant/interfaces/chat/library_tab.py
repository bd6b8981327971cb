"""The tab that lists the sources."""

import gradio as gr

from assistant.interfaces.chat.form import Form
from assistant.interfaces.chat.library_view import Choices, Library, LibraryForm, Shelf
from assistant.interfaces.chat.localiser import Localiser, Outcome
from assistant.interfaces.chat.opening import Opening
from assistant.interfaces.chat.text import page_wording
from assistant.language.tongue import Language


def build_library_tab(localiser: Localiser, language: gr.Radio, opening: Opening) -> None:
    """Words to search for, filters, and the sources that they leave."""
    library: Library = opening.library()

    def dropdown(label: str, field: str) -> gr.Dropdown:
        def choices(spoken: Language) -> Choices:
            found: Choices = getattr(library.shelf(spoken), field)
            return found

        assert field in Shelf._fields
        return localiser.add(gr.Dropdown(choices("en"), value="", min_width=150), label=label, choices=choices)

    with localiser.add(gr.Tab(id="library"), label="tab_library") as tab:
        localiser.add(gr.Markdown(elem_classes="tab-lead"), value="library_lead")
        with gr.Row(elem_classes="calculator"):
            words = localiser.add(
                gr.Textbox("", max_lines=1, elem_id="library-words"), label="library_words", placeholder="library_hint"
            )
        with gr.Row(elem_classes="calculator"):
            filters = [
                dropdown("library_language", "languages"),
                dropdown("library_kind", "kinds"),
                dropdown("library_publisher", "publishers"),
                dropdown("library_since", "years"),
            ]
        outcome = gr.Markdown(elem_id="library-outcome", latex_delimiters=[])

    def listed(spoken: Language, *values: str | None) -> str:
        return library.listed(LibraryForm(*values), Form(page_wording(), spoken))

    localiser.show(Outcome(outcome, [words, *filters], listed), language, [tab])
