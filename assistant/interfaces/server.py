"""The web application: the chat page, the API and what belongs to them, on one address."""

import os
import threading
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

from assistant.settings import Settings

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.requests import Request
    from starlette.responses import Response

    from assistant.interfaces.chat.opening import Opening

ASSET_LIVES_S = 365 * 24 * 3600


def create_app(settings: Settings, opening: "Opening | None" = None) -> "FastAPI":
    """The ASGI application. Raises what opening the knowledge base raised: CorpusError, IndexUnavailable."""
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    from assistant.interfaces.chat.opening import Opening

    # Opened while Gradio is imported; together they are most of the time to the first page.
    opening = opening or Opening(settings)
    from fastapi import Depends
    from starlette.routing import Route

    from assistant.interfaces import health, metrics, openai_api, refusals
    from assistant.interfaces.access import login
    from assistant.interfaces.access.cross_origin import CrossOrigin
    from assistant.interfaces.access.gate import Gate
    from assistant.interfaces.access.proxies import Proxies
    from assistant.interfaces.api import ask, cost, feedback, fit, follow_ups, gpus, models, search, sources
    from assistant.interfaces.api.description import DescribedApp
    from assistant.interfaces.api.parameters import known_parameters
    from assistant.interfaces.chat.document import PageDocument, address_of
    from assistant.interfaces.departures import Departures
    from assistant.interfaces.guard import Guard, content_policy
    from assistant.interfaces.head_requests import HeadRequests
    from assistant.interfaces.mcp import endpoint
    from assistant.interfaces.wiki import document as wiki_document
    from assistant.interfaces.wiki import routes as wiki
    from assistant.interfaces.workers import Workers

    tools = endpoint.McpEndpoint(opening)
    app = DescribedApp(
        title="GPU assistant",
        lifespan=tools.running,
        version=version("gpu-assistant"),
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        redirect_slashes=False,
    )
    app.state.settings = settings
    app.state.opening = opening
    app.state.stopping = threading.Event()
    app.state.workers = Workers.of(settings)
    app.include_router(health.router)
    app.include_router(metrics.router)
    app.include_router(login.router)
    app.include_router(openai_api.router)
    for noun in (ask, search, fit, cost, gpus, models, sources, follow_ups, feedback):
        app.include_router(noun.router, prefix="/api", dependencies=[Depends(known_parameters)])
    app.include_router(wiki.pages)
    app.include_router(wiki.memos, prefix="/api", dependencies=[Depends(known_parameters)])
    app.router.routes.append(wiki_document.BUNDLE.route)
    refusals.add_refusals(app)
    app.router.routes.append(Route(endpoint.PATH, tools, methods=["GET", "POST", "DELETE"], include_in_schema=False))
    for name in ("page.js", "conversation.js", "opinion.js", "opinion.css", "style.css"):
        app.add_route(address_of(name), _send_asset)
    _mount_chat(app, opening, settings)
    app.add_middleware(PageDocument, policy=partial(content_policy, ancestors=settings.frame_ancestors))
    app.add_middleware(HeadRequests)
    app.add_middleware(Departures, stopping=app.state.stopping)
    app.add_middleware(Gate, settings=settings)
    # With a policy of our own, Gradio adds none; it would let every origin in under any name but localhost.
    app.add_middleware(
        CrossOrigin,
        allow_origins=settings.cors_origins,
        allow_methods=["GET", "POST"],
        allow_headers=["authorization", "content-type"],
        allow_credentials=True,
    )
    app.add_middleware(Guard, frame_ancestors=settings.frame_ancestors)
    app.add_middleware(
        Proxies,
        trusted=settings.trusted_proxies,
        root_path=settings.root_path,
        identity_header=settings.identity_header,
    )
    return app


def _mount_chat(app: "FastAPI", opening: "Opening", settings: Settings) -> None:
    """Let the chat page answer all that no route of ours does."""
    import gradio
    from starlette.routing import Mount

    from assistant.interfaces.chat.page import build
    from assistant.interfaces.chat.theme import theme
    from assistant.interfaces.fallback import Fallback
    from assistant.interfaces.page_calls import PageCalls

    page = build(opening, settings)
    gradio.mount_gradio_app(
        app,
        page,
        path="/",
        theme=theme(),
        footer_links=[],
        run_history=False,
        ssr_mode=False,
        show_error=False,
        enable_monitoring=False,
        mcp_server=False,
        max_file_size=1,
    )
    # A mount at the root would take the routes' own refusals of a wrong method too; as the last resort it takes none.
    mounted = app.router.routes.pop()
    assert isinstance(mounted, Mount)
    app.router.default = Fallback(PageCalls(mounted.app, page.fns.keys()))


async def _send_asset(request: "Request") -> "Response":
    """The style sheet or script that the address names; it never changes at that address."""
    from starlette.responses import Response

    from assistant.interfaces.chat.document import asset

    name = request.url.path.rpartition("/")[2]
    kind = "text/css" if name.endswith(".css") else "text/javascript"
    kept = {"cache-control": f"public, max-age={ASSET_LIVES_S}, immutable"}
    return Response(asset(name), media_type=kind, headers=kept)
