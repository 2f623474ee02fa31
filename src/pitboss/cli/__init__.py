"""The command line: each command parses its arguments, calls the library and prints."""

from pitboss.cli import checking, rounds, rules
from pitboss.cli.shell import cli, main, run

__all__ = ["checking", "cli", "main", "rounds", "rules", "run"]
