"""Look for known vulnerabilities in the packages of the page and of the browser tests.

python -m tools.advisories
"""

import subprocess
import sys

from tests.frontend import builder
from tools.console import ROOT

FOLDERS = ("frontend", "tests/browser")


def main():
    """Print npm's report for each folder; return 1 if it finds a vulnerability or cannot tell."""
    failed = False
    for folder in FOLDERS:
        sys.stdout.write(f"npm audit of {folder}: ")
        sys.stdout.flush()
        try:
            sys.stdout.write(
                builder.run(builder._npm(), "audit", "--package-lock-only", folder=ROOT / folder)  # noqa: SLF001  it is part of the project
            )
        except subprocess.CalledProcessError as error:
            sys.stdout.write(error.stdout)
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
