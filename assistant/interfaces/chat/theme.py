"""Colours, type and spacing of the page, light and dark; style.css does the rest."""

import gradio as gr

# Only fonts that machines have: a named font of the theme would be fetched from elsewhere.
_SANS = ("system-ui", "-apple-system", "Segoe UI", "Noto Sans", "Helvetica Neue", "Arial", "sans-serif")
_MONO = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "DejaVu Sans Mono", "monospace")


def theme() -> gr.themes.Base:
    """The theme of the page."""
    plain = gr.themes.Base(
        primary_hue=gr.themes.colors.teal,
        neutral_hue=gr.themes.colors.stone,
        radius_size=gr.themes.sizes.radius_md,
        text_size=gr.themes.sizes.text_md,
        font=list(_SANS),
        font_mono=list(_MONO),
    )
    return plain.set(
        body_background_fill="#f6f5f2",
        body_background_fill_dark="#141618",
        background_fill_primary="#ffffff",
        background_fill_primary_dark="#1d2023",
        background_fill_secondary="#f1f0ec",
        background_fill_secondary_dark="#24282b",
        block_background_fill="#ffffff",
        block_background_fill_dark="#1d2023",
        border_color_primary="#dedbd3",
        border_color_primary_dark="#363b3f",
        block_border_color="#dedbd3",
        block_border_color_dark="#363b3f",
        body_text_color="#1d2125",
        body_text_color_dark="#e6e8ea",
        body_text_color_subdued="#5b6067",
        body_text_color_subdued_dark="#a6adb4",
        block_label_text_color="#3d4248",
        block_label_text_color_dark="#c6ccd1",
        block_title_text_color="#3d4248",
        block_title_text_color_dark="#c6ccd1",
        block_info_text_color="#5b6067",
        block_info_text_color_dark="#a6adb4",
        input_background_fill="#ffffff",
        input_background_fill_dark="#16191b",
        input_border_color="#c9c5bb",
        input_border_color_dark="#454b50",
        input_border_color_focus="#0f6a64",
        input_border_color_focus_dark="#5cc4b8",
        input_placeholder_color="#6a6f76",
        input_placeholder_color_dark="#949ba2",
        link_text_color="#0b5d58",
        link_text_color_dark="#6fd0c5",
        link_text_color_hover="#08423e",
        link_text_color_hover_dark="#9be3da",
        button_primary_background_fill="#0f6a64",
        button_primary_background_fill_dark="#17776f",
        button_primary_background_fill_hover="#0b5550",
        button_primary_background_fill_hover_dark="#1c877e",
        button_primary_text_color="#ffffff",
        button_primary_text_color_dark="#ffffff",
        button_secondary_background_fill="#ffffff",
        button_secondary_background_fill_dark="#24282b",
        button_secondary_background_fill_hover="#eef4f3",
        button_secondary_background_fill_hover_dark="#2d3236",
        button_secondary_border_color="#c9c5bb",
        button_secondary_border_color_dark="#454b50",
        button_secondary_text_color="#24282d",
        button_secondary_text_color_dark="#e1e4e6",
        checkbox_label_background_fill="transparent",
        checkbox_label_background_fill_dark="transparent",
        checkbox_background_color_selected="#0f6a64",
        checkbox_background_color_selected_dark="#2ba197",
        block_shadow="none",
        block_border_width="0px",
        shadow_drop="none",
    )
