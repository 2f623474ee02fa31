"""The command line: each command parses its arguments, calls the library and prints."""

from pitboss.cli import (
    auditing,
    checking,
    figures,
    reporting,
    rounds,
    rules,
    serving,
    simulating,
    solving,
    strategies,
    verifying,
)
from pitboss.cli.shell import cli, main, run

__all__ = [
    "auditing",
    "checking",
    "cli",
    "figures",
    "main",
    "reporting",
    "rounds",
    "rules",
    "run",
    "serving",
    "simulating",
    "solving",
    "strategies",
    "verifying",
]
