"""Monte Carlo: rounds of both games by the million, on cores, graphics cards and clusters."""

from pitboss.simulator.jobs import Bet, Exact, Job
from pitboss.simulator.roll_your_own import RollYourOwn, Trial
from pitboss.simulator.runs import ENGINES, Run, SimulatorError, simulate
from pitboss.simulator.samples import ChiSquare, Sample
from pitboss.simulator.strategies import NAMES, Strategy
from pitboss.simulator.toss_one import TossOne

__all__ = [
    "ENGINES",
    "NAMES",
    "Bet",
    "ChiSquare",
    "Exact",
    "Job",
    "RollYourOwn",
    "Run",
    "Sample",
    "SimulatorError",
    "Strategy",
    "TossOne",
    "Trial",
    "simulate",
]
