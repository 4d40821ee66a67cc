"""An answer that is being written, cut where Markdown may be cut: a block is drawn once, when it is complete."""

import re

_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")


class Blocks:
    """Takes text as it comes and gives back the blocks that are complete by now; `tail` is what is not."""

    def __init__(self) -> None:
        self._lines: list[str] = []  # complete lines of the block under way
        self._line = ""  # the line under way
        self._fence = ""  # what closes the code we are in

    @property
    def tail(self) -> str:
        return "\n".join([*self._lines, self._line])

    def add(self, text: str) -> list[str]:
        done: list[str] = []
        *complete, self._line = (self._line + text).split("\n")
        for line in complete:
            done += self._take(line)
        return done

    def _take(self, line: str) -> list[str]:
        if self._fence:
            self._lines.append(line)
            if line.strip().startswith(self._fence) and not line.strip().strip(self._fence[0]):
                self._fence = ""
                return self._cut()
            return []
        opened = _FENCE.match(line)
        if opened:
            done = self._cut()
            self._fence = opened[1]
            self._lines.append(line)
            return done
        if not line.strip():
            return self._cut()
        self._lines.append(line)
        return []

    def _cut(self) -> list[str]:
        block = "\n".join(self._lines)
        self._lines = []
        return [block] if block.strip() else []

    def end(self) -> list[str]:
        """What is left, as it is."""
        if self._line:
            self._lines.append(self._line)
        self._line, self._fence = "", ""
        return self._cut()
