"""The grammar of bash, as far as commands that people and models write use it: a tree, or NotUnderstood."""

import re
import unicodedata
from collections.abc import Callable

from hermes.tools.approvals.shell.tree import (
    Function,
    Group,
    Node,
    NotUnderstood,
    Number,
    Output,
    Pipeline,
    Redirect,
    Script,
    Simple,
    Stream,
    Text,
    Variable,
    Word,
)
from hermes.tools.approvals.shell.words import DEEPEST, ENDS, Reader

_LONGEST = 100_000
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\+?=")
_REDIRECT = re.compile(r"(?:\d*|\{[A-Za-z_]\w*\})(&>>|&>|<<<|<<-|<<|<>|<&|>>|>&|>\||<|>)")
# `a[$(…)]` runs when a variable that holds it is calculated with, quoted or not.
_SUBSCRIPT = re.compile(r"\w\[\s*(\$\(|`|\$\{)")
_RESERVED = frozenset({"then", "do", "done", "fi", "elif", "else", "esac", "in", "}", "]]"})
_REGEX_ENDS = frozenset(" \t\n")


def parse(text: str) -> Script:
    """The commands of a text."""
    if len(text) > _LONGEST:
        raise NotUnderstood("it is very long")
    if _SUBSCRIPT.search(text):
        raise NotUnderstood("a command inside a subscript")
    for char in text:
        if char not in "\n\t" and unicodedata.category(char) in ("Cc", "Cf", "Cs") and char != "\u200d":
            raise NotUnderstood("it has characters that cannot be seen")
    try:
        return Parser(text).script("")
    except RecursionError:
        raise NotUnderstood("it is nested too deeply") from None


