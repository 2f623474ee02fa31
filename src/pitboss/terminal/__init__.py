"""Play in a terminal, with answers from the keyboard or from a script."""

from pitboss.terminal.session import Session

__all__ = ["Session"]
