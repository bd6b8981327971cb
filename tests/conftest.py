"""What tests share: the real knowledge base, its real index, and the assistant over both."""

import os
import tempfile
from collections.abc import Iterator
from datetime import date

import hypothesis
import pytest

from assistant.answering.assistant import Assistant
from assistant.knowledge.corpus import Corpus, load_corpus
from assistant.settings import Settings

pytest_plugins = ["web"]

# The tests read the repository's own corpus and index, whatever the shell that starts them has set.
for name in list(os.environ):
    if name.startswith(("ASSISTANT_", "OPENAI_")):
        del os.environ[name]
# What the server keeps, and programs started by tests too, stays out of the home folder of whoever runs them.
_DATA = tempfile.TemporaryDirectory(prefix="gpu-assistant-tests-", ignore_cleanup_errors=True)
os.environ["XDG_DATA_HOME"] = _DATA.name
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["HF_HUB_OFFLINE"] = "1"

# How long an example takes says nothing of the product on a machine that does other things beside.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

# One fixed day, so that what counts as stale doesn't depend on when the tests run.
TODAY = date(2026, 11, 30)


@pytest.fixture(scope="session")
def settings() -> Settings:
    return Settings()


@pytest.fixture(scope="session")
def corpus(settings: Settings) -> Corpus:
    return load_corpus(settings.corpus)


@pytest.fixture(scope="session")
def assistant(settings: Settings) -> Iterator[Assistant]:
    """The assistant over the repository's knowledge base; `gpu-assistant index` must have run, as `make test` does."""
    opened = Assistant.open(settings, today=TODAY)
    yield opened
    opened.index.close()
