"""What the server counts, in Prometheus's text format. No question and no caller is in it."""

from fastapi import APIRouter
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from starlette.responses import Response

router = APIRouter()

# When a counter was created says nothing that its value doesn't.
disable_created_metrics()  # type: ignore[no-untyped-call]
REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)

ANSWERS = Counter("gpu_assistant_answers", "Answers given.", ["language", "status", "written_by"], registry=REGISTRY)
ABANDONED = Counter("gpu_assistant_answers_abandoned", "Answers that nobody waited for.", registry=REGISTRY)
ANSWER_SECONDS = Histogram(
    "gpu_assistant_answer_seconds", "From question to whole answer.", buckets=_SECONDS, registry=REGISTRY
)
FIRST_TEXT_SECONDS = Histogram(
    "gpu_assistant_first_text_seconds", "From question to first text.", buckets=_SECONDS, registry=REGISTRY
)
UNDER_WAY = Gauge("gpu_assistant_answers_under_way", "Answers being made.", registry=REGISTRY)
_REQUESTS = Counter("gpu_assistant_requests", "Requests.", ["route", "method", "status"], registry=REGISTRY)
_REQUEST_SECONDS = Histogram(
    "gpu_assistant_request_seconds", "From request to the end of its response.", ["route"], buckets=_SECONDS,
    registry=REGISTRY,
)  # fmt: skip
_REFUSALS = Counter("gpu_assistant_refusals", "Requests refused at the gate.", ["reason"], registry=REGISTRY)

_METHODS = frozenset({"GET", "POST", "HEAD", "OPTIONS", "DELETE", "PUT", "PATCH"})


def answered_request(route: str, method: str, status: int, seconds: float) -> None:
    """Count a request; a method that isn't one is counted as another, so that nobody can add rows at will."""
    _REQUESTS.labels(route, method if method in _METHODS else "other", status).inc()
    _REQUEST_SECONDS.labels(route).observe(seconds)


def refused(reason: str) -> None:
    _REFUSALS.labels(reason).inc()


@router.get("/metrics", include_in_schema=False)
def metrics() -> Response:
    """The counters of this process."""
    return Response(generate_latest(REGISTRY), media_type=CONTENT_TYPE_PLAIN_0_0_4)
