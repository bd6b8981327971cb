"""Claims that a model proposes for a new edition: offered only where the article bears them out, whatever it sends."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from assistant.interfaces.command_line import gpu_assistant
from assistant.knowledge.article import read_article
from assistant.knowledge.check import check_corpus
from assistant.settings import ROOT
from evals.adversary.scripted_endpoint import Reply, ScriptedEndpoint, scripted_endpoint

ARTICLE = "nl-gpu-huurprijzen"
NEW = "Een MI300X is er sinds deze week ook te huur: 2,15 dollar per uur bij Lambda."
GOOD: dict[str, Any] = {
    "about": ["amd-mi300x"],
    "attribute": "price_per_hour",
    "value": 2.15,
    "unit": "USD/h",
    "status": "measured",
    "qualifiers": {"provider": "lambda"},
    "quote": NEW,
    "statement": {
        "nl": "Een AMD Instinct MI300X kost 2,15 dollar per uur bij Lambda.",
        "da": "En AMD Instinct MI300X koster 2,15 dollar i timen hos Lambda.",
        "zh": "在 Lambda 租用 AMD Instinct MI300X 每小时 2.15 美元。",
        "en": "An AMD Instinct MI300X costs $2.15 per hour at Lambda.",
    },
}
UNSAID = {**GOOD["statement"], "en": "An AMD Instinct MI300X costs $2.51 per hour at Lambda."}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT / "corpus", tmp_path / "corpus"))


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedEndpoint]:
    with scripted_endpoint() as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("ASSISTANT_LLM_MODEL", "scripted")
        yield endpoint


def updated(corpus: Path, reply: Reply, model: ScriptedEndpoint) -> tuple[Result, list[dict[str, Any]]]:
    """Take in an edition with one paragraph more while the model sends `reply`; the drafts that were offered."""
    body = read_article(next(corpus.glob(f"articles/*/{ARTICLE}.md"))).body
    (corpus.parent / "new.md").write_text(f"{body}\n{NEW}\n", encoding="utf-8")
    drafts = corpus.parent / "drafts.yaml"
    model.script = lambda messages: reply if NEW in messages[-1]["content"] else Reply("[]")
    done = CliRunner().invoke(
        gpu_assistant,
        ["--corpus", str(corpus), "sources", "update", ARTICLE, str(corpus.parent / "new.md"), "--drafts", str(drafts)],
    )
    return done, yaml.safe_load(drafts.read_text(encoding="utf-8")).get("claims", []) if drafts.is_file() else []


def test_a_proposal_that_the_article_bears_out_is_offered_and_holds_as_a_claim(
    corpus: Path, model: ScriptedEndpoint
) -> None:
    done, drafts = updated(corpus, Reply("Here you are:\n```json\n" + json.dumps([GOOD]) + "\n```"), model)
    assert done.exit_code == 0, done.output
    (draft,) = drafts
    assert draft["quote"] == NEW and str(draft["value"]) == "2.15"
    told = (
        model.asked[-1]
        if NEW in model.asked[-1][-1]["content"]
        else next(asked for asked in model.asked if NEW in asked[-1]["content"])
    )
    assert "amd-mi300x" in told[-1]["content"] and "price_per_hour" in told[0]["content"]
    # Nothing is taken over by itself; moved to the claims by a person, it passes every check.
    path = next(corpus.glob(f"claims/{ARTICLE}.yaml"))
    text = path.read_text(encoding="utf-8")
    assert NEW not in text
    claims = yaml.safe_load(text)
    claims["claims"].append({**draft, "id": f"{ARTICLE}.mi300x-lambda-now"})
    path.write_text(yaml.safe_dump(claims, allow_unicode=True, sort_keys=False), encoding="utf-8")
    assert not [problem for problem in check_corpus(corpus).problems if problem.id.endswith("mi300x-lambda-now")]


INVENTED: list[tuple[dict[str, Any], str]] = [
    ({"quote": "Een MI300X kost 2,15 dollar per uur."}, "quote"),
    ({"value": 2.51}, "2.51"),
    ({"unit": "EUR/h"}, "EUR"),
    ({"statement": UNSAID}, "en"),
    ({"about": ["amd-mi999"]}, "amd-mi999"),
    ({"attribute": "fragrance"}, "fragrance"),
    ({"statement": {"en": "It costs $2.15."}}, "statement"),
    ({"value": {"low": {}, "high": []}}, "value"),
    ({"id": "../../etc/passwd", "quote": "invented"}, "quote"),
]


def test_what_the_article_does_not_bear_out_is_refused_with_its_reason(corpus: Path, model: ScriptedEndpoint) -> None:
    proposals = [GOOD | changed for changed, _ in INVENTED]
    done, drafts = updated(corpus, Reply(json.dumps(proposals, ensure_ascii=False)), model)
    assert done.exit_code == 0, done.output
    assert drafts == []
    assert f"drafts: 0 offered, {len(INVENTED)} refused" in done.stderr
    refused = [line for line in done.stderr.splitlines() if line.startswith("refused: ")]
    assert [why in line for (_, why), line in zip(INVENTED, refused, strict=True)] == [True] * len(INVENTED), refused


@pytest.mark.parametrize(
    "reply",
    [
        Reply("I would rather not."),
        Reply("[" * 20_000),
        Reply(json.dumps([1, None, "x", [GOOD]])),
        Reply(json.dumps([GOOD]), raw=b"\x00\xff not a stream"),
    ],
)
def test_garbage_offers_nothing_and_the_edition_is_taken_in(
    corpus: Path, model: ScriptedEndpoint, reply: Reply
) -> None:
    done, drafts = updated(corpus, reply, model)
    assert done.exit_code == 0, done.output
    assert drafts == []
    assert NEW in next(corpus.glob(f"articles/*/{ARTICLE}.md")).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "reply", [Reply(json.dumps([GOOD])[:-40], finish=None), Reply(status=503, raw=b"")], ids=["cut", "down"]
)
def test_a_model_that_goes_away_offers_nothing_says_so_and_the_edition_is_taken_in(
    corpus: Path, model: ScriptedEndpoint, reply: Reply
) -> None:
    done, drafts = updated(corpus, reply, model)
    assert done.exit_code == 0, done.output
    assert drafts == [] and "drafts: " in done.stderr
    assert NEW in next(corpus.glob(f"articles/*/{ARTICLE}.md")).read_text(encoding="utf-8")
