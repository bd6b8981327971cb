"""Evidence -> verified answer with a language model that writes the prose."""

from collections.abc import Iterator, Sequence

from langchain_core.messages import AIMessageChunk, BaseMessage, HumanMessage, SystemMessage
from langchain_core.tools import BaseTool

from assistant.answering.answer import Answer, ToolRun
from assistant.answering.composing.completing import complete
from assistant.answering.composing.narrator import Library, Narrator
from assistant.answering.draft import Block, Draft, Sentence, finish
from assistant.answering.evidence import Evidence
from assistant.answering.verification.carrier import CarrierBuilder
from assistant.answering.verification.evidence_set import EvidenceSet, subjects_of
from assistant.answering.verification.verifier import Verifier
from assistant.answering.verified_text import VerifiedText
from assistant.answering.writing.endpoint import Endpoint
from assistant.answering.writing.numbered_evidence import NumberedEvidence, compared_things, number_evidence
from assistant.answering.writing.prompt import question_message, system_message
from assistant.answering.writing.sentence_stream import Piece, SentenceStream
from assistant.answering.writing.tool_calls import ToolSource, call_tool
from assistant.errors import EndpointUnavailable
from assistant.knowledge.fact import Fact
from assistant.language.mention import NameReader
from assistant.language.sentences import sentence_spans
from assistant.settings import Settings

_MOST_TOOL_ROUNDS = 2
_MOST_CALLS_A_ROUND = 3


class DraftWriter:
    """Lets a language model write from numbered evidence, and shows only what that evidence carries.

    `tools` gives the LangChain tools that the model may call besides; their results join the evidence.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        library: Library,
        names: NameReader,
        facts: Sequence[Fact],
        tools: ToolSource = lambda language: (),
    ) -> None:
        self._endpoint = endpoint
        self._library = library
        self._builder = CarrierBuilder(library.corpus, names)
        self._verifier = Verifier(library.corpus, self._builder.reader, facts)
        self._tools = tools

    @property
    def model(self) -> str:
        return self._endpoint.model

    def write(self, evidence: Evidence, composed: Draft, frame: Answer, voice: Narrator) -> Iterator[str | Answer]:
        """The verified text each time there is more of it, then the answer.

        Where the endpoint fails or gives nothing usable, the answer is the composed one, and says so.
        """
        numbered = number_evidence(evidence, composed, self._library)
        if numbered.is_empty or composed.status not in ("answered", "partly_answered"):
            yield finish(composed, frame)
            return
        messages = self._messages(evidence, numbered, voice)
        # The model reads its prompt while the evidence is made ready to verify with.
        tools = self._tools(voice.language)
        opened = self._endpoint.stream(messages, tools)
        written = self.begin(evidence, numbered, voice)
        added: list[ToolRun] = []
        failed = False
        try:
            for piece in self._pieces(opened, messages, tools, voice, written, added):
                if written.add(piece):
                    yield written.text
                if written.is_looping:
                    break
        except EndpointUnavailable:
            failed = True
        if not written.text:
            yield finish(without_model(composed, written.withheld, voice), frame)
            return
        answer = complete(written, evidence, frame, voice, self.model if written.verified else None)
        if failed or not written.verified:
            note = voice.say("model_stopped" if written.verified else "model_failed")
            answer = answer.model_copy(update={"text": f"{answer.text}\n\n{note}"})
        yield answer.model_copy(update={"tool_runs": (*answer.tool_runs, *added)})

    def begin(self, evidence: Evidence, numbered: NumberedEvidence, voice: Narrator) -> VerifiedText:
        """The text, still empty, of a draft that is verified against this evidence."""
        entities = [id_ for part in evidence.parts for id_ in part.entities]
        return VerifiedText(
            self._verifier,
            self._builder.reader,
            self._evidence_set(evidence, numbered, voice),
            subjects_of(entities, self._library.corpus),
            voice,
        )

    def _evidence_set(self, evidence: Evidence, numbered: NumberedEvidence, voice: Narrator) -> EvidenceSet:
        language = voice.language
        carriers = [self._builder.of_fact(fact, language) for fact in numbered.facts]
        for calculation in numbered.calculations:
            carriers += self._builder.of_calculation(calculation, language)
        for passage in numbered.passages:
            sentences = [passage.text[start:end] for start, end in sentence_spans(passage.text)]
            carriers += self._builder.of_passage(passage, sentences, language)
        return EvidenceSet(
            language=language, carriers=tuple(carriers), compared=compared_things(evidence, self._library)
        )

    # --- the model's side --------------------------------------------------------------------------------------------

    def _messages(self, evidence: Evidence, numbered: NumberedEvidence, voice: Narrator) -> list[BaseMessage]:
        question = evidence.question
        return [
            SystemMessage(system_message(numbered, voice)),
            HumanMessage(question_message(question.text, question.history, voice)),
        ]

    def _pieces(
        self,
        opened: Iterator[AIMessageChunk],
        messages: list[BaseMessage],
        tools: Sequence[BaseTool],
        voice: Narrator,
        written: VerifiedText,
        added: list[ToolRun],
    ) -> Iterator[Piece]:
        """Pieces of the draft as they are complete; calls of tools are answered in between."""
        for round_ in range(1, _MOST_TOOL_ROUNDS + 2):
            whole: AIMessageChunk | None = None
            stream = SentenceStream()
            try:
                for chunk in opened:
                    whole = chunk if whole is None else whole + chunk
                    yield from stream.feed(chunk.text)
            except EndpointUnavailable:
                yield from stream.finish(cut_off=True)
                raise
            yield from stream.finish(cut_off=_was_cut_off(whole))
            calls = whole.tool_calls[:_MOST_CALLS_A_ROUND] if whole is not None else []
            if whole is None or not calls or round_ > _MOST_TOOL_ROUNDS:
                return
            messages.append(whole)
            for call in calls:
                message, calculation = call_tool(call, tools, voice.language)
                messages.append(message)
                if calculation is not None:
                    added.append(calculation.run)
                    written.extend(self._builder.of_calculation(calculation, voice.language))
            opened = self._endpoint.stream(messages, tools if round_ < _MOST_TOOL_ROUNDS else ())


def _was_cut_off(whole: AIMessageChunk | None) -> bool:
    """True where the server didn't say that the answer was finished."""
    return whole is None or whole.response_metadata.get("finish_reason") not in ("stop", "tool_calls")


def without_model(composed: Draft, withheld: int, voice: Narrator) -> Draft:
    """The composed draft with a note that the model gave nothing usable, and how much of it was left out."""
    notes = [Sentence(text=voice.say("model_failed"))]
    if withheld:
        notes.append(Sentence(text=voice.say("withheld", count=str(withheld))))
    return composed.model_copy(update={"blocks": (*composed.blocks, Block(kind="paragraph", sentences=tuple(notes)))})


def open_writer(
    settings: Settings,
    library: Library,
    names: NameReader,
    facts: Sequence[Fact],
    tools: ToolSource = lambda language: (),
) -> DraftWriter | None:
    """The writer that the settings name; None where answers are composed."""
    if settings.llm_model is None:
        return None
    endpoint = Endpoint.of(settings, settings.llm_model)
    return DraftWriter(endpoint, library, names, facts, tools)
