"""Fields of a small YAML file that somebody else wrote (a skill, a plugin), taken out one by one; what is wrong with
them is noted with its line."""

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from hermes.config import document
from hermes.config.document import Broken, KeyPath


class Wrong(NamedTuple):
    """What is wrong, and where. A serious one makes the whole useless."""

    line: int
    text: str
    serious: bool = False


class Fields:
    """`above`: how many lines of the file stand over the text. `required` fields are missed when they are not there."""

    def __init__(self, text: str, *, above: int = 0, required: Collection[str] = ()) -> None:
        self.wrong: list[Wrong] = []
        self._above = above
        self._required = required
        self.tree: dict[str, Any] = {}
        self._lines: dict[KeyPath, int] = {}
        try:
            read = document.parse(text)
            self.tree, self._lines = read.tree, document.lines(text)
            self.wrong += [Wrong(line + above, f"{key} stands there twice") for key, line in read.repeated]
        except Broken as broken:
            self.wrong.append(Wrong((broken.where or (1, 1))[0] + above, broken.reason, True))

    @property
    def broken(self) -> bool:
        """Whether nothing can be read from it."""
        return not self.tree and any(one.serious for one in self.wrong)

    def at(self, path: KeyPath) -> Any:
        found: Any = self.tree
        for key in path:
            found = found.get(key) if isinstance(found, dict) else None
        return found

    def note(self, path: KeyPath, what: str, *, serious: bool = False) -> None:
        known = (self._lines[path[:length]] for length in range(len(path), 0, -1) if path[:length] in self._lines)
        self.wrong.append(Wrong(next(known, 1 - self._above) + self._above, f"{'.'.join(path)} {what}", serious))

    def text(self, path: KeyPath, *, serious: bool = False) -> str:
        value = self.at(path)
        if value is None or (isinstance(value, str) and not value.strip()):
            if path[0] in self._required:
                self.note(path, "is missing", serious=serious)
            return ""
        if isinstance(value, bool | list | dict):
            self.note(path, "has to be text", serious=serious)
            return ""
        return str(value).strip()

    def flag(self, path: KeyPath) -> bool:
        """Whether something was asked for. What is neither yes nor no is noted, and counts as asked for."""
        value = self.at(path)
        if value is None or isinstance(value, bool):
            return bool(value)
        self.note(path, "has to be true or false")
        return True

    def texts(self, path: KeyPath, fits: Callable[[str], Any] = bool, expected: str = "some text") -> tuple[str, ...]:
        value = self.at(path)
        if value is None:
            return ()
        if not isinstance(value, list):
            self.note(path, "has to be a list")
            return ()
        good = [one.strip() for one in value if isinstance(one, str) and fits(one.strip())]
        if len(good) < len(value):
            self.note(path, f"has an entry that is not {expected}")
        return tuple(good)

    def named(self, path: KeyPath, fits: Callable[[str], Any], expected: str) -> list[dict[str, Any]]:
        """A list of names, or of sections with a `name`; each comes as a section."""
        value = self.at(path)
        if value is not None and not isinstance(value, list):
            self.note(path, "has to be a list")
            return []
        found = [{"name": one} if isinstance(one, str) else one for one in value or ()]
        good = [
            one for one in found if isinstance(one, dict) and isinstance(one.get("name"), str) and fits(one["name"])
        ]
        if len(good) < len(found):
            self.note(path, f"has an entry without {expected}")
        return good

    def sections(self, path: KeyPath) -> bool:
        """Whether these are sections, as far as they are there."""
        for depth in range(1, len(path) + 1):
            if not isinstance(self.at(path[:depth]) or {}, dict):
                self.note(path[:depth], "has to be a section")
                return False
        return True

    def strangers(self, known: Collection[str], path: KeyPath = ()) -> None:
        """Note every key that has no meaning here."""
        for key in self.at(path) or {} if path else self.tree:
            if key not in known:
                self.note((*path, str(key)), f"is not a field{_near(str(key), known)}")


def _near(key: str, known: Collection[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(key, sorted(known), 1)
    return f"; did you mean {near[0]}?" if near else " that is known here"
