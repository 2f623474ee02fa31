"""Monte Carlo: rounds of both games by the million, on cores, graphics cards and clusters."""

from pitboss.simulator import strategies
from pitboss.simulator.jobs import Bet, Exact, Job
from pitboss.simulator.roll_your_own import RollYourOwn, Trial
from pitboss.simulator.runs import Run, SimulatorError, simulate
from pitboss.simulator.samples import Sample
from pitboss.simulator.strategies import Seen, Strategy
from pitboss.simulator.toss_one import TossOne

__all__ = [
    "Bet",
    "Exact",
    "Job",
    "RollYourOwn",
    "Run",
    "Sample",
    "Seen",
    "SimulatorError",
    "Strategy",
    "TossOne",
    "Trial",
    "simulate",
    "strategies",
]
