"""The same tests on every machine: its environment does not reach them, and no chance does."""

import os
import signal

from hypothesis import HealthCheck, settings

for name in [
    *("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"),  # Rich writes as for a terminal
    *("PITBOSS_DATABASE", "PITBOSS_OPERATOR_TOKEN"),  # a server of the user's own
]:
    os.environ.pop(name, None)
os.environ |= {"COLUMNS": "80", "LC_ALL": "C"}  # PostgreSQL fails if the locale is not UTF-8
for name in ("no_proxy", "NO_PROXY"):  # a proxy leads to package registries, not to our servers
    os.environ[name] = ",".join(filter(None, [os.environ.get(name), "127.0.0.1", "localhost"]))
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it

settings.register_profile(
    "steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")
