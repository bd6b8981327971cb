"""Each claim in one state: a changed value, a gone quote, a deleted article, what time makes old; and new editions."""

import json
import shutil
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner

from assistant.errors import InvalidInput
from assistant.interfaces.command_line import gpu_assistant
from assistant.knowledge.anchor import find_anchor
from assistant.knowledge.article import read_article
from assistant.knowledge.check import check_corpus
from assistant.knowledge.corpus import load_corpus
from assistant.knowledge.edition import changes_between
from assistant.knowledge.freshness import BROKEN, Standing, record_sources, standings
from assistant.knowledge.update import update_source
from assistant.language.quantities.quantity import read_quantities
from assistant.settings import ROOT
from evals.trials.altered import other_writing

DAY = date(2026, 11, 30)
PRICES = "nl-gpu-huurprijzen"
PRICE = f"{PRICES}.h100-sxm-lambda"


@pytest.fixture
def altered(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT / "corpus", tmp_path / "corpus"))


def rewrite(corpus: Path, article: str, old: str, new: str) -> None:
    path = next(corpus.glob(f"articles/*/{article}.md"))
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def states(corpus: Path, day: date = DAY) -> dict[str, Standing]:
    return {one.id: one for one in standings(corpus, day, record_sources(ROOT / "corpus"))}


def test_nothing_is_broken_in_the_repositorys_own_knowledge_base() -> None:
    assert not [one for one in standings(ROOT / "corpus", DAY) if one.state in BROKEN]


def test_a_price_that_changed_in_its_article_is_told_with_both_values_and_the_rows_that_still_have_the_old(
    altered: Path,
) -> None:
    rewrite(altered, PRICES, "| Lambda | 3,99 dollar |", "| Lambda | 4,29 dollar |")
    found = states(altered)
    assert [id_ for id_, one in found.items() if one.state in BROKEN] == [PRICE]
    assert (found[PRICE].state, found[PRICE].value, found[PRICE].found) == (
        "VALUE_CHANGED",
        "3.99 USD/h",
        "4,29 dollar",
    )
    assert found[PRICE].rows == ("price.nvidia-h100-sxm.lambda.2",)
    assert found[f"{PRICES}.b200-runpod"].state in ("MOVED", "EXPIRED")


@pytest.mark.parametrize(
    ("article", "claim", "old", "new", "found"),
    [
        ("nl-rocm-10", "nl-rocm-10.release-date", "op 27 augustus 2026", "op 29 augustus 2026", "29 augustus 2026"),
        (
            "da-mi455x-helios",
            "da-mi455x-helios.mi455x-launch",
            "den 23. juli 2026",
            "den 30. juli 2026",
            "30. juli 2026",
        ),
        ("zh-gpu-market-share", "zh-gpu-market-share.amd-share", "8%", "9%", "9%"),
    ],
)
def test_a_changed_figure_or_date_is_read_in_the_articles_language(
    altered: Path, article: str, claim: str, old: str, new: str, found: str
) -> None:
    quote = load_corpus(ROOT / "corpus").claims[claim].quote
    rewrite(altered, article, quote, quote.replace(old, new))
    one = states(altered)[claim]
    assert (one.state, one.found) == ("VALUE_CHANGED", found)


def test_a_quote_said_otherwise_and_one_taken_out_are_gone_and_a_deleted_article_takes_its_claims_along(
    altered: Path,
) -> None:
    claims = load_corpus(ROOT / "corpus").claims
    quote = claims["nl-rocm-10.release-date"].quote
    rewrite(altered, "nl-rocm-10", quote, quote.replace("bracht", "heeft").replace("uit op", "uitgebracht op"))
    other = claims["en-platform-examples.anthropic-deal-size"].quote
    rewrite(altered, "en-platform-examples", other, "")
    next(altered.glob("articles/*/zh-gpu-market-share.md")).unlink()
    found = states(altered)
    assert found["nl-rocm-10.release-date"].state == "QUOTE_GONE"
    assert "still stands" in found["nl-rocm-10.release-date"].note
    assert found["en-platform-examples.anthropic-deal-size"].state == "QUOTE_GONE"
    gone = {id_ for id_, one in found.items() if one.state == "SOURCE_GONE"}
    assert gone == {id_ for id_ in claims if id_.startswith("zh-gpu-market-share.")}


