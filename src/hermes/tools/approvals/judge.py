"""What a command would do, judged on what a shell makes of it. Programs that are not known, and everything that cannot
be told, are asked about."""

import glob
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hermes.tools.approvals.places import HARMLESS_DEVICES, is_inside, is_secret, real, write_reasons
from hermes.tools.approvals.rules import is_known, rule_for
from hermes.tools.approvals.shell.fields import UNKNOWN, Field, fields, scope_of
from hermes.tools.approvals.shell.parser import parse, scripts_in
from hermes.tools.approvals.shell.tree import (
    Function,
    Group,
    Node,
    NotUnderstood,
    Pipeline,
    Redirect,
    Script,
    Simple,
    Word,
)
from hermes.tools.approvals.variables import is_trusted, names_set

_DEEPEST = 12
_LARGEST_SCRIPT = 200_000
_TALKERS = frozenset({"echo", "printf", "cd", "test", "["})  # what they are given are words, not files
_BIN = ("/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/opt/homebrew/bin")


class Surroundings(NamedTuple):
    """Where a command runs: its folder, the workspace, the variables it sees."""

    folder: Path
    workspace: Path
    variables: Mapping[str, str]
    made: frozenset[Path] = frozenset()  # files that this conversation made, which it may replace


class Run(NamedTuple):
    """One program: its name without folders, its arguments, what it reads. `piped`: what another one writes; `stdin`: a
    text that is known."""

    name: str
    arguments: list[Field]
    piped: bool = False
    stdin: str | None = None
    certain: bool = False  # it runs, and in this very shell


class Verdict(NamedTuple):
    """Why a person has to be asked (nothing: it may run), and the files it would write."""

    reasons: tuple[str, ...]
    written: frozenset[Path]


def judged(command: str, surroundings: Surroundings) -> Verdict:
    judge = Judge(surroundings)
    try:
        judge.command(command)
    except NotUnderstood as reason:
        judge.ask(f"it is not understood: {reason}")
    return Verdict(tuple(dict.fromkeys(judge.reasons))[:5], frozenset(judge.written))


