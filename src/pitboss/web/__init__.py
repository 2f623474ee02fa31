"""Live tables: dealt, recorded and shown to the people who play at them."""
