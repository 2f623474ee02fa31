"""Fixtures of the tests of the web application."""

import pytest


@pytest.fixture
def often_checked(monkeypatch):
    """Let sockets check their session many times a second instead of once a minute."""
    monkeypatch.setattr("pitboss.web.socket.MINUTE", 20)
