"""The process of the web server: listening, serving until it is told to stop, and stopping without cutting answers."""

import logging
import os
import signal
import socket
import sys
from contextlib import closing, suppress
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

import click

from assistant.errors import AssistantError, IndexUnavailable
from assistant.interfaces.server import create_app
from assistant.settings import Settings, is_loopback

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI

BACKLOG = 2048
MOST_FILES = 16_384
"""Open files at most, connections among them, as far as the system allows."""


class AddressError(AssistantError):
    """The address can't be listened on."""

    exit_status = 3


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on the address; port 0 takes a free one. Raises AddressError."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind(address)
            # Listening at once makes a second server on the port fail here, and not after its page is built.
            bound.listen(BACKLOG)
        except OSError:
            bound.close()
            raise
    except OSError as error:
        raise AddressError(
            f"{host}:{port} can't be listened on: {error.strerror or error}.",
            "Choose another with --port, or 0 for any.",
        ) from error
    return bound


def serve(settings: Settings) -> NoReturn:
    """Serve the chat until interrupted; an index that is missing or out of date is built first.

    Raises AddressError, CorpusError, EngineUnavailable, FileUnavailable.
    """
    from assistant.interfaces.log import start_logging

    with closing(listen(settings.host, settings.port)) as bound:
        start_logging(settings)
        _allow_many_connections()
        app = _ready_app(settings)
        _tell_how_to_get_in(settings)
        host, port = bound.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        click.echo(f"The chat is on http://{shown}:{port}{settings.root_path} (Ctrl-C ends it).")
        # Answers that still stream when the time for them is over are cut off, which is no error.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        # uvicorn ends its work first and then raises the signal again; both are the ordinary way to end.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        with suppress(KeyboardInterrupt, SystemExit):
            server_of(app, settings).run(sockets=[bound])
    _leave()


def server_of(app: "FastAPI", settings: Settings) -> "uvicorn.Server":
    """A server that says when it begins to stop, so that open pages let go and a load balancer sends nothing more."""
    import uvicorn

    from assistant.interfaces.connections import BoundedConnection

    class StoppableServer(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            app.state.stopping.set()
            super().handle_exit(sig, frame)

    return StoppableServer(
        uvicorn.Config(
            app,
            http=BoundedConnection,
            ws="none",
            log_level="critical",
            access_log=False,
            # Forwarded headers are read by the application, which knows the proxies.
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=settings.stop_timeout_s,
        )
    )


def _leave() -> NoReturn:
    """End the process at once: taking the knowledge base apart, object by object, would take a second or more."""
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _allow_many_connections() -> None:
    """Raise the limit on open files, which many slow connections would otherwise reach."""
    try:
        import resource
    except ImportError:  # not on Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(MOST_FILES, hard)
    if soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _tell_how_to_get_in(settings: Settings) -> None:
    """A server that asks for tokens is of no use until one is made."""
    from assistant.interfaces.access.tokens import TokenStore

    if settings.access_mode == "token" and not TokenStore(settings.data).all():
        click.echo("Whoever asks needs a token. Make one with: gpu-assistant tokens new NAME", err=True)
    if settings.access_mode == "open" and not is_loopback(settings.host):
        click.echo("Everybody who reaches this machine can ask (ASSISTANT_ACCESS=open).", err=True)
    if not settings.public_hosts and (settings.trusted_proxies or not is_loopback(settings.host)):
        click.echo("It answers under its address alone, unless ASSISTANT_PUBLIC_HOSTS lists names.", err=True)


def _ready_app(settings: Settings) -> "FastAPI":
    """The application over an index that fits; what `gpu-assistant index` builds is built where there is none."""
    try:
        return create_app(settings)
    except IndexUnavailable as error:
        from assistant.interfaces.commands import index

        click.echo(f"{error.problem} It is built now; the first time that takes a few minutes.", err=True)
        index.command.main(args=[], prog_name="gpu-assistant index", obj=settings, standalone_mode=False)
        return create_app(settings)
