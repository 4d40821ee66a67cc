"""Words of the shell: quotes, escapes, expansions. The reader below knows where it is; the grammar is in parser.py."""

import re

from hermes.tools.approvals.shell.tree import NotUnderstood, Number, Output, Part, Script, Stream, Text, Variable, Word

BLANK = " \t"
ENDS = frozenset(" \t\n;&|<>()")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SPECIAL = frozenset("@*#?-$!0123456789")
_ANSI = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ANSI_CODE = re.compile(r"x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})")
DEEPEST = 30


class Reader:
    """The text and how far it is read. `script` is given by the parser: it reads commands up to a closing mark."""

    def __init__(self, text: str, depth: int = 0) -> None:
        if depth > DEEPEST:
            raise NotUnderstood("it is nested too deeply")
        self.text = text
        self.at = 0
        self.depth = depth

    def script(self, closing: str) -> Script:
        raise NotImplementedError

    # -- characters

    def peek(self, ahead: int = 0) -> str:
        place = self.at + ahead
        return self.text[place] if place < len(self.text) else ""

    def starts(self, mark: str) -> bool:
        return self.text.startswith(mark, self.at)

    def take(self, mark: str) -> None:
        if not self.starts(mark):
            raise NotUnderstood(f"there should be {mark!r} after {self.text[max(0, self.at - 20) : self.at]!r}")
        self.at += len(mark)

    def skip_blanks(self) -> None:
        """Blanks, and lines that are continued."""
        while self.peek() and (self.peek() in BLANK or self.starts("\\\n")):
            self.at += 2 if self.peek() == "\\" else 1

    # -- words

    def word(self, ends: frozenset[str] = ENDS) -> Word:
        """The word that begins here; at least one character."""
        parts: list[Part] = []
        while self.peek() and (self.peek() not in ends or self._is_stream()):
            parts += self._part(ends)
        if not parts:
            raise NotUnderstood(f"there should be a word at {self.text[self.at : self.at + 20]!r}")
        return _joined(parts)

    def _is_stream(self) -> bool:
        return self.starts("<(") or self.starts(">(")

    def _part(self, ends: frozenset[str]) -> list[Part]:
        char = self.peek()
        if char == "\\":
            return self._escaped()
        if char == "'":
            return [Text(self._raw())]
        if char == '"':
            self.at += 1
            return [Text(""), *self.quoted('"')]
        if char in "$`":
            return self.expansion(bare=True)
        if self._is_stream() and char in ends:
            self.at += 2
            return [Stream(self.script(")"))]
        self.at += 1
        return [Text(char, bare=True)]

    def _escaped(self) -> list[Part]:
        following = self.peek(1)
        if not following:
            raise NotUnderstood("it ends with a backslash")
        self.at += 2
        return [] if following == "\n" else [Text(following)]

    def _raw(self) -> str:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise NotUnderstood("a quote is not closed")
        text = self.text[self.at + 1 : end]
        self.at = end + 1
        return text

    def quoted(self, closing: str) -> list[Part]:
        """Up to the closing mark, which is read too; an empty one: up to the end. In here only $, ` and some escapes
        count."""
        parts: list[Part] = []
        escapable = '$`\\\n"' if closing else "$`\\\n"
        while not (closing and self.starts(closing)):
            char = self.peek()
            if not char:
                if closing:
                    raise NotUnderstood("a quote is not closed")
                return parts
            if char == "\\" and self.peek(1) and self.peek(1) in escapable:
                parts += self._escaped()
            elif char in "$`":
                parts += self.expansion(bare=False)
            else:
                parts.append(Text(char))
                self.at += 1
        self.at += len(closing)
        return parts

    # -- expansions

    def expansion(self, *, bare: bool) -> list[Part]:
        """What begins with a dollar or a backtick."""
        if self.starts("$\\\n"):
            raise NotUnderstood("a line that is continued inside an expansion")
        if self.peek() == "`":
            return [Output(self._backticks(), bare)]
        if self.starts("$(("):
            return [self.arithmetic("$((", "))")]
        if self.starts("$("):
            self.at += 2
            return [Output(self.script(")"), bare)]
        if self.starts("${"):
            return [self._braced(bare)]
        if bare and self.starts("$'"):
            return [Text(self._ansi())]
        if bare and self.starts('$"'):
            self.at += 2
            return [Text(""), *self.quoted('"')]
        if self.starts("$["):
            raise NotUnderstood("$[…] is not understood")
        return [self._named(bare)]

    def _named(self, bare: bool) -> Part:
        self.at += 1
        name = _NAME.match(self.text, self.at)
        if name:
            self.at = name.end()
            if self.starts("\\\n"):
                raise NotUnderstood("a line that is continued inside a name")
            return Variable(name[0], bare)
        if self.peek() and self.peek() in _SPECIAL:
            self.at += 1
            return Variable(self.text[self.at - 1], bare)
        return Text("$", bare)

    def _braced(self, bare: bool) -> Part:
        """`${…}`. Anything but a plain name is an operation, whose value is not known."""
        self.take("${")
        if self.peek() == "#" and self.peek(1) != "}":
            self.at += 1  # a length
            self._braced_rest()
            return Number()
        if self.peek() == "!":
            raise NotUnderstood("a variable named by another one")
        name = _NAME.match(self.text, self.at)
        if name is None and not (self.peek() and self.peek() in _SPECIAL):
            raise NotUnderstood("an expansion that is not understood")
        self.at = name.end() if name else self.at + 1
        called = name[0] if name else self.text[self.at - 1]
        if self.starts("}"):
            self.at += 1
            return Variable(called, bare)
        began = self.at
        rest = self._braced_rest()
        if not bare and "'" in self.text[began : self.at]:
            raise NotUnderstood("quotes inside quotes")  # there they are plain characters, and what is in them expands
        return Variable(called, bare, True, tuple(rest))

    def _braced_rest(self) -> list[Part]:
        parts: list[Part] = []
        while not self.starts("}"):
            if not self.peek():
                raise NotUnderstood("a brace is not closed")
            parts += self._part(frozenset("}"))
        self.at += 1
        return parts

    def arithmetic(self, opening: str, closing: str) -> Number:
        """A calculation. One that runs commands is not understood."""
        self.take(opening)
        depth = 0
        while depth or not self.starts(closing):
            char = self.peek()
            if not char or char in "`'\"\\" or self.starts("$("):
                raise NotUnderstood("a calculation that is not understood")
            depth += (char == "(") - (char == ")")
            self.at += 1
        self.at += len(closing)
        return Number()

    def _backticks(self) -> Script:
        end = self.at + 1
        while end < len(self.text) and self.text[end] != "`":
            end += 2 if self.text[end] == "\\" else 1
        if end >= len(self.text):
            raise NotUnderstood("a backtick is not closed")
        inside = re.sub(r"\\([$`\\])", r"\1", self.text[self.at + 1 : end])
        self.at = end + 1
        return type(self)(inside, self.depth + 1).script("")

    def _ansi(self) -> str:
        """`$'…'`"""
        self.take("$'")
        text = ""
        while not self.starts("'"):
            char = self.peek()
            if not char:
                raise NotUnderstood("a quote is not closed")
            if char != "\\":
                text += char
                self.at += 1
                continue
            text += self._ansi_escape()
        self.at += 1
        return text

    def _ansi_escape(self) -> str:
        following = self.peek(1)
        code = _ANSI_CODE.match(self.text, self.at + 1)
        if code:
            self.at = code.end()
            digits = next(group for group in code.groups() if group)
            value = int(digits, 8 if code[4] else 16)
            if value == 0 or value > 0x10FFFF:
                raise NotUnderstood("a character that is none")
            return chr(value)
        if not following or following == "c":
            raise NotUnderstood("an escape that is not understood")
        self.at += 2
        return _ANSI.get(following, following if following in "\\'\"?" else "\\" + following)


def _joined(parts: list[Part]) -> Word:
    """Neighbouring characters of one kind as one text."""
    joined: list[Part] = []
    for part in parts:
        last = joined[-1] if joined else None
        if isinstance(part, Text) and isinstance(last, Text) and last.bare == part.bare:
            joined[-1] = Text(last.text + part.text, part.bare)
        else:
            joined.append(part)
    return tuple(joined)