def test_a_row_that_was_taken_out_is_gone_and_no_other_cards_row_stands_in_for_it() -> None:
    corpus = load_corpus(ROOT / "corpus")
    wrong, changed, seen = [], [], 0
    for claim in corpus.claims.values():
        article = corpus.articles[corpus.article_of[claim.id]]
        if not claim.quote.startswith("|") or not isinstance(claim.value, Decimal):
            continue
        seen += 1
        others = [one.quote for one in corpus.claims.values() if one.quote != claim.quote and one.quote in article.body]
        without = article.model_copy(update={"body": article.body.replace(claim.quote, "")})
        found = find_anchor(claim, without, others)
        if found is not None:
            wrong.append((claim.id, found.quote))
        figure = next(q for q in read_quantities(claim.quote, article.language) if q.value == claim.value)
        written = other_writing(figure.text, claim.value, article.language)
        quote = claim.quote[: figure.start] + written + claim.quote[figure.end :]
        other = article.model_copy(update={"body": article.body.replace(claim.quote, quote)})
        found = find_anchor(claim, other, others)
        if found is None or found.holds_value or found.says != written:
            changed.append((claim.id, found))
    assert seen > 30
    assert wrong == []
    assert changed == []


@pytest.mark.parametrize(
    ("now", "state"),
    [
        ("The H200 has 141 GB of memory.", "QUOTE_GONE"),
        ("The H100 has 96 GB of memory.", "VALUE_CHANGED"),
        ("The H100 has 3.35 TB/s of memory.", "QUOTE_GONE"),
        ("The H100 NVL has 94 GB of memory.", "QUOTE_GONE"),
        ("In memory the H100 has 80 GB.", "QUOTE_GONE"),
    ],
)
def test_a_sentence_on_another_card_or_another_property_is_no_later_wording(
    altered: Path, now: str, state: str
) -> None:
    quote = "The H100 has 80 GB of memory."
    article = read_article(next(altered.glob("articles/*/nl-accelerator-geheugen.md")))
    claim = load_corpus(altered).claims["nl-accelerator-geheugen.h100-sxm-memory"].model_copy(update={"quote": quote})
    anchor = find_anchor(claim, article.model_copy(update={"body": f"## Cards\n\n{now}\n", "language": "en"}))
    assert ("QUOTE_GONE" if anchor is None or anchor.holds_value else "VALUE_CHANGED") == state


def test_words_that_were_moved_to_another_article_are_found_there(altered: Path) -> None:
    claim = load_corpus(altered).claims["nl-rocm-10.release-date"]
    rewrite(altered, "nl-rocm-10", claim.quote, "")
    rewrite(altered, "nl-accelerator-geheugen", "\n## ", f"\n{claim.quote}\n\n## ")
    found = states(altered)[claim.id]
    assert (found.state, "nl-accelerator-geheugen" in found.note) == ("QUOTE_GONE", True)


def test_claims_removed_with_their_article_are_still_missed(altered: Path) -> None:
    next(altered.glob("articles/*/zh-gpu-market-share.md")).unlink()
    (altered / "claims" / "zh-gpu-market-share.yaml").unlink()
    assert states(altered)["zh-gpu-market-share.nvidia-share"].state == "SOURCE_GONE"


def test_an_article_that_cannot_be_read_leaves_its_claims_unchecked(altered: Path) -> None:
    next(altered.glob("articles/*/nl-rocm-10.md")).write_bytes(b"---\nid: nl-rocm-10\n---\n\xff\xfe")
    assert states(altered)["nl-rocm-10.release-date"].state == "NOT_CHECKED"


def test_time_makes_prices_old_and_leaves_memory_sizes_alone() -> None:
    def expired(day: date) -> set[str]:
        return {one.id for one in standings(ROOT / "corpus", day) if one.state == "EXPIRED"}

    # Prices of September 2026 count as fresh for thirty days after the month.
    assert PRICE not in expired(date(2026, 10, 30))
    assert PRICE in expired(date(2026, 10, 31))
    later = expired(DAY + timedelta(days=180))
    assert expired(DAY) < later
    assert "zh-gpu-market-share.nvidia-share" in later
    assert "nl-accelerator-geheugen.h100-sxm-memory" not in later


def test_travelling_in_time_from_the_command_line() -> None:
    def run(*options: str) -> tuple[int, str]:
        result = CliRunner().invoke(gpu_assistant, ["sources", "check", *options])
        return result.exit_code, result.output

    share = "zh-gpu-market-share.nvidia-share"
    status, output = run("--as-of", "2026-12-20")
    assert status == 0
    assert f"EXPIRED       {PRICE}" in output
    assert f"EXPIRED       {share}" not in output
    status, output = run("--as-of", "2026-12-20", "--in", "365d")
    assert status == 0
    assert f"EXPIRED       {share}" in output
    assert run("--as-of", "2026-12-20", "--fail-on", "EXPIRED")[0] == 1


