"""Running live tables: dealers with timers, ownership by lease, operator switches."""
