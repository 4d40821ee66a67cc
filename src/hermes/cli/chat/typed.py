"""What was typed at earlier prompts, for the arrow keys and Ctrl-R. A private file that does not grow for ever."""

from prompt_toolkit.history import FileHistory, History, InMemoryHistory, ThreadedHistory

from hermes import paths

_LARGEST = 1_000_000  # bytes


def typed_before() -> History:
    file = paths.chat_history()
    try:
        paths.make_private_folder(file.parent)
        paths.create_private_file(file)
        paths.tighten(file)
        if file.stat().st_size > _LARGEST:
            _shorten()
    except OSError:
        return InMemoryHistory()
    return ThreadedHistory(FileHistory(str(file)))


def _shorten() -> None:
    """Keep the newer half, from the beginning of an entry on."""
    file = paths.chat_history()
    kept = file.read_bytes()[-_LARGEST // 2 :]
    start = kept.find(b"\n# ")
    file.write_bytes(kept[start + 1 :] if start >= 0 else b"")
