"""Makes the picture of the README from the chat as it is: `python tests/picture.py`."""

from playwright.sync_api import expect
from web import DESKTOP, PATIENCE_S, answered, ask, chromium, served

from assistant.answering.assistant import Assistant
from assistant.settings import ROOT, Settings

QUESTION = "How much memory does the MI355X have, and what does a B200 cost per hour?"
PICTURE = ROOT / "docs" / "images" / "chat.png"


def main() -> None:
    """Ask, open the first citation, and take the picture once all that follows an answer is there."""
    settings = Settings()
    with served(settings, Assistant.open(settings)) as address, chromium() as browser:
        page = browser.new_page(viewport=DESKTOP, locale="en-US", color_scheme="light", reduced_motion="reduce")
        page.set_default_timeout(PATIENCE_S * 1000)
        page.goto(address)
        expect(page.locator("body.spoken")).to_be_attached()
        ask(page, QUESTION)
        answered(page)
        expect(page.locator("#follow-ups button").first).to_be_visible()
        page.locator("a.cite").first.click()
        expect(page.locator("#sources details[open] mark").first).to_be_in_viewport()
        page.screenshot(path=PICTURE)


if __name__ == "__main__":
    main()
