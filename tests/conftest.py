"""Make the tests the same on every machine: remove its environment, and fix all randomness."""

import os
import signal

from hypothesis import HealthCheck, settings

for name in [
    *("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"),  # for Rich: write as to a terminal
    *("PITBOSS_DATABASE", "PITBOSS_OPERATOR_TOKEN"),  # the user's own server
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
