"""Passages: what they keep whole, where they say they stand, and what language they are in."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.knowledge.article import Article
from assistant.language.sentences import sentence_spans
from assistant.language.tongue import Language
from assistant.retrieval.passage import MAX_PART_TOKENS, TARGET_TOKENS, Passage, estimated_tokens, split_article

TABLE = "\n".join(
    [
        "| Kort | Hukommelse | Pris |",
        "|---|---|---|",
        *(f"| Kort nummer {n} | {n * 8} GB | {n},50 kr. |" for n in range(1, 31)),
    ]
)
BODY = f"""Indledningen står før den første overskrift og fortæller, hvad artiklen handler om.

## Priser

Tabellen viser opdigtede priser.

{TABLE}

Efter tabellen kommer en sætning mere.

### Sådan gør man

1. Find kortet.
2. Tjek prisen, f.eks. på nettet.

```python
import torch

# ikke en overskrift
print(torch.__version__)
```

## Uden tekst

## Slut

{"En sætning, der gentages, fylder afsnittet op, så det må deles. " * 20}
"""


def article(body: str, language: Language = "da") -> Article:
    return Article(id="prices", title="Priser på kort", language=language, kind="guide", body=body.strip() + "\n")


def passages(body: str = BODY, language: Language = "da") -> list[Passage]:
    return split_article(article(body, language))


def test_offsets_give_back_the_text_of_a_passage() -> None:
    body = article(BODY).body
    for passage in passages():
        assert passage.text.endswith(body[passage.start : passage.end])


def test_no_words_of_the_body_are_lost_and_none_are_doubled() -> None:
    body = article(BODY).body
    spans = [(passage.start, passage.end) for passage in passages()]
    assert spans == sorted(spans)
    assert all(end <= following for (_, end), (following, _) in pairwise(spans))
    left = "".join(
        body[end:start] for (_, end), (start, _) in zip([(0, 0), *spans], [*spans, (len(body), 0)], strict=True)
    )
    without_headings = re.sub(r"^#.*$", "", left, flags=re.MULTILINE)
    assert not re.sub(r"[\s|`-]|python|Kort|Hukommelse|Pris", "", without_headings)


def test_a_passage_stays_within_the_target() -> None:
    assert max(estimated_tokens(passage.text) for passage in passages()) <= TARGET_TOKENS * 1.1


def test_every_table_row_stands_in_one_passage_with_the_header_and_its_section() -> None:
    tables = [passage for passage in passages() if "GB" in passage.text]
    assert len(tables) > 1
    for number in range(1, 31):
        row = f"| Kort nummer {number} | {number * 8} GB | {number},50 kr. |"
        [holder] = [passage for passage in tables if row in passage.text]
        assert holder.text.startswith("| Kort | Hukommelse | Pris |\n|---|---|---|\n")
        assert holder.section == "Priser"
        assert "Priser på kort — Priser" in holder.embedded_text


def test_sentences_stay_whole() -> None:
    for passage in passages():
        if passage.section == "Slut":
            assert re.fullmatch(
                r"(?:En sætning, der gentages, fylder afsnittet op, så det må deles\.\s*)+", passage.text
            )


def test_a_comment_in_program_text_is_no_heading() -> None:
    assert "ikke en overskrift" not in {passage.section for passage in passages()}
    assert any("# ikke en overskrift" in passage.text for passage in passages())


def test_text_before_the_first_heading_is_under_the_title() -> None:
    assert passages()[0].section == "Priser på kort"


def test_a_half_english_article_in_chinese_has_passages_of_both_languages() -> None:
    body = """## 内存

这块加速卡配备 192GB 的 HBM3 内存，适合需要在单个加速器上容纳更大模型的工作负载。

## Use Equivalent Test Conditions

A meaningful comparison should use the same model, the same data and the same precision on both cards.
"""
    assert [passage.language for passage in passages(body, "zh")] == ["zh", "en"]


def test_a_table_of_names_is_in_the_language_of_its_article() -> None:
    body = "| Generatie | gfx-target | Instinct-kaarten |\n|---|---|---|\n| CDNA | gfx908 | MI100 |"
    assert [passage.language for passage in passages(body, "nl")] == ["nl"]


def test_a_sentence_longer_than_the_engines_window_is_cut() -> None:
    found = passages("woord " * 3000, "nl")
    assert max(estimated_tokens(passage.text) for passage in found) <= MAX_PART_TOKENS * 1.2
    assert sum(passage.text.count("woord") for passage in found) == 3000
    assert len(passages("字" * 5000, "zh")) > 5


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("De kaart kost ca. 3,50 euro. Dat is veel.", 2),
        ("Det koster f.eks. 5 kr. i timen. Er det dyrt?", 2),
        ("The card draws 1.5 kW. It has 8.0 TB/s.", 2),
        ("显存为 192GB。带宽是 5.3 TB/s！对吗？", 3),
        ("It runs ROCm 10.0.0 on Linux", 1),
        ("", 0),
    ],
)
def test_sentences_end_where_a_reader_sees_them_end(text: str, sentences: int) -> None:
    assert len(list(sentence_spans(text))) == sentences


@given(st.text(alphabet=st.sampled_from("ab .!?。\n|#-`1*字é\t"), max_size=400))
def test_any_markdown_is_split_without_losing_its_place(body: str) -> None:
    whole = article(f"{body}\nslut")
    for passage in split_article(whole):
        assert passage.text.endswith(whole.body[passage.start : passage.end])
        assert passage.text.strip()


@given(st.text(max_size=300))
def test_sentence_spans_cover_all_but_white_space(text: str) -> None:
    spans = list(sentence_spans(text))
    assert re.sub(r"\s", "", "".join(text[start:end] for start, end in spans)) == re.sub(r"\s", "", text)
