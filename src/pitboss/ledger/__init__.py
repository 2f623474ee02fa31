"""All SQL: the schema, the writer with its group commits, and the queries."""
