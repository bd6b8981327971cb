"""The log: one JSON object a line, on standard error or in a file."""

import logging
import sys
from datetime import UTC, datetime
from logging.handlers import WatchedFileHandler

from assistant.errors import FileUnavailable
from assistant.printable import json_line
from assistant.settings import Settings


class JsonLines(logging.Formatter):
    """A record with its `fields` as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json_line(line)


def start_logging(settings: Settings) -> None:
    """Send what the product logs where the settings say. Raises FileUnavailable."""
    try:
        handler = WatchedFileHandler(settings.log_file, encoding="utf-8") if settings.log_file else None
    except OSError as error:
        raise FileUnavailable(f"{settings.log_file}: the log can't be written: {error.strerror}.") from error
    shown = handler or logging.StreamHandler(sys.stderr)
    shown.setFormatter(JsonLines())
    logger = logging.getLogger("assistant")
    logger.handlers = [shown]
    logger.setLevel(settings.log_level.upper())
    logger.propagate = False
