"""The web server: the HTTP API, the WebSocket of live tables, and the page."""