class Judge:
    def __init__(self, surroundings: Surroundings) -> None:
        self.surroundings = surroundings
        self.scope = scope_of(surroundings.variables, surroundings.folder)
        self.reasons: list[str] = []
        self._depth = 0
        self.written: set[Path] = set()
        self._assigned: set[str] = set()
        self._defining: list[str] = []  # functions
        self.built: set[Path] = set()  # programs that this very command compiles

    def ask(self, reason: str) -> None:
        self.reasons.append(reason.replace(UNKNOWN, "…"))

    # -- scripts

    def command(self, text: str) -> None:
        """A text that a shell would run, in the scope as it is now."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NotUnderstood("it is nested too deeply")
        script = parse(text)
        for name in names_set(script):
            self.scope.variables[name] = None
        self._assigned |= {name for node in script if isinstance(node, Simple) for name, _ in node.assigned}
        self._script(script, top=True)
        self._depth -= 1

    def later(self, body: Callable[[], None]) -> None:
        """Judge what runs at another time, when variables that are set here may have any value."""
        before = dict(self.scope.variables)
        self.scope.variables.update(dict.fromkeys(self._assigned))
        body()
        self.scope.variables = before

    def _script(self, script: Script, *, top: bool = False) -> None:
        for node in script:
            self._node(node, top=top)

    def _node(self, node: Node, *, top: bool = False, piped: bool = False) -> None:
        if isinstance(node, Simple):
            self._simple(node, top=top, piped=piped)
        elif isinstance(node, Pipeline):
            for place, one in enumerate(node.commands):
                self._node(one, piped=piped or place > 0)
        elif isinstance(node, Function):
            self.scope.functions.add(node.name)
            self._defining.append(node.name)
            self.later(lambda: self._script(node.body))
            self._defining.pop()
        else:
            self._group(node, piped=piped)

    def _group(self, node: Group, *, piped: bool) -> None:
        for word in node.words:
            self._expanded(word)
        redirected = self._redirects(node.redirects)
        for one in node.body:
            self._node(one, piped=piped or redirected is not None)

    def _expanded(self, word: Word) -> list[Field]:
        """The fields of a word; what expanding it runs is judged."""
        for script in scripts_in(word):
            self._script(script)
        return fields(word, self.scope)

    def _simple(self, node: Simple, *, top: bool, piped: bool) -> None:
        arguments = [field for word in node.words for field in self._expanded(word)]
        stdin = self._redirects(node.redirects)
        for name, value in node.assigned:
            self._assign(name, value, lasts=top and not arguments, alone=not arguments)
        if not arguments:
            return
        self._run(arguments, piped=piped, stdin=stdin, certain=top)

    def _assign(self, name: str, value: Word, *, lasts: bool, alone: bool) -> None:
        made = self._expanded(value)
        known = " ".join(field.text for field in made) if all(field.known for field in made) else None
        if is_trusted(name) and not (name == "IFS" and not alone) and not self._is_own_path(name, known):
            self.ask(f"{name} decides what other programs run")
        if alone:
            self.scope.variables[name] = known if lasts and self.scope.variables.get(name, "") is not None else None

    def _is_own_path(self, name: str, value: str | None) -> bool:
        """Whether modules are looked for in the workspace alone."""
        if name not in ("PYTHONPATH", "NODE_PATH") or value is None:
            return False
        found = [path for part in value.split(":") if part for path in self.paths(part) or [Path("/")]]
        return all(is_inside(path, self.surroundings.workspace) for path in found)

    # -- one program

    def _run(self, arguments: list[Field], *, piped: bool, stdin: str | None, certain: bool) -> None:
        first = arguments[0]
        if not first.known or (first.pattern and first.text != "["):
            self.ask(f"which program '{first.text}' is cannot be told")
            return
        if first.text in self._defining:
            self.ask(f"{first.text} runs itself again and again")
        if first.text in self.scope.functions and not is_known(first.text):
            return  # its body is judged where it stands
        name = self.program(first.text)
        if name is not None:
            self.run(Run(name, arguments[1:], piped, stdin, certain))

    def run(self, run: Run) -> None:
        """Judge a program by the rule for it; one without a rule is asked about."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NotUnderstood("it is nested too deeply")
        self._secrets(run)
        rule = rule_for(run.name)
        if rule is None:
            self.ask(f"what {run.name} does is not known")
        else:
            rule(self, run)
        self._depth -= 1

    def program(self, text: str) -> str | None:
        """The name a program is judged by; None: it is a file that was judged here."""
        if "/" not in text:
            return text
        path = self.path(text)
        if path is None:
            self.ask(f"which program '{text}' is cannot be told")
            return None
        folder = str(path.parent)
        in_environment = path.parent.name == "bin" and (path.parent.parent / "pyvenv.cfg").exists()
        if folder in _BIN or in_environment or folder.endswith("/node_modules/.bin"):
            return path.name
        self.script_file(path)
        return None

    def script_file(self, path: Path, *, shell: bool = False) -> None:
        """A file that is run: it has to be in the workspace, and a shell script is read. `shell`: a shell runs it,
        whatever it is."""
        if not is_inside(path, self.surroundings.workspace):
            self.ask(f"{path} is a program outside the workspace")
            return
        if path in self.built:
            return
        try:
            with path.open("rb") as file:
                head = file.read(_LARGEST_SCRIPT)
        except OSError:
            head = None
        if head is None or len(head) == _LARGEST_SCRIPT or real(path) in self.written:
            self.ask(f"what {path} will be when it runs cannot be told")
            return
        first = head.split(b"\n", 1)[0]
        binary = b"\0" in head[:1024]
        for_a_shell = not first.startswith(b"#!") or b"sh" in first.rsplit(b"/", 1)[-1]
        if shell or (for_a_shell and not binary):
            self.command(head.decode("utf-8", "replace"))

    # -- files

    def paths(self, text: str) -> list[Path]:
        """What a path may be, for every folder the command may be in; empty: it cannot be told."""
        if UNKNOWN in text or not text or (self.scope.anywhere and not text.startswith("/")):
            return []
        return [Path(one) for one in {os.path.normpath(folder / text) for folder in self.scope.folders}]

    def path(self, text: str) -> Path | None:
        """The one path that this is; None: it cannot be told."""
        found = self.paths(text)
        return found[0] if len(found) == 1 else None

    def writes(self, field: Field, *, over: bool = False) -> None:
        """A file that would be written. `over`: one that is there already is asked about too."""
        found = self.paths(field.text)
        if field.pattern or not found:
            self.ask(f"which file '{field.text}' is cannot be told")
        for path in found:
            where = real(path)
            self.written.add(where)
            for reason in write_reasons(path, self.surroundings.workspace):
                self.ask(reason)
            replaces = over and where.exists() and not where.is_dir() and str(path) not in HARMLESS_DEVICES
            if replaces and where not in self.surroundings.made:
                self.ask(f"{path} is there already")

    def writes_here(self) -> None:
        """Files with names that cannot be told would be written where the command is."""
        self.writes(Field("./."))

    def _secrets(self, run: Run) -> None:
        """Whoever touches a file with secrets is asked about, whatever the program."""
        if run.name in _TALKERS:
            return
        for field in run.arguments:
            for piece in {field.text, field.text.rpartition("@")[2], field.text.rpartition("=")[2]}:
                self._secret(piece, pattern=field.pattern)

    def _secret(self, text: str, *, pattern: bool = False) -> None:
        for path in self.paths(text) if not text.startswith("-") else ():
            found = [path, *map(Path, glob.glob(str(path))[:500])] if pattern else [path]
            secret = next((one for one in found if is_secret(one)), None)
            if secret is not None:
                self.ask(f"{secret} holds secrets")

    def _redirects(self, redirects: Sequence[Redirect]) -> str | None:
        """Judge redirections. Returns what is read, when that is a text that is known; an empty text: a file."""
        stdin = None
        for one in redirects:
            made = self._expanded(one.target)
            if one.operator in ("<<", "<<<"):
                stdin = "".join(field.text for field in made)
                continue
            if len(made) != 1:
                self.ask("where a redirection goes cannot be told")
            elif one.operator in ("<", "<&"):
                stdin = "" if one.operator == "<" else stdin
                self._read(made[0])
            elif not (one.operator == ">&" and (made[0].text.isdigit() or made[0].text in ("-", ""))):
                self.writes(made[0], over=one.operator in (">", ">|", "&>", ">&", "<>"))
        return stdin

    def _read(self, field: Field) -> None:
        if field.text.startswith(("/dev/tcp", "/dev/udp")):
            self.ask(f"{field.text} is another machine")
        self._secret(field.text, pattern=field.pattern)
