"""What happens with the session that was chosen."""

import sys

from hermes.cli.screen import write


def resume(session_id: str) -> int:
    """Say how the conversation goes on. Returns the exit code."""
    write(sys.stdout, f"hermes --resume {session_id}\n")
    return 0
