"""Any part can be used from LangChain: the retriever, the tools, the whole."""

from datetime import date

from assistant.answering.assistant import Assistant
from assistant.answering.runnable import as_runnable
from assistant.retrieval.retriever import PassageRetriever
from assistant.settings import Settings
from assistant.tools.toolbox import langchain_tools

TODAY = date(2026, 11, 30)


def test_the_whole_is_a_runnable(assistant: Assistant) -> None:
    chain = as_runnable(assistant) | (lambda answer: answer.text)
    assert "288 GB" in chain.invoke("How much memory does the MI355X have?")
    assert len(chain.batch(["Wat kost een B200?", "MI300X 的显存是多少？"])) == 2


def test_the_retriever_finds_passages_in_other_languages(assistant: Assistant) -> None:
    found = PassageRetriever(index=assistant.index, top_k=5).invoke("When did AMD launch the MI455X?")
    assert {document.metadata["language"] for document in found} & {"da", "nl", "zh"}
    assert any("MI455X" in document.page_content for document in found)


def test_tools_give_a_text_and_the_exact_result(assistant: Assistant, settings: Settings) -> None:
    tools = {tool.name: tool for tool in langchain_tools(assistant.corpus, settings.corpus, TODAY)}
    call = {"name": "fit", "args": {"model": "Llama 3.3 70B", "gpu": "H100 SXM"}, "id": "1", "type": "tool_call"}
    message = tools["fit"].invoke(call)
    assert message.artifact.verdict == "does_not_fit"
    assert message.content.startswith("No")
    call = {"name": "rent", "args": {"gpu": "H100 PCIe", "gpus": 2, "hours": 10}, "id": "2", "type": "tool_call"}
    assert (
        tools["rent"].invoke(call).artifact.total.low
        == 2 * 10 * tools["rent"].invoke(call).artifact.offers[0].offer.price.low
    )


def test_a_tool_refuses_an_unknown_card_in_words(assistant: Assistant, settings: Settings) -> None:
    tool = langchain_tools(assistant.corpus, settings.corpus, TODAY)[0]
    assert "H900" in tool.invoke({"model": "Llama 3.3 70B", "gpu": "H900"})
