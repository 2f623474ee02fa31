"""The compiled loops of the solver."""
