"""Tables as values: limits, records, a player's own table and live tables. No I/O, no clock."""
