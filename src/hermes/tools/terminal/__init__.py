"""The terminal: commands in the foreground and behind, bounded in time, output and memory; nothing is left running."""
