"""What people, the assistant and tools say in the corpus, as long as wanted."""

import random
from itertools import islice

from bench.vocabulary import CJK_PAIR, CJK_RATE, Vocabulary, planted

_SCRIPTS = {  # first character, how many, what ends a sentence
    "zh": (0x4E00, 3000, "。"),
    "ja": (0x3041, 80, "。"),
    "ko": (0xAC00, 2000, ". "),
}


class Writer:
    """Writes text of any length from one random source."""

    def __init__(self, rng: random.Random, vocabulary: Vocabulary) -> None:
        self._rng = rng
        self._vocabulary = vocabulary
        self._words = vocabulary.stream(rng)
        self._outputs = (self._log, self._code, self._matches, self._listing, self._records)

    def prose(self, length: int) -> str:
        pieces, size = [], 0
        while size < length:
            sentence = " ".join(islice(self._words, self._rng.randint(4, 18)))
            pieces.append(
                f"{sentence[0].upper()}{sentence[1:]}{self._rng.choice(('. ', '. ', '. ', ', ', '? ', chr(10)))}"
            )
            size += len(pieces[-1])
        return self._cut(pieces, length)

    def output(self, length: int) -> str:
        """A tool's output: many lines of one shape, or a web page."""
        if self._rng.random() < 0.2:
            return self.prose(length)
        line = self._rng.choice(self._outputs)
        pieces, size = [], 0
        while size < length:
            pieces.append(line(len(pieces)))
            size += len(pieces[-1])
        return self._cut(pieces, length)

    def cjk(self, length: int, script: str) -> str:
        """Chinese, Japanese or Korean, with a Latin word here and there."""
        first, count, stop = _SCRIPTS[script]
        pieces, size = [], 0
        while size < length:
            ideographs = script == "ja" and self._rng.random() < 0.5
            start, span = (0x4E00, 2000) if ideographs else (first, count)
            pieces.append(
                "".join(chr(start + int(span * self._rng.random() ** 2)) for _ in range(self._rng.randint(2, 9)))
            )
            pieces.append(self._rng.choice(("，", stop, "", "", f" {next(self._words)} ")))
            size += len(pieces[-1]) + len(pieces[-2])
        if script != "ko" and self._rng.random() < CJK_RATE:
            pieces.insert(self._rng.randrange(len(pieces)), CJK_PAIR)
        return "".join(pieces)[: length + 2].rstrip()

    def path(self) -> str:
        return self._rng.choice(self._vocabulary.paths)

    def name(self) -> str:
        return self._rng.choice(self._vocabulary.names)

    def _cut(self, pieces: list[str], length: int) -> str:
        text = "".join(pieces)[:length].rstrip()
        for found in planted(self._rng):
            at = text.find(" ", self._rng.randrange(len(text) + 1))
            text = f"{text[:at]} {found}{text[at:]}" if at > 0 else f"{text} {found}"
        return text

    def _some(self, least: int, most: int) -> str:
        return " ".join(islice(self._words, self._rng.randint(least, most)))

    def _log(self, number: int) -> str:
        clock = f"{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.{self._rng.randrange(1000):03}"
        level = self._rng.choice(("INFO", "INFO", "INFO", "DEBUG", "WARNING", "ERROR"))
        return f"2026-03-14 {clock} {level} {self.name()}: {self._some(3, 12)}\n"

    def _code(self, number: int) -> str:
        indent = "    " * self._rng.randint(0, 3)
        body = self._rng.choice(
            (
                f"{self.name()} = {self.name()}({self._some(1, 1)}, {next(self._words)})",
                f"if {next(self._words)} is not None and {self.name()}({next(self._words)}):",
                f"return {self.name()}[{self._rng.randrange(100)}]",
                f"# {self._some(4, 12)}",
                f'"{next(self._words)}": "{self._some(1, 5)}",',
            )
        )
        return f"{number + 1:6}\t{indent}{body}\n"

    def _matches(self, number: int) -> str:
        return f"{self.path()}:{self._rng.randrange(2000)}: {self._some(3, 10)}\n"

    def _listing(self, number: int) -> str:
        month = self._rng.choice(("Jan", "Feb", "Mar", "Apr"))
        day = f"{month} {self._rng.randint(1, 28):2} {self._rng.randrange(24):02}:17"
        return f"-rw-r--r-- 1 user user {self._rng.randrange(10**6):7} {day} {self.path()}\n"

    def _records(self, number: int) -> str:
        return (
            f'{{"id": "{self._rng.getrandbits(48):012x}", "name": "{self.name()}", "text": "{self._some(3, 14)}"}},\n'
        )
