"""The `hermes` command: parses what was typed, asks, and draws the answer."""
