"""The cue words of corpus/phrases/question-words.yaml, and how cues are found in a text."""

import re
from functools import cached_property, lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from assistant.knowledge.schema import read_yaml
from assistant.language.mention import folded
from assistant.language.tongue import Language

Cues = dict[Language, tuple[str, ...]]


class QuestionWords(BaseModel):
    """Cue words per language, by what they show that a question wants."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    interrogative: Cues
    asker: Cues
    """Words with which people begin to tell of themselves."""
    conjunction: Cues
    amount: Cues
    """Words that ask for a figure, whatever of."""
    percentage: Cues
    """Words that ask for a part of a hundred."""
    why: Cues
    polar: Cues
    """Words that open a question answered with yes or no; in Chinese anywhere in it."""
    alternative: Cues
    """Words between two things of which the question asks for one."""
    buy: Cues
    judgement: Cues
    """Words with which "when" asks under which circumstances, not on which day."""
    cards: Cues
    """What cards are called where a question asks which of them have something."""
    inclusive: Cues
    """Words by which the figure of a limit is within it: "or more"."""
    comparison: Cues
    most: Cues
    least: Cues
    more: Cues
    """Words by which one thing is said to have more of something than another."""
    less: Cues
    list: Cues
    somebody: Cues
    """Words that ask for a company or a person by what they do."""
    when: Cues
    """Words that ask for a time; without one, a word such as "production" or "ship" asks for none."""
    renting: Cues
    """Words of renting that a question for a price may do without: "what should I check before renting"."""
    fit: Cues
    """Words of running a model and of the memory that takes."""
    holds: Cues
    """Words that ask whether something goes into a card, which can't be told without knowing what."""
    throughput: Cues
    train: Cues
    rent: Cues
    tokens: Cues
    definition: Cues
    besides: Cues
    """Words before what is known already or left out: what follows them isn't asked for."""
    correction: Cues
    """Words with which an earlier question is put right, or something else is to be assumed."""
    follow_up: Cues
    pronoun: Cues
    filler: Cues
    """Words that may open any question and say nothing of what it wants."""
    everyday: Cues
    """Names that may stand in any question, whatever the sources speak of."""
    domain: Cues
    """Words of the subject itself."""
    shared_domain: Cues
    """Those of them that other subjects use too: one trains for a marathon as well."""

    @cached_property
    def said_anywhere(self) -> frozenset[str]:
        """Everyday names and words of the subject of all languages, folded."""
        cues = (*self.everyday.values(), *self.domain.values())
        return frozenset(folded(word) for words in cues for word in words)

    def leaves_a_choice(self, text: str, language: Language) -> bool:
        """True where a text (in lower case) names renting and buying as alternatives."""
        return all(find_cue(text, cues[language]) for cues in (self.alternative, self.rent, self.buy))

    def is_bare(self, cue: str, language: Language) -> bool:
        """True for a cue that is nothing but question words: "when is"."""
        return all(word in self.interrogative[language] for word in cue.split())

    def only_measures(self, text: str, language: Language) -> bool:
        """True for a text (in lower case) that asks how much, or how much more, and says nothing of what."""
        if find_cue(text, self.amount[language]) is None:
            return False
        said = (self.amount, self.more, self.less, self.conjunction, self.filler)
        for cue in sorted((cue for cues in said for cue in cues[language]), key=len, reverse=True):
            text = cue_pattern(cue).sub(" ", text)
        return re.search(r"\w", text) is None

    def set_aside(self, text: str, language: Language) -> tuple[tuple[int, int], ...]:
        """Where a text (in lower case) names what it doesn't ask for.

        That is what stands behind "besides", and a saying such as "worth it", which asks for no worth in money.
        """
        cues = [match for cue in self.besides[language] for match in cue_pattern(cue).finditer(text)]
        left_out = [(cue.end(), end.start()) for cue in cues if (end := _ASIDE_ENDS.search(text, cue.end()))]
        sayings = (cue for cue in self.judgement[language] if " " in cue)
        return (*left_out, *(match.span() for cue in sayings for match in cue_pattern(cue).finditer(text)))

    def asks_yes_or_no(self, text: str, language: Language) -> bool:
        """True for a question (in lower case) that a yes or a no answers."""
        if find_cue(text, self.alternative[language]):
            return False
        if language == "zh":
            return find_cue(text, self.polar[language]) is not None
        opening = next((word for word in re.findall(r"[^\W_]+", text) if word not in self.filler[language]), "")
        others = tuple(word for word in self.interrogative[language] if word not in self.polar[language])
        return opening in self.polar[language] and find_cue(text, others) is None


def read_question_words(path: Path) -> QuestionWords:
    return read_yaml(path, QuestionWords)


_ASIDE_ENDS = re.compile(r"[,;:?!，；：。？！]|[.](?!\d)|之外|以外|还|\Z")
_BETWEEN_SCRIPTS = re.compile(r"(?<=[\u3400-\u9fff])(?=[0-9a-z])|(?<=[0-9a-z])(?=[\u3400-\u9fff])")
_LATIN = r"0-9A-Za-z_\u00c0-\u024f"


@lru_cache(maxsize=4096)
def cue_pattern(cue: str) -> re.Pattern[str]:
    """Whole words for alphabetic cues, with the endings of compounds; anywhere in a text for Chinese."""
    escaped = re.escape(cue).replace(r"\ ", r"\s+")
    if re.search(r"[\u3400-\u9fff]", cue):
        # Between a Chinese character and a Latin word a space may be written or not: 多少块gpu, 多少块 GPU.
        return re.compile(_BETWEEN_SCRIPTS.sub(r"\\s*", escaped))
    # Dutch and Danish glue words together: 'bandbreedte' also stands at the end of 'geheugenbandbreedte'. A Chinese
    # character beside a Latin word is no part of it.
    left = rf"(?<![{_LATIN}])" if len(cue) < 6 else "(?<![A-Z0-9])"
    return re.compile(rf"{left}{escaped}(?![{_LATIN}])")


_DANISH_ENDINGS = "(?:e?(?:n|t|r|ne|rne)s?|es?|s)?"
"""The article, the plural and the genitive are endings: kapaciteten, kapacitetens, andele, andelene."""
_ENDS_FROM = 6
"""Letters from which a word takes endings; a shorter one with them is too often another word."""


@lru_cache(maxsize=4096)
def noun_pattern(cue: str, language: Language) -> re.Pattern[str]:
    """As `cue_pattern`, for a word of a thing's property: in Danish also with the endings that nouns take."""
    plain = cue_pattern(cue)
    if language != "da" or len(cue) < _ENDS_FROM or not cue[-1].isalpha():
        return plain
    stem, _, behind = plain.pattern.rpartition("(?!")
    return re.compile(f"{stem}{_DANISH_ENDINGS}(?!{behind}")


def find_cue(text: str, cues: tuple[str, ...]) -> re.Match[str] | None:
    """The longest of the cues that stands in `text` (which must be lower case)."""
    found = [match for cue in cues if (match := cue_pattern(cue).search(text))]
    return max(found, key=lambda match: match.end() - match.start(), default=None)


def outermost(spans: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """The spans that lie in no longer one; time is that of sorting them."""
    kept: set[tuple[int, int]] = set()
    reached = -1
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end > reached:
            kept.add((start, end))
            reached = end
    return kept
