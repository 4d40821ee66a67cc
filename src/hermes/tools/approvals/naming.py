"""Lists of names, written as they are typed."""


def named(text: str) -> tuple[str, ...]:
    """The names in a text."""
    return tuple(text.split())
