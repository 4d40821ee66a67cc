"""Programs that run other programs: the one inside is judged."""

import re
from typing import TYPE_CHECKING, Any

from hermes.tools.approvals.naming import named
from hermes.tools.approvals.rules import operands, options, rule
from hermes.tools.approvals.shell.fields import UNKNOWN, Field
from hermes.tools.approvals.variables import is_trusted

if TYPE_CHECKING:
    from hermes.tools.approvals.judge import Judge, Run

_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=")
# Options that take a value, of wrappers that otherwise have plain ones.
_VALUED = {
    "nice": {"-n", "--adjustment"},
    "ionice": {"-c", "-n", "-p", "--class", "--classdata"},
    "timeout": {"-s", "--signal", "-k", "--kill-after"},
    "stdbuf": {"-i", "-o", "-e"},
    "strace": {"-e", "-o", "-p", "-s", "-P", "-u"},
    "ltrace": {"-e", "-o", "-p", "-s", "-u"},
    "taskset": {"-c"},
    "chrt": {"-T", "-P", "-D"},
    "time": {"-f", "-o", "--format", "--output"},
    "exec": {"-a"},
    "setsid": set(),
    "flock": {"-w", "-E", "--timeout"},
}


def inner(judge: "Judge", arguments: list[Any], *, run: "Run | None" = None, more: Field | None = None) -> None:
    """A program inside another one. `more`: it gets arguments that cannot be told, behind these and for {}."""
    from hermes.tools.approvals.judge import Run

    if not arguments:
        return
    given = [Field(one.text.replace("{}", UNKNOWN), one.pattern, one.several) if more else one for one in arguments]
    if more:
        given = [*given, more]
    first = given[0]
    if not first.known or first.pattern:
        judge.ask(f"which program '{first.text}' is cannot be told")
        return
    name = judge.program(first.text)
    if name is not None:
        judge.run(Run(name, given[1:], run.piped if run else False, run.stdin if run else None))


@rule(
    *_VALUED,
    *named(
        """
        nohup command builtin unbuffer chronic caffeinate catchsegv eatmydata busybox toybox
        """
    ),
)
def wraps(judge: "Judge", run: "Run") -> None:
    rest = list(run.arguments)
    valued = _VALUED.get(run.name, set())
    while rest and rest[0].text.startswith("-") and rest[0].known:
        option = rest.pop(0).text
        if run.name == "command" and option in ("-v", "-V"):
            return
        if option in ("-o", "--output") and run.name in ("strace", "ltrace", "time") and rest:
            judge.writes(rest[0], over=True)
        if option in valued and rest:
            rest.pop(0)
    if run.name in ("timeout", "taskset", "chrt", "flock") and rest:
        rest.pop(0)  # how long, which processors, which file
    if run.name in ("taskset", "ionice", "chrt", "strace", "ltrace") and "-p" in options(run.arguments):
        judge.ask(f"{run.name} -p reaches into another process")
    inner(judge, rest, run=run)


@rule("env")
def env(judge: "Judge", run: "Run") -> None:
    rest = list(run.arguments)
    while rest:
        text = rest[0].text
        assigned = _ASSIGNED.match(text)
        if (
            text in ("-S", "--split-string")
            or text.startswith(("-S", "--split-string="))
            or (not rest[0].known and not assigned)
        ):
            judge.ask("what env runs cannot be told")
            return
        if text.startswith(("-C", "--chdir")):
            judge.ask("where env works cannot be told")
        if text in ("-u", "-C", "--unset", "--chdir"):
            rest = rest[2:]
        elif assigned or text.startswith("-"):
            if assigned and is_trusted(assigned[1]):
                judge.ask(f"{assigned[1]} decides what other programs run")
            rest.pop(0)
        else:
            break
    inner(judge, rest, run=run)


@rule("xargs", "gxargs")
def xargs(judge: "Judge", run: "Run") -> None:
    rest = list(run.arguments)
    valued = {"-I", "-n", "-P", "-L", "-d", "-s", "-E", "-a", "--max-args", "--max-procs", "--delimiter", "--replace"}
    while rest and rest[0].text.startswith("-"):
        option = rest.pop(0).text
        if option in valued and rest:
            rest.pop(0)
    given = [
        one._replace(text=re.sub(r"[{%@]\}?", UNKNOWN, one.text)) if place else one for place, one in enumerate(rest)
    ]
    inner(judge, given, more=Field(UNKNOWN, several=True))


@rule(
    *named(
        """
        sudo doas su pkexec runuser setpriv chroot unshare nsenter systemd-run runcon sg
        """
    ),
)
def other_rights(judge: "Judge", run: "Run") -> None:
    judge.ask(f"{run.name} runs a program with other rights")


@rule("eval")
def evaluates(judge: "Judge", run: "Run") -> None:
    judge.ask("eval runs a text as a command")


@rule("trap")
def trap(judge: "Judge", run: "Run") -> None:
    words = operands(run.arguments)
    if not words or words[0].text in ("", "-"):
        return
    if not words[0].known:
        judge.ask("what trap runs cannot be told")
    else:
        judge.later(lambda: judge.command(words[0].text))


@rule(
    *named(
        """
        watch hyperfine parallel script expect at batch screen tmux dtach abduco ld.so gdb lldb ld-linux-x86-64.so.2
        entr inotifywait setarch linux64 fakeroot proot firejail bwrap socat vim vi nvim emacs nano ed
        """
    ),
)
def may_run_anything(judge: "Judge", run: "Run") -> None:
    judge.ask(f"{run.name} can run anything")
