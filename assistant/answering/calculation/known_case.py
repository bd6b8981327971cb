"""What sources say of the very case that was calculated: tried, measured or settled by those who asked before."""

from assistant.answering.composing.disclosure import caveats, disputes
from assistant.answering.composing.narrator import Narrator
from assistant.answering.draft import Block, Draft
from assistant.answering.evidence import AskEvidence

# Standard deviations above the mean: what speaks of the same case lies from 6.0 up, of another case on the same card
# below 5.9 (evals/dialogues/threads.yaml and the sizing questions of evals/questions).
_SAME_CASE = 6.0
# Of a model alone more is said: fine-tuning it lies as near as holding it does.
_SAME_CASE_OF_A_MODEL = 7.0
_MOST = 2


def known_cases(part: AskEvidence, voice: Narrator) -> Draft | None:
    """Facts that belong beside a memory calculation for what is named; None where no source has the case."""
    kinds = {voice.corpus.entities[id_].kind for id_ in part.entities}
    if not kinds & {"gpu", "model"} or not any(made.run.tool == "fit" for made in part.calculations):
        return None
    same = _SAME_CASE if "gpu" in kinds else _SAME_CASE_OF_A_MODEL
    near = sorted((r for r in part.facts if r.meaning >= same), key=lambda r: -r.meaning)
    facts = [ranked.fact for ranked in near[:_MOST]]
    if not facts:
        return None
    told, disagreements = disputes(facts, voice)
    labels, notes = caveats(facts, voice)
    sentences = (*(voice.statement(fact) for fact in facts), *disagreements, *notes)
    return Draft(
        status="answered",
        blocks=(Block(kind="paragraph", sentences=sentences),),
        disputes=tuple(told),
        caveats=tuple(labels),
    )
