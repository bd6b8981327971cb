"""Where a question falls into parts that each ask something."""

import re

from assistant.language.question_words import QuestionWords, find_cue
from assistant.language.sentences import ends_in_abbreviation
from assistant.language.tongue import Language


class ClauseCutter:
    """Cuts questions at sentence ends, and at conjunctions with a question on either side."""

    def __init__(self, words: QuestionWords) -> None:
        self._words = words

    def cut(self, question: str, language: Language) -> list[str]:
        """The parts of a question, each with the words that lead up to it; the question itself where it has none."""
        clauses: list[str] = []
        for sentence in self._sentences(question, language):
            start = 0
            for conjunction in self._joints(sentence, language):
                left, right = sentence[start : conjunction.start()], sentence[conjunction.end() :]
                if not self._tells(left, language, anywhere=True) and self._asks_itself(right, language, opening=True):
                    clauses.append(left)
                    start = conjunction.end()
            clauses.append(sentence[start:])
        return self._with_bare_ones(clauses, language) or [question]

    def _with_bare_ones(self, clauses: list[str], language: Language) -> list[str]:
        """The clauses, one of question words alone with the next, as in "how much and what kind of memory"."""
        cues = (*self._words.amount[language], *self._words.interrogative[language])
        askers = {word for cue in cues for word in cue.split()}
        joined: list[str] = []
        bare = ""
        for clause in clauses:
            lowered = clause.casefold()
            words = [lowered.strip()] if language == "zh" else re.findall(r"[^\W_]+", lowered)
            if words and all(word in askers for word in words):
                bare += f"{clause.strip()} "
            else:
                joined.append(bare + clause)
                bare = ""
        return [*joined, bare] if bare else joined

    def _sentences(self, question: str, language: Language) -> list[str]:
        """The sentences that ask; one that only tells something stands before the question it leads up to."""
        pieces: list[str] = []
        for piece in re.split(r"(?<=[?？！!；;\n])\s*|(?<=[.。])\s+(?![a-zæøå])", question):
            if pieces and ends_in_abbreviation(pieces[-1]):
                pieces[-1] += f" {piece}"
            elif piece.strip():
                pieces.append(piece)
        sentences: list[str] = []
        lead = ""
        for place, piece in enumerate(pieces):
            tells = "?" not in piece and "？" not in piece and self._tells(piece, language)
            if tells and place < len(pieces) - 1:
                lead += f"{piece} "
                continue
            if tells and sentences and not lead and "?" in sentences[-1].replace("？", "?"):
                # What is told behind a question is what it asks about, unless it asks for something more.
                sentences[-1] += f" {piece}"
                continue
            sentences.append(lead + piece)
            lead = ""
        return sentences

    def _tells(self, clause: str, language: Language, *, anywhere: bool = False) -> bool:
        """True for a clause without a question word at its beginning: "I have" says something, "have I" asks.

        With `anywhere`, a question word asks wherever it stands.
        """
        opening, _, rest = clause.casefold().strip().partition(" ")
        if language != "zh" and opening in self._words.asker[language]:
            return find_cue(rest.partition(" ")[2], self._words.interrogative[language]) is None
        return not self._asks_itself(clause, language, opening=not anywhere)

    def _joints(self, sentence: str, language: Language) -> list[re.Match[str]]:
        words = "|".join(re.escape(word) for word in self._words.conjunction[language])
        if language == "zh":
            return list(re.finditer(rf"(?:{words}|,)+", sentence))
        return list(re.finditer(rf"\s*(?:,\s*(?:{words})?|\s(?:{words}))\s+", sentence, re.IGNORECASE))

    def _asks_itself(self, clause: str, language: Language, *, opening: bool = False) -> bool:
        """True where the clause has a question word (near its beginning, where it follows a conjunction).

        A verb that only ends it asks for the whole sentence: "the H200 and MI300X have?".
        """
        text = clause.casefold()
        if not opening or language == "zh":
            return find_cue(text, self._words.interrogative[language]) is not None
        words = text.split()
        asker = find_cue(" ".join(words[:2]), self._words.interrogative[language])
        return asker is not None and (asker.start() == 0 or len(words) > 2)
