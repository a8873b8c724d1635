"""Adapts Schemathesis to rules that a schema cannot express. README.md has the reasons."""

import re

import schemathesis
from schemathesis.generation import GenerationMode


def is_valid(case):
    return case.meta.generation.mode == GenerationMode.POSITIVE


@schemathesis.hook
def before_call(context, case, kwargs):
    plant_id = (case.path_parameters or {}).get("id")
    if isinstance(plant_id, float) and plant_id.is_integer():
        case.path_parameters["id"] = int(plant_id)
    for name in ("If-Match", "If-None-Match"):
        if is_valid(case) and case.headers.get(name) == "0":
            del case.headers[name]


@schemathesis.check
def valid_requests_are_refused_only_for_the_state(ctx, response, case):
    if response.status_code != 400 or not is_valid(case):
        return
    problem = response.json()
    is_taken = case.operation.method == "post" and problem["error"] == 40009
    is_no_cursor = re.match("(after|Last-Event-ID) (must be|is not) a cursor", problem["message"])
    assert is_taken or is_no_cursor, f"a valid request was refused: {problem}"
