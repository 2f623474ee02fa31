"""The operator's tools: the audit, reports, and the comparison of theory with actual results."""
