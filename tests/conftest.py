"""Make the tests the same on every machine: remove its environment, and fix all randomness."""

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

for name in [
    *("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"),  # for Rich: write as to a terminal
    # the user's own server
    *("PITBOSS_DATABASE", "PITBOSS_OPERATOR_TOKEN", "PITBOSS_METRICS_TOKEN"),
]:
    os.environ.pop(name, None)
os.environ |= {"COLUMNS": "80", "LC_ALL": "C"}  # PostgreSQL fails if the locale is not UTF-8
for name in ("no_proxy", "NO_PROXY"):  # a proxy cannot reach the tests' servers
    os.environ[name] = ",".join(filter(None, [os.environ.get(name), "127.0.0.1", "localhost"]))
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores SIGINT

settings.register_profile(
    "steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")

BOTH_DATABASES = ("tests/ledger/", "tests/dealing/test_processes.py")
"""The tests of the code that differs between SQLite and PostgreSQL."""


@pytest.hookimpl(tryfirst=True)  # before the tests are selected by their marks
def pytest_collection_modifyitems(items):
    """Leave the other PostgreSQL tests to ``make long``: they repeat the SQLite tests."""
    for item in items:
        parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
        words = [value for value in parameters if isinstance(value, str)]
        if "postgresql" in words and not item.nodeid.startswith(BOTH_DATABASES):
            item.add_marker(pytest.mark.long)
