"""`gpu-assistant search`: the passages that fit a question, in every language."""

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from assistant.errors import InvalidInput
from assistant.printable import json_line
from assistant.retrieval.search import MAX_RESULTS, SearchResult
from assistant.settings import Settings


@click.command()
@click.argument("question", required=False)
@click.option("--questions", type=click.Path(path_type=Path), help="JSON Lines file with id, question and history.")
@click.option(
    "--top-k", default=10, show_default=True, type=click.IntRange(1, MAX_RESULTS), help="Passages a question."
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object a question.")
@click.pass_obj
def command(settings: Settings, question: str | None, questions: Path | None, top_k: int, as_json: bool) -> None:
    """Find the passages that fit a question best, whatever language they are in."""
    from assistant.answering.evidence import Question
    from assistant.interfaces.commands.ask import read_questions
    from assistant.knowledge.corpus import hash_of_texts
    from assistant.language.detection import detect_language
    from assistant.retrieval.embedding import load_engine
    from assistant.retrieval.index import open_index
    from assistant.retrieval.reranking import open_reranker

    if (question is None) == (questions is None):
        raise InvalidInput("Give one question, or a file of them with --questions.")
    asked = read_questions(questions) if questions else iter([Question(text=question or "")])
    index = open_index(
        settings.index,
        load_engine(settings),
        corpus_hash=hash_of_texts(settings.corpus),
        chroma_url=settings.chroma_url,
    )
    reranker = open_reranker(settings.reranker, settings.embedding_device) if settings.reranker else None
    for item in asked:
        language = item.language or detect_language(item.text, item.history)
        results = index.search(item.text, language=language, top_k=top_k, reranker=reranker)
        click.echo(_as_json(item.id, results) if as_json else _readable(results))
        sys.stdout.flush()


def _as_json(question_id: str | None, results: Iterable[SearchResult]) -> str:
    from assistant.retrieval.hit import Hit

    rows = [Hit.of(result).model_dump() for result in results]
    return json_line({"id": question_id, "results": rows})


def _readable(results: list[SearchResult]) -> str:
    if not results:
        return "Nothing found."
    lines = []
    for rank, result in enumerate(results, 1):
        passage = result.passage
        lines.append(f"{rank:2}. {passage.title} › {passage.section}  ({passage.language}, {result.score:.2f})")
        lines.extend(f"    {line}" for line in passage.text.splitlines() if line.strip())
    return "\n".join(lines)
