"""What is true of the tools for other assistants, asked with the protocol's official client over both transports."""

import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent
from web import served

from assistant.answering.assistant import Assistant
from assistant.interfaces.chat.opening import Opening
from assistant.interfaces.mcp.server import mcp_server
from assistant.interfaces.mcp.tools import Toolbox
from assistant.settings import ROOT, Settings

TOOLS = ["ask", "search", "fit", "cost", "compare"]
Use = Callable[[Client], Awaitable[None]]


def use(server: object, work: Use) -> None:
    """Let a client do its work with a server: an address, a transport, or the server itself."""

    async def connected() -> None:
        with anyio.fail_after(120):
            async with Client(server) as client:  # type: ignore[arg-type]
                await work(client)

    anyio.run(connected)


def words(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


@pytest.fixture(scope="module")
def server(assistant: Assistant, settings: Settings) -> Any:
    opening = Opening(settings, lambda _: assistant)
    return mcp_server(lambda: Toolbox(opening))


async def every_tool(client: Client) -> None:
    """Calls each tool; the client itself holds every result against the tool's output schema."""
    assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
    asked = await client.call_tool("ask", {"question": "Hoeveel geheugen heeft de MI355X?"})
    assert asked.structured_content and asked.structured_content["language"] == "nl"
    assert "288 GB" in asked.structured_content["text"] and asked.structured_content["citations"][0]["quote"]
    assert "288 GB" in words(asked) and "[1] " in words(asked)
    found = await client.call_tool("search", {"question": "液冷", "top_k": 3})
    assert found.structured_content and len(found.structured_content["results"]) == 3
    fit = await client.call_tool("fit", {"model": "Llama 3.3 70B", "gpu": "H100 SXM", "gpus": 4})
    assert fit.structured_content and fit.structured_content["result"]["verdict"] == "fits"
    bill = await client.call_tool("cost", {"calculation": "rent", "gpu": "H100 SXM", "hours": 800, "price": 2})
    assert bill.structured_content and bill.structured_content["result"]["total"]["low"] == 1600
    table = await client.call_tool("compare", {"gpus": ["H200", "MI325X"], "attributes": ["memory_capacity"]})
    assert table.structured_content
    (row,) = table.structured_content["table"]["rows"]
    assert [cell[0]["figures"]["high"] for cell in row["cells"]] == [141, 256]
    assert row["most"] == table.structured_content["table"]["cards"][1]
    assert all(value["citation"]["title"] for cell in row["cells"] for value in cell)


def test_every_tool_answers_over_standard_input_and_output(assistant: Assistant) -> None:
    command = StdioServerParameters(
        command=sys.executable,
        args=["-c", "from assistant.interfaces.command_line import main; main()", "mcp"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    use(stdio_client(command), every_tool)


def test_every_tool_answers_over_http(settings: Settings, assistant: Assistant) -> None:
    with served(settings, assistant) as address:
        use(f"{address}/mcp", every_tool)


def test_no_body_of_a_stranger_breaks_the_endpoint(settings: Settings, assistant: Assistant) -> None:
    bodies = [b"", b"{", b"[]", b"\xff", b'{"jsonrpc":"2.0"}', b"[" * 100_000]
    with served(settings, assistant) as address, httpx.Client(base_url=address) as client:
        for body in bodies:
            accepted = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
            assert 400 <= client.post("/mcp", content=body, headers=accepted).status_code < 500, body
        for said, asked in [
            ("{}", None),
            ("[]", None),
            ('{"jsonrpc":"2.0","id":7}', 7),
            ('{"id":true}', None),
            ("1", None),
        ]:
            refused = client.post("/mcp", content=said, headers=accepted)
            assert refused.status_code == 400 and len(refused.content) < 200, refused.text
            answered = refused.json()
            assert (answered["error"]["code"], answered["id"]) == (-32600, asked)
        assert client.post("/mcp", content=b"x" * 1_500_000).status_code == 413
        assert client.put("/mcp").status_code == 405


WAYS = [{"label": "a", "price": 2, "hours": 3}, {"label": "b", "price": 3, "hours": 1}]
CALCULATIONS: list[tuple[str, dict[str, Any], str]] = [
    ("rent", {"gpu": "H100 SXM", "gpus": 8, "hours": 100, "price": 2}, "total"),
    ("train", {"gpu": "H100 SXM", "gpus": 8, "hours": 100, "price": 2}, "total"),
    ("tokens", {"price": 2, "throughput": 1000}, "per_million_tokens"),
    ("buy-or-rent", {"gpu": "H100 SXM", "purchase_price": 30000, "electricity_price": 0.2}, "scenarios"),
    ("migrate", {"weeks": 8, "people": 2, "weekly_rate": 4000, "savings_per_month": 5000}, "net"),
    (
        "compare",
        {"options": WAYS},
        "options",
    ),
]


def test_every_cost_is_worked_out(server: Any) -> None:
    async def work(client: Client) -> None:
        for calculation, inputs, field in CALCULATIONS:
            result = await client.call_tool("cost", {"calculation": calculation, **inputs, "language": "da"})
            assert not result.is_error, words(result)
            assert result.structured_content and result.structured_content["result"][field], calculation
            assert result.structured_content["text"] == words(result)

    use(server, work)


def test_the_arguments_of_every_tool_are_flat_and_typed(server: Any) -> None:
    async def work(client: Client) -> None:
        for tool in (await client.list_tools()).tools:
            takes, gives = tool.input_schema, tool.output_schema
            assert takes["type"] == "object" and takes["additionalProperties"] is False, tool.name
            assert not {"anyOf", "oneOf", "allOf"} & set(takes) and takes["properties"], tool.name
            assert gives and gives["type"] == "object" and gives["properties"], tool.name

    use(server, work)


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("ask", {}, "question"),
        ("ask", {"question": "x", "surprise": 1}, "surprise"),
        ("search", {"question": "x", "top_k": 10_000}, "top_k"),
        ("fit", {"gpu": "H100 SXM"}, "a model or parameters"),
        ("fit", {"model": "corpus/../README.md", "gpu": "H100 SXM"}, "not a known model"),
        ("fit", {"model": "Llama 3.3 70B", "gpu": "H900"}, "not a known card"),
        ("cost", {"calculation": "rent", "gpu": "H900"}, "H900"),
        ("cost", {"calculation": "lease"}, "calculation: must be 'rent', 'train'"),
        ("cost", {"gpu": "H200"}, "calculation: is missing"),
        ("cost", {"calculation": "rent", "gpu": "H200", "hours": -1}, "hours: must be above 0"),
        ("cost", {"calculation": "rent", "gpu": "H200", "people": 2}, "people: rent takes no such input. It takes: "),
        ("cost", {"calculation": "migrate", "weeks": 2}, "people: is missing"),
        ("cost", {"calculation": "rent", "price": "2,50"}, "price: must be a number, not text"),
        ("compare", {"gpus": []}, "gpus"),
        ("compare", {"gpus": ["H200"], "attributes": ["beauty"]}, "beauty"),
    ],
)
def test_a_wrong_call_is_told_in_one_line(server: Any, tool: str, arguments: dict[str, Any], told: str) -> None:
    async def work(client: Client) -> None:
        result = await client.call_tool(tool, arguments)
        assert result.is_error
        assert told in words(result) and "\n" not in words(result)

    use(server, work)


def test_a_tool_that_is_not_there_is_refused(server: Any) -> None:
    async def work(client: Client) -> None:
        with pytest.raises(MCPError, match="There are: ask, search"):
            await client.call_tool("delete", {})

    use(server, work)
