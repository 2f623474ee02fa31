"""``python -m pitboss``."""

from pitboss.cli import run

run()
