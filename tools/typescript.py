"""The schema of the API, and the TypeScript types that are generated from it for the page.

``python -m tools.typescript`` rewrites both, with openapi-typescript on a bundled Node.
"""

import hashlib
import json

from pitboss.web.app import create_app
from pitboss.web.services import Settings
from tests.frontend import FRONTEND, builder

SCHEMA = FRONTEND / "openapi.json"
TYPES = FRONTEND / "src" / "api.ts"

OPTIONS = ["--root-types", "--root-types-no-schema-prefix", "--immutable"]


def schema():
    """Return the current schema of the application."""
    found = create_app(Settings(database="nowhere")).openapi()
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def header(text):
    """Return the first line of the types, with the digest of their schema."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"// Made by `make types` from openapi.json (SHA-256 {digest}).\n"


def types(text):
    """Return the TypeScript types of a schema."""
    builder.install()
    made = builder.run("node_modules/openapi-typescript/bin/cli.js", *OPTIONS, given=text)
    return header(text) + made


if __name__ == "__main__":
    now = schema()
    SCHEMA.write_text(now, encoding="utf-8")
    TYPES.write_text(types(now), encoding="utf-8")
