"""Profiles for Hypothesis: the default run is quick and the same each time, ``long`` digs."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "quick", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("long", deadline=None, max_examples=5_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
