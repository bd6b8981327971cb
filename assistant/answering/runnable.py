"""The assistant as a LangChain Runnable: a question or its text in, the verified answer out."""

from langchain_core.runnables import Runnable, RunnableLambda

from assistant.answering.answer import Answer
from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question


def as_runnable(assistant: Assistant) -> Runnable[Question | str, Answer]:
    """A chain that LangChain users can pipe, batch and stream like any other."""

    def answer(question: Question | str) -> Answer:
        return assistant.answer(Question(text=question) if isinstance(question, str) else question)

    return RunnableLambda(answer, name="gpu-assistant")
