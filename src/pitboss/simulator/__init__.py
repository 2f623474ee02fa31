"""Monte Carlo simulation of millions of rounds on cores, graphics cards and clusters."""

from pitboss.simulator.jobs import Bet, ExactFigures, Job, make_job
from pitboss.simulator.results import Result
from pitboss.simulator.runs import Run, SimulatorError, simulate
from pitboss.simulator.samples import Sample

__all__ = [
    "Bet",
    "ExactFigures",
    "Job",
    "Result",
    "Run",
    "Sample",
    "SimulatorError",
    "make_job",
    "simulate",
]
