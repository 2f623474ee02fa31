"""Plain messages for invalid requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pitboss.core.settings import Json

PLAIN_MESSAGES: Final = {  # in place of Pydantic's messages
    "json_invalid": "this is not valid JSON",
    "union_tag_invalid": "'do' must be one of sit, leave, sit_out, seed, bet, take_back, deal,"
    " decide and ping",
    "union_tag_not_found": "'do' is missing",
    "extra_forbidden": "there is no such field",
    "model_attributes_type": "this must be a JSON object, sent as application/json",
    "model_type": "this must be a JSON object",
    "missing": "this field is missing",
}


def first_problem(problems: Sequence[Mapping[str, Json]]) -> str:
    """Return the place and kind of the first error, without quoting the request."""
    problem = problems[0]
    if (kind := problem["type"]) in PLAIN_MESSAGES:
        problem = {**problem, "msg": PLAIN_MESSAGES[kind]}
    where = ".".join(map(str, problem["loc"]))
    return f"{where}: {problem['msg']}" if where else str(problem["msg"])
