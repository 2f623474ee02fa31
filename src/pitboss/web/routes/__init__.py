"""The routes of the HTTP API and the page, one file per subject."""
