"""A language model behind any OpenAI-compatible endpoint, bounded in time, in bytes and in characters."""

import queue
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import httpx2
import openai
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from assistant.errors import EndpointUnavailable
from assistant.settings import Settings

_CONNECT_S = 5.0
_MOST_BYTES = 4_000_000
_MOST_CHARACTERS = 20_000
_QUEUED = 256
# What a client raises for a failed call, and for a body that isn't what the protocol says.
_FAILURES = (
    openai.OpenAIError,
    httpx2.HTTPError,
    httpx2.StreamError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
)


Chunks = queue.Queue[AIMessageChunk | Exception | None]
"""What the reader hands over: chunks, then the error that ended them, or None."""


class BoundedStream(httpx2.SyncByteStream):
    """A response's body that ends in an error once it is longer than any answer can be."""

    def __init__(self, stream: httpx2.SyncByteStream) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        received = 0
        for block in self._stream:
            received += len(block)
            if received > _MOST_BYTES:
                raise httpx2.ReadError("the response is too long")
            yield block

    def close(self) -> None:
        self._stream.close()


class BoundedTransport(httpx2.HTTPTransport):
    """HTTP whose response bodies are bounded."""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = super().handle_request(request)
        if isinstance(response.stream, httpx2.SyncByteStream):
            response.stream = BoundedStream(response.stream)
        return response


class Endpoint:
    """One model at one address. Safe to share between threads."""

    def __init__(
        self, model: str, *, base_url: str | None, api_key: SecretStr | None, timeout_s: float, max_tokens: int
    ) -> None:
        self.model = model
        self._timeout_s = timeout_s
        timeout = httpx2.Timeout(timeout_s, connect=min(_CONNECT_S, timeout_s))
        # Local servers ask for no key, but the client wants one.
        self._chat = ChatOpenAI(
            model=model,
            base_url=base_url,
            api_key=api_key or SecretStr("none"),
            timeout=timeout,
            max_retries=1,
            temperature=0,
            max_completion_tokens=None,
            extra_body={"max_tokens": max_tokens},
            use_responses_api=False,
            streaming=True,
            stream_usage=False,
            http_client=httpx2.Client(transport=BoundedTransport(), timeout=timeout),
        )

    @classmethod
    def of(cls, settings: Settings, model: str) -> "Endpoint":
        """A model at the address that the settings name."""
        return cls(
            model,
            base_url=settings.openai_base_url,
            api_key=settings.openai_api_key,
            timeout_s=settings.llm_timeout_s,
            max_tokens=settings.llm_max_tokens,
        )

    def stream(self, messages: Sequence[BaseMessage], tools: Sequence[BaseTool] = ()) -> Iterator[AIMessageChunk]:
        """The model's answer in chunks, at most `timeout_s` seconds long; the call is under way on return.

        Iterating raises EndpointUnavailable where the call fails, the body breaks the protocol or time runs out.
        """
        chat: Runnable[Any, Any] = self._chat.bind_tools(list(tools)) if tools else self._chat
        chunks: Chunks = queue.Queue(maxsize=_QUEUED)
        stopped = threading.Event()
        # A server that drips bytes would hold a reader for ever, so the reading happens beside the clock.
        reader = threading.Thread(target=_read, args=(chat, list(messages), chunks, stopped), daemon=True)
        reader.start()
        return _within(chunks, stopped, self._timeout_s)


def _within(chunks: Chunks, stopped: threading.Event, timeout_s: float) -> Iterator[AIMessageChunk]:
    deadline = time.monotonic() + timeout_s
    characters = 0
    try:
        while characters <= _MOST_CHARACTERS:
            try:
                chunk = chunks.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise EndpointUnavailable(f"The language model took longer than {timeout_s:g} seconds.") from None
            if chunk is None:
                return
            if isinstance(chunk, Exception):
                raise EndpointUnavailable(f"The language model failed: {type(chunk).__name__}.") from chunk
            characters += len(chunk.text)
            yield chunk
    finally:
        stopped.set()


def _read(
    chat: Runnable[Any, Any],
    messages: list[BaseMessage],
    chunks: Chunks,
    stopped: threading.Event,
) -> None:
    last: Exception | None = None
    try:
        for chunk in chat.stream(messages):
            if stopped.is_set():
                return
            if isinstance(chunk, AIMessageChunk):
                _put(chunks, chunk, stopped)
    except _FAILURES as error:
        last = error
    _put(chunks, last, stopped)


def _put(chunks: Chunks, item: AIMessageChunk | Exception | None, stopped: threading.Event) -> None:
    """Put an item in the queue, unless nobody takes any more."""
    while not stopped.is_set():
        try:
            chunks.put(item, timeout=0.5)
        except queue.Full:
            continue
        return