class Parser(Reader):
    def __init__(self, text: str, depth: int = 0) -> None:
        super().__init__(text, depth)
        self._documents: list[tuple[list[Redirect], int, str, bool, bool]] = []  # here-documents still to come

    # -- lists of commands

    def script(self, closing: str) -> Script:
        """Commands up to a closing mark, which is read too; an empty one: up to the end."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise NotUnderstood("it is nested too deeply")
        outer, self._documents, began = self._documents, [], self.at
        nodes = self._list(stop=lambda: bool(closing) and self.starts(closing))
        if closing:
            self.take(closing)
        elif self.peek():
            raise NotUnderstood(f"{self.text[self.at : self.at + 20]!r} is not understood")
        if self._documents or (outer and "\n" in self.text[began : self.at]):
            raise NotUnderstood("a here-document that is not understood")
        self.depth -= 1
        self._documents = outer
        return nodes

    def _until(self, *words: str) -> Script:
        """Commands up to one of these reserved words, which is not read."""
        nodes = self._list(stop=lambda: self._reserved() in words)
        if self._reserved() not in words:
            raise NotUnderstood(f"{words[0]!r} is missing")
        return nodes

    def _list(self, stop: Callable[[], bool]) -> list[Node]:
        nodes: list[Node] = []
        before = ""
        while True:
            self._skip_lines()
            if not self.peek() or stop():
                if before in ("&&", "||"):
                    raise NotUnderstood(f"nothing stands after {before}")
                return nodes
            node = self._pipeline()
            self.skip_blanks()
            after = "" if self.starts(";;") else self._separator()
            # What may not run at all, or runs in a shell of its own, is a group: what it sets may not last.
            own = before in ("&&", "||") or after == "&"
            nodes.append(Group((node,)) if own else node)
            if not after:
                return nodes
            before = after

    def _separator(self) -> str:
        """What stands between two commands; empty: nothing does."""
        for mark in ("&&", "||"):
            if self.starts(mark):
                self.at += 2
                return mark
        mark = self.peek()
        if mark and mark in ";&\n":
            self.at += 1
            if mark == "\n":
                self._read_documents()
            return mark
        return "#" if mark == "#" else ""

    def _skip_lines(self) -> None:
        while True:
            self.skip_blanks()
            if self.starts("#"):
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif self.starts("\n"):
                self.at += 1
                self._read_documents()
            else:
                return

    def _reserved(self) -> str:
        match = re.compile(r"[a-z{}!\[\]]+").match(self.text, self.at)
        word = match[0] if match else ""
        following = self.text[self.at + len(word) : self.at + len(word) + 1]
        return word if not following or following in " \t\n;&|()<>" else ""

    def _pipeline(self) -> Node:
        commands = []
        while True:
            self._skip_lines() if commands else self.skip_blanks()
            while self._reserved() in ("!", "time"):
                self.at += len(self._reserved())
                self.skip_blanks()
                if self.starts("-p "):
                    self.at += 3
                    self.skip_blanks()
            commands.append(self._command())
            self.skip_blanks()
            if self.starts("||") or not self.starts("|"):
                return commands[0] if len(commands) == 1 else Pipeline(tuple(commands))
            self.at += 2 if self.starts("|&") else 1

    # -- one command

    def _command(self) -> Node:
        known = {
            "if": self._if, "while": self._while, "until": self._while, "for": self._for, "select": self._for,
            "case": self._case, "{": self._braces, "[[": self._test, "function": self._function,
        }  # fmt: skip
        word = self._reserved()
        if word in known:
            self.at += len(word)
            return self._with_redirects(known[word]())
        if word in _RESERVED or word == "coproc":
            raise NotUnderstood(f"{word!r} stands where a command should")
        if self.starts("(("):
            self.arithmetic("((", "))")
            return self._with_redirects(Group(()))
        if self.starts("("):
            self.at += 1
            body = self.script(")")
            if not body:
                raise NotUnderstood("nothing stands between ( and )")
            return self._with_redirects(Group(body))
        return self._simple()

    def _with_redirects(self, node: Node) -> Node:
        redirects: list[Redirect] = []
        self.skip_blanks()
        while self._redirect(redirects):
            self.skip_blanks()
        # The list itself is kept: a here-document is put into it when its lines are read.
        return node._replace(redirects=redirects) if isinstance(node, Group) else node

    def _simple(self) -> Node:
        assigned: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        while True:
            self.skip_blanks()
            if self._redirect(redirects):
                continue
            if not self.peek() or (self.peek() in ENDS and not self._is_stream()):
                break
            if self.peek() == "#" and (self.at == 0 or self.text[self.at - 1] in " \t\n;&|()"):
                break
            if not words and self._assignment(assigned):
                continue
            words.append(self.word())
            if len(words) == 1 and not assigned and self._is_definition():
                return self._defined(words[0])
        if not (assigned or words or redirects):
            raise NotUnderstood(f"{self.text[self.at : self.at + 20] or 'its end'!r} is not understood")
        return Simple(assigned, words, redirects)

    def _assignment(self, assigned: list[tuple[str, Word]]) -> bool:
        match = _ASSIGNMENT.match(self.text, self.at)
        if match is None:
            return False
        self.at = match.end()
        if self.peek() == "(":
            self._array(match[1], assigned)
            return True
        blank = not self.peek() or (self.peek() in ENDS and not self._is_stream())
        value: Word = () if blank else self.word()
        assigned.append((match[1], (*value, Number()) if "+=" in match[0] else value))
        return True

    def _array(self, name: str, assigned: list[tuple[str, Word]]) -> None:
        self.at += 1
        while True:
            self._skip_lines()
            if self.starts(")"):
                break
            assigned.append((name, (*self.word(), Number())))
        self.at += 1
        assigned.append((name, (Number(),)))

    def _redirect(self, redirects: list[Redirect]) -> bool:
        match = _REDIRECT.match(self.text, self.at)
        if match is None or (match[0] in ("<", ">") and self._is_stream()):
            return False
        self.at = match.end()
        self.skip_blanks()
        if self.starts("#") or (_REDIRECT.match(self.text, self.at) and not self._is_stream()):
            raise NotUnderstood("a redirection to nowhere")
        if match[1] in ("<<", "<<-"):
            self._document(match[1], redirects)
        else:
            redirects.append(Redirect(match[1], self.word()))
        return True

    # -- here-documents

    def _document(self, operator: str, redirects: list[Redirect]) -> None:
        began = self.at
        word = self.word()
        if not all(isinstance(part, Text) for part in word):
            raise NotUnderstood("a here-document whose end is not known")
        mark = "".join(part.text for part in word if isinstance(part, Text))
        quoted = any(char in self.text[began : self.at] for char in "'\"\\")
        redirects.append(Redirect("<<", ()))
        self._documents.append((redirects, len(redirects) - 1, mark, quoted, operator == "<<-"))

    def _read_documents(self) -> None:
        """The bodies of the here-documents announced on the line that just ended."""
        waiting, self._documents = self._documents, []
        for redirects, place, mark, quoted, tabs in waiting:
            lines = []
            while True:
                if self.at >= len(self.text):
                    raise NotUnderstood("a here-document does not end")
                line, _, _ = self.text[self.at :].partition("\n")
                self.at = min(len(self.text), self.at + len(line) + 1)
                line = line.lstrip("\t") if tabs else line
                if line == mark:
                    break
                lines.append(line + "\n")
            body = "".join(lines)
            content: Word = (Text(body),) if quoted else tuple(type(self)(body, self.depth).quoted(""))
            redirects[place] = Redirect("<<", content)

    # -- compound commands

    def _if(self) -> Node:
        body = [*self._until("then")]
        while True:
            self.at += 4  # then, elif or else
            body += self._until("elif", "else", "fi")
            if self._reserved() == "fi":
                self.at += 2
                return Group(tuple(body))
            if self._reserved() == "elif":
                self.at += 4
                body += self._until("then")

    def _while(self) -> Node:
        condition = self._until("do")
        return Group((*condition, *self._do()))

    def _do(self) -> Script:
        self.take("do")
        body = self._until("done")
        self.at += 4
        return body

    def _for(self) -> Node:
        self.skip_blanks()
        if self.starts("(("):
            self.arithmetic("((", "))")
            self._skip_to("do")
            return Group(self._do())
        match = re.compile(r"[A-Za-z_]\w*").match(self.text, self.at)
        if match is None:
            raise NotUnderstood("a loop that is not understood")
        self.at = match.end()
        self._skip_lines()
        words: list[Word] = []
        if self._reserved() == "in":
            self.at += 2
            self.skip_blanks()
            while self.peek() and self.peek() not in ";\n":
                words.append(self.word())
                self.skip_blanks()
        self._skip_to("do")
        return Group(self._do(), tuple(words), sets=(match[0],))

    def _skip_to(self, word: str) -> None:
        self.skip_blanks()
        if self.starts(";"):
            self.at += 1
        self._skip_lines()
        if self._reserved() != word:
            raise NotUnderstood(f"{word!r} is missing")

    def _case(self) -> Node:
        self.skip_blanks()
        words = [self.word()]
        self._skip_lines()
        self.take("in")
        body: list[Node] = []
        while True:
            self._skip_lines()
            if self._reserved() == "esac":
                self.at += 4
                return Group(tuple(body), tuple(words))
            self._patterns(words)
            body += self._list(stop=lambda: self.starts(";;") or self._reserved() == "esac")
            self.skip_blanks()
            if self.starts(";;"):
                self.at += 3 if self.starts(";;&") else 2
            elif self.starts(";&"):
                self.at += 2

    def _patterns(self, words: list[Word]) -> None:
        if self.starts("("):
            self.at += 1
        while True:
            self.skip_blanks()
            words.append(self.word())
            self.skip_blanks()
            if self.starts(")"):
                self.at += 1
                return
            self.take("|")

    def _braces(self) -> Node:
        body = self._until("}")
        self.at += 1
        return Group(body)

    def _test(self) -> Node:
        """`[[ … ]]`: words are looked at, nothing runs but what they expand."""
        words: list[Word] = []
        pattern = False
        while True:
            self._skip_lines()
            if not self.peek():
                raise NotUnderstood("']]' is missing")
            if self.starts("]]"):
                self.at += 2
                return Group((), tuple(words))
            if not pattern and self.peek() in "()<>&|" and not self._is_stream():
                self.at += 1
                continue
            began = self.at
            words.append(self.word(_REGEX_ENDS if pattern else ENDS))
            pattern = self.text[began : self.at] == "=~"

    # -- functions

    def _is_definition(self) -> bool:
        return re.compile(r"[ \t]*\([ \t]*\)").match(self.text, self.at) is not None

    def _defined(self, word: Word) -> Node:
        if len(word) != 1 or not isinstance(word[0], Text) or not word[0].bare:
            raise NotUnderstood("a function without a name")
        self.skip_blanks()
        self.take("(")
        self.skip_blanks()
        self.take(")")
        return self._body(word[0].text)

    def _function(self) -> Node:
        self.skip_blanks()
        name = self.word()
        if self._is_definition():
            return self._defined(name)
        if len(name) != 1 or not isinstance(name[0], Text):
            raise NotUnderstood("a function without a name")
        return self._body(name[0].text)

    def _body(self, name: str) -> Node:
        self._skip_lines()
        body = self._command()
        if not isinstance(body, Group):
            raise NotUnderstood(f"the body of {name} is not understood")
        return Function(name, (body,))


def scripts_in(word: Word) -> list[Script]:
    """Every script that expanding a word would run."""
    found: list[Script] = []
    for part in word:
        if isinstance(part, Output | Stream):
            found.append(part.script)
        elif isinstance(part, Variable):
            found += scripts_in(part.inside)
    return found
