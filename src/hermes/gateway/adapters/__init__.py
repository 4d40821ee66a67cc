"""One platform a file. What it needs beyond Hermes itself is an extra, loaded when the adapter is made."""
