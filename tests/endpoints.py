"""The reference of the HTTP API, docs/http.md, written from the schema frontend/openapi.json.

``python -m tests.endpoints`` writes the page anew; ``make types`` writes the schema.
"""

import json
import re
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parents[1]
SCHEMA = ROOT / "frontend" / "openapi.json"
PAGE = ROOT / "docs" / "http.md"

TAGS = {
    "players": "Players",
    "tables": "Tables",
    "rounds": "Rounds",
    "coach": "The coach",
    "lessons": "Lessons",
    "operator": "The operator",
}

CREDENTIALS = {
    "pitboss": "the session; 401 without it where one is needed",
    "authorization": "`Bearer` and the operator's token",
}

UNDER = "/api/v1"

HEAD = f"""\
# Every endpoint

What can be asked of a [table server](server.md) and what it answers, written by `make docs` from
the schema that the server gives at `/openapi.json`. How to sign in, play and ask again is on
[another page](api.md). All of it is under `{UNDER}`. Bodies and answers are JSON, amounts whole
cents, and it is play money.
"""


def table(head, rows):
    """Return a table in Markdown; nothing where there are no rows."""
    lines = [head, ["---"] * len(head), *rows]
    shown = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in lines]
    return ["\n".join(shown), ""] if rows else []


def kind(schema):
    """Say in words what a value may be."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return ", ".join(f"`{json.dumps(value)}`" for value in values)
    for either in ("anyOf", "oneOf"):
        if either in schema:
            return " or ".join(dict.fromkeys(map(kind, schema[either])))
    if schema.get("type") == "array":
        return f"list of {kind(schema['items'])}" if schema.get("items") else "list"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"object of {kind(schema['additionalProperties'])}"
    return f"{schema.get('type', 'any')}{bounds(schema)}"


def bounds(schema):
    """Say between what a value lies."""
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        return f" {least:.0f} to {most:.0f}"
    if least is not None:
        return f" from {least:.0f}"
    if "maxLength" in schema:
        return f", {schema.get('minLength', 0)} to {schema['maxLength']} characters"
    if re.fullmatch(r"\^\[A-Za-z0-9_-\]\{\d+,\d+\}\$", schema.get("pattern", "")):
        few, many = re.findall(r"\d+", schema["pattern"])[-2:]
        return f", {few} to {many} of `A-Za-z0-9_-`"
    return ""


def words(text):
    """Return a description as Markdown in one line."""
    return re.sub(r"``(.+?)``", r"`\1`", " ".join(text.split()))


def rest(schema, *, required):
    """Say what else there is to a field: what it is for, and whether it may be left out."""
    about = words(schema.get("description", ""))
    if required:
        return about
    default = schema.get("default")
    left_out = "may be left out" if default is None else f"`{json.dumps(default)}` if left out"
    return f"{about}; {left_out}" if about else left_out


def fields(schema, *, asked):
    """Return the rows of an object's fields; of an answer none is ever left out."""
    always = set(schema.get("required", ()))
    return [
        [f"`{name}`", kind(field), rest(field, required=not asked or name in always)]
        for name, field in schema.get("properties", {}).items()
    ]


def endpoint(method, path, operation, common):
    """Return the part of the page on one endpoint."""
    parts = [
        f"### {method.upper()} {path.removeprefix(UNDER)}",
        "",
        words(operation["description"]),
        "",
    ]
    parts += table(
        ["parameter", "in", "what", ""], [parameter(p) for p in operation.get("parameters", ())]
    )
    if "requestBody" in operation:
        parts += [f"Body: {contents(operation['requestBody'])}.", ""]
    for status, answer in operation["responses"].items():
        if status not in common:
            parts += [f"Answer {status}: {contents(answer)}.", ""]
    return parts


def parameter(found):
    """Return the row of a parameter."""
    schema = {"description": found.get("description", "")} | found["schema"]
    what = kind(schema).removesuffix(" or null")  # not given at all
    note = CREDENTIALS.get(found["name"]) or rest(schema, required=found["required"])
    return [f"`{found['name']}`", found["in"], what, note]


def contents(message):
    """Say what a body holds."""
    kinds = message.get("content", {}).items()
    return " or ".join(kind(c["schema"]) if "json" in name else f"`{name}`" for name, c in kinds)


def problems(operations):
    """Return the answers that every endpoint may give."""
    every = [operation["responses"] for _, _, operation in operations]
    return {s: a for s, a in every[0].items() if all(more.get(s) == a for more in every)}


def mentioned(schema):
    """Return the names of the objects that a part of the schema refers to, its own and theirs."""
    return set(re.findall(r"#/components/schemas/(\w+)", json.dumps(schema)))


def objects(schemas, asked):
    """Return the part of the page on every object."""
    for name, schema in sorted(schemas.items()):
        yield from [f"### {name}", ""]
        if "description" in schema:
            yield from [words(schema["description"]), ""]
        if "properties" in schema:
            yield from table(["field", "what", ""], fields(schema, asked=name in asked))
        else:
            yield from [f"One of {kind(schema).replace(' or ', ', ')}.", ""]


def sent(api, operations):
    """Return the names of the objects that a client sends."""
    found = mentioned([operation.get("requestBody") for _, _, operation in operations])
    found |= {"LiveRequest"}
    while more := mentioned([api["components"]["schemas"][name] for name in found]) - found:
        found |= more
    return found


def written():
    """Return the page as it should be."""
    api = json.loads(SCHEMA.read_text(encoding="utf-8"))
    operations = [(m, path, o) for path, each in api["paths"].items() for m, o in each.items()]
    common = problems(operations)
    rows = [[status, words(answer["description"])] for status, answer in common.items()]
    parts = [HEAD, "Every endpoint may also answer with a [Problem](#problem):", ""]
    parts += table(["status", "when"], rows)
    for tag, title in TAGS.items():
        mine = [o for o in operations if o[2]["tags"] == [tag]]
        parts += [f"## {title}", "", *chain(*(endpoint(*o, common) for o in mine))]
    parts += [
        "## Objects",
        "",
        "At a table a socket takes a [LiveRequest](#liverequest) and gives a",
    ]
    parts += ["[LiveReply](#livereply).", ""]
    parts += objects(api["components"]["schemas"], sent(api, operations))
    return re.sub(r" +(?=\|\n)", " ", "\n".join(parts)).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
