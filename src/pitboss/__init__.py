"""Toss One 21 and Roll Your Own Blackjack: deal them, play them, prove them."""

__version__ = "0.1.0"
