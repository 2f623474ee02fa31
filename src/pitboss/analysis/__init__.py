"""Exact figures of every bet."""
