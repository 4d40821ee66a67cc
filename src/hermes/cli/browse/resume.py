"""What happens with the session that was chosen."""


def resume(session_id: str) -> int:
    """Go on with the conversation. Returns the exit code."""
    from hermes.cli.main import main

    return main(["--resume", session_id])
