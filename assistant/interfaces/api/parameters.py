"""Query parameters are those that the description names, each once; any other is refused as an unknown field is."""

from collections import Counter

from fastapi import HTTPException, Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Query

from assistant.printable import one_line

MOST_NAMED = 80


def known_parameters(request: Request) -> None:
    """Raises HTTPException naming the first parameter that the called route doesn't have, or has twice."""
    given = Counter(name for name, _ in request.query_params.multi_items())
    if not given:
        return
    fields = get_flat_params(request.scope["route"].dependant)
    described = [field.alias for field in fields if isinstance(field.field_info, Query)]
    for name, times in given.items():
        if name not in described:
            there = f" There are: {', '.join(described)}." if described else " This call takes none."
            raise HTTPException(400, f"{one_line(name[:MOST_NAMED])}: is no parameter here.{there}")
        if times > 1:
            raise HTTPException(400, f"{name}: is given {times} times.")