@pytest.mark.parametrize("command", [("check",), ("diff", str(ROOT / "corpus"))])
def test_a_clock_before_the_newest_source_is_refused(command: tuple[str, ...]) -> None:
    result = CliRunner().invoke(gpu_assistant, ["sources", *command, "--as-of", "2020-01-01"])
    assert isinstance(result.exception, InvalidInput)
    assert "The clock is 2020-01-01, before" in str(result.exception)


def test_history_does_not_go_out_of_date_and_a_price_of_the_same_month_does() -> None:
    far = {one.id: one.state for one in standings(ROOT / "corpus", date(2036, 1, 1))}
    claims = load_corpus(ROOT / "corpus").claims
    assert {far[id_] for id_, claim in claims.items() if claim.lasting} == {"FRESH"}
    assert far["da-rocm-radeon.linux-2024"] == "FRESH"
    assert "EXPIRED" not in {state for id_, state in far.items() if id_.startswith("support.rocm.amd-mi25.")}
    assert far[PRICE] == "EXPIRED"


def test_a_wrong_day_is_one_clear_line() -> None:
    result = CliRunner().invoke(gpu_assistant, ["sources", "check", "--in", "soon"])
    assert isinstance(result.exception, InvalidInput)
    assert "90d" in str(result.exception)


def test_two_editions_are_compared_by_value_and_what_rests_on_it(altered: Path) -> None:
    rewrite(altered, PRICES, "| Lambda | 3,99 dollar |", "| Lambda | 4,29 dollar |")
    result = CliRunner().invoke(
        gpu_assistant, ["--corpus", str(altered), "sources", "diff", str(ROOT / "corpus"), str(altered), "--json"]
    )
    assert result.exit_code == 1
    found = json.loads(result.output)
    assert [(c["id"], c["old"], c["new"]) for c in found["claims"]] == [(PRICE, "3.99 USD/h", "4,29 dollar")]
    assert found["claims"][0]["rows"] == ["price.nvidia-h100-sxm.lambda.2"]
    assert found["cases"]["h100-sxm-lambda"] == ["nl", "da", "zh", "en"]
    assert "h100-sxm-memory" not in found["cases"]


def test_a_corrected_claim_is_a_change_of_value_and_breaks_nothing(altered: Path) -> None:
    rewrite(altered, PRICES, "| Lambda | 3,99 dollar |", "| Lambda | 4,29 dollar |")
    path = altered / "claims" / f"{PRICES}.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("3.99", "4.29").replace("3,99", "4,29"), encoding="utf-8")
    changes = changes_between(ROOT / "corpus", altered, DAY)
    assert not changes.broken
    change = next(c for c in changes.claims if c.id == PRICE)
    assert (change.change, change.old, change.new) == ("value", "3.99 USD/h", "4.29 USD/h")


def test_an_edition_is_a_folder_or_a_revision_and_nothing_else(altered: Path, tmp_path: Path) -> None:
    for name in ("no-such-revision", "--output=x", str(tmp_path)):
        result = CliRunner().invoke(gpu_assistant, ["--corpus", str(altered), "sources", "diff", name])
        assert result.exception is not None
        assert getattr(result.exception, "exit_status", 2) in (2, 3)


def test_a_new_edition_keeps_the_old_one_anchors_what_moved_and_lists_what_to_decide(
    altered: Path, tmp_path: Path
) -> None:
    article = next(altered.glob(f"articles/*/{PRICES}.md"))
    body = read_article(article).body
    new = body.replace("| Lambda | 3,99 dollar |", "| Lambda | 4,29 dollar |").replace('"deploy"', "“deploy”")
    file = tmp_path / "new.md"
    file.write_text(new, encoding="utf-8")
    before = article.read_text(encoding="utf-8")
    update = update_source(PRICES, file, altered)
    assert [(item.id, item.old, item.found) for item in update.undecided] == [(PRICE, "3.99 USD/h", "4,29 dollar")]
    assert len(update.anchored) == 1
    kept = (altered / update.kept_as).read_text(encoding="utf-8")
    assert body.strip() in kept
    assert article.read_text(encoding="utf-8").startswith(before[: before.index("---\n", 4)])
    problems = check_corpus(altered).problems
    assert {problem.id for problem in problems} == {PRICE}
    with pytest.raises(InvalidInput, match="same text"):
        update_source(PRICES, file, altered)
