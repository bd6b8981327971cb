"""The tools as a Model Context Protocol server: over standard input and output, or mounted in the web server."""

from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import version
from typing import Any

import anyio
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as OfferedTool

from assistant.errors import AssistantError
from assistant.interfaces.mcp.tools import Tool, Toolbox

INSTRUCTIONS = (
    "Verified answers and calculations on GPUs for AI. Prefer `ask` for questions, and quote its citations with their "
    "dates. Never add figures that the tools did not give."
)
MAX_BODY_BYTES = 1_000_000
AT_ONCE = 4
"""Tool calls that run at the same time; further ones wait."""


def mcp_server(open_toolbox: Callable[[], Toolbox]) -> Server[Any]:
    """A server of the tools; `open_toolbox` is called with the first request, in a thread."""
    gate = anyio.Semaphore(AT_ONCE)

    @lru_cache(maxsize=1)
    def tools() -> dict[str, Tool]:
        return {tool.name: tool for tool in open_toolbox().tools()}

    async def list_tools(_: object, __: PaginatedRequestParams | None) -> ListToolsResult:
        found = await anyio.to_thread.run_sync(tools)
        return ListToolsResult(tools=[_offered(tool) for tool in found.values()])

    async def call_tool(_: object, asked: CallToolRequestParams) -> CallToolResult:
        found = await anyio.to_thread.run_sync(tools)
        tool = found.get(asked.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"No such tool: {asked.name[:60]}. There are: {', '.join(found)}.")
        async with gate:
            return await anyio.to_thread.run_sync(_called, tool, asked.arguments or {}, abandon_on_cancel=True)

    return Server(
        "gpu-assistant",
        version=version("gpu-assistant"),
        title="GPU assistant",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _offered(tool: Tool) -> OfferedTool:
    return OfferedTool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.takes.model_json_schema(),
        output_schema=tool.gives.model_json_schema(mode="serialization"),
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


def _called(tool: Tool, arguments: dict[str, Any]) -> CallToolResult:
    """The tool's outcome; what the caller can mend is told as the tool's error, in one line."""
    try:
        outcome = tool.call(arguments)
    except AssistantError as error:
        return CallToolResult(content=[TextContent(text=str(error))], is_error=True)
    return CallToolResult(
        content=[TextContent(text=outcome.text)], structured_content=outcome.result.model_dump(mode="json")
    )


def http_sessions(server: Server[Any]) -> StreamableHTTPSessionManager:
    """Answers streamable HTTP; run it for as long as the web server lives. No session is kept between requests."""
    return StreamableHTTPSessionManager(server, stateless=True, max_request_body_size=MAX_BODY_BYTES)


async def serve_stdio(server: Server[Any]) -> None:
    """Serve one client over standard input and output until it hangs up."""
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
