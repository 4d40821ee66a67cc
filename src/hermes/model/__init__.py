"""Plain data and the rules about it; no I/O."""
