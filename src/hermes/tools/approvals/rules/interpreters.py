"""Shells and languages: a text they are given is judged where it can be read, and asked about where it cannot."""

from typing import TYPE_CHECKING, Any

from hermes.tools.approvals.naming import named
from hermes.tools.approvals.python_code import why_not
from hermes.tools.approvals.rules import operands, options, rule
from hermes.tools.approvals.shell.fields import UNKNOWN

if TYPE_CHECKING:
    from hermes.tools.approvals.judge import Judge, Run

_PLAIN_MODULES = frozenset(
    named(
        """
    pytest unittest doctest http.server venv json.tool mypy ruff black isort flake8 pylint compileall py_compile
    build sphinx mkdocs coverage tokenize ast calendar site this platform sysconfig
    """
    )
)


@rule("sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "rbash")
def shells(judge: "Judge", run: "Run") -> None:
    place = next((at for at, one in enumerate(run.arguments) if _is_code(one.text)), None)
    if place is not None:
        _code(judge, run.arguments[place + 1] if place + 1 < len(run.arguments) else None)
        return
    words = operands(run.arguments, frozenset({"-o", "-O", "+o", "--rcfile", "--init-file"}))
    if options(run.arguments) & {"--rcfile", "--init-file", "-i", "-l", "--login"}:
        judge.ask(f"{run.name} reads files of its own first")
    if options(run.arguments) & {"--version", "--help"}:
        return
    if words and "-s" not in options(run.arguments):
        _file(judge, words[0])
    elif run.stdin:
        _text(judge, run.stdin)
    else:
        judge.ask(f"{run.name} runs what it is sent")


def _is_code(text: str) -> bool:
    return text.startswith("-") and not text.startswith("--") and "c" in text


def _code(judge: "Judge", code: Any) -> None:
    if code is None or not code.known:
        judge.ask("a shell is given a text that cannot be told")
    else:
        _text(judge, code.text)


def _text(judge: "Judge", text: str) -> None:
    if UNKNOWN in text:
        judge.ask("a shell is given a text that cannot be told")
    else:
        judge.later(lambda: judge.command(text))


def _file(judge: "Judge", field: Any) -> None:
    path = judge.path(field.text)
    if path is None or field.pattern:
        judge.ask("which script is run cannot be told")
    else:
        judge.script_file(path, shell=True)


@rule("source", ".")
def source(judge: "Judge", run: "Run") -> None:
    words = operands(run.arguments)
    path = judge.path(words[0].text) if words else None
    if path is not None and path.name.startswith("activate") and (path.parent.parent / "pyvenv.cfg").exists():
        return  # an environment of Python; what it brings is judged by name
    if words:
        _file(judge, words[0])


@rule(
    *named(
        """
        python python3 python2 pypy pypy3 python3.10 python3.11 python3.12 python3.13 python3.14
        """
    ),
)
def python(judge: "Judge", run: "Run") -> None:
    rest = list(run.arguments)
    while rest and rest[0].text.startswith("-") and rest[0].text != "-":
        option = rest.pop(0).text
        if option.endswith("c") and not option.startswith("--"):
            _python_text(judge, rest[0].text if rest else UNKNOWN)
            return
        if option == "-m" or (option.startswith("-") and option.endswith("m") and not option.startswith("--")):
            _python_module(judge, rest)
            return
        if option in ("-W", "-X") and rest:
            rest.pop(0)
        if option in ("-V", "--version", "-VV", "-h", "--help"):
            return
    if rest and rest[0].text != "-":
        _program_file(judge, rest[0])
    elif run.stdin:
        _python_text(judge, run.stdin)
    else:
        judge.ask("Python runs what it is sent")


def _python_text(judge: "Judge", code: str) -> None:
    reason = "what Python is told to do cannot be told" if UNKNOWN in code else why_not(code)
    if reason:
        judge.ask(reason)


def _python_module(judge: "Judge", rest: list[Any]) -> None:
    from hermes.tools.approvals.judge import Run

    if not rest or not rest[0].known:
        judge.ask("which module Python runs cannot be told")
    elif rest[0].text in ("pip", "pipx", "uv", "poetry", "twine", "ensurepip"):
        judge.run(Run(rest[0].text, rest[1:]))
    elif rest[0].text in ("venv", "json.tool"):
        _writing_module(judge, rest[0].text, rest[1:])
    elif rest[0].text not in _PLAIN_MODULES:
        path = judge.path(rest[0].text.replace(".", "/"))
        if path is None or not (path.is_dir() or path.with_suffix(".py").is_file()):
            judge.ask(f"what the module {rest[0].text} does is not known")


def _writing_module(judge: "Judge", name: str, rest: list[Any]) -> None:
    """`venv FOLDER …`, `json.tool IN OUT`"""
    words = operands(rest, frozenset({"--prompt", "--indent"}))
    if "--clear" in options(rest):
        judge.ask("venv --clear deletes what is in the folder")
    for field in words if name == "venv" else words[1:2]:
        judge.writes(field, over=name != "venv")


@rule(
    *named(
        """
        node nodejs deno bun ruby perl php lua Rscript julia tclsh osascript java ghci ts-node tsx groovy scala
        elixir iex guile racket swift
        """
    ),
)
def languages(judge: "Judge", run: "Run") -> None:
    """A file in the workspace may run; a text, or whatever is sent, is asked about."""
    words = operands(run.arguments)
    given = options(run.arguments)
    if (
        given
        and given <= {"--version", "-v", "--help", "-h", "-version", *(f"-{one}" for one in "version")}
        and not words
    ):
        return
    if given & {"-e", "-E", "-p", "-r", "-n", "-i", "--eval", "--print", "--require", "--import", "-pe", "-ne", "-pi"}:
        judge.ask(f"{run.name} is given a text to run")
    elif not words or words[0].text == "-":
        judge.ask(f"{run.name} runs what it is sent")
    elif run.name in ("bun", "deno"):
        if any("://" in one.text for one in words):
            judge.ask(f"{run.name} fetches a program and runs it")
        if words[0].text not in ("test", "run", "install", "build", "lint", "fmt", "check"):
            judge.ask(f"what {run.name} {words[0].text} does is not known")
    else:
        _program_file(judge, words[0])


def _program_file(judge: "Judge", field: Any) -> None:
    from hermes.tools.approvals.places import is_inside

    path = judge.path(field.text)
    if path is None or field.pattern:
        judge.ask(f"which program '{field.text}' is cannot be told")
    elif not is_inside(path, judge.surroundings.workspace):
        judge.ask(f"{path} is a program outside the workspace")


@rule(
    *named(
        """
        psql mysql mariadb redis-cli mongosh mongo sqlplus clickhouse-client duckdb cqlsh influx
        """
    ),
)
def databases(judge: "Judge", run: "Run") -> None:
    if not options(run.arguments) & {"--version", "--help"}:
        judge.ask(f"{run.name} can change a database")


@rule("sqlite3")
def sqlite(judge: "Judge", run: "Run") -> None:
    words = operands(run.arguments)
    text = words[1].text.strip().lower() if len(words) > 1 and words[1].known else ""
    path = judge.path(words[0].text) if words else None
    reads = text.startswith(
        ("select ", ".tables", ".schema", "pragma table_info", "explain ")
    ) and ";" not in text.rstrip("; ")
    if not reads or path is None or path.name.startswith("state.db") or "-cmd" in options(run.arguments):
        judge.ask("sqlite3 can change a database")
