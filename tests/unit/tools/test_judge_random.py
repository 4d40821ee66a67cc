"""Random scripts beside bash: none that passes the judge ever runs the forbidden program.

`rm` in these scripts is a program that leaves a mark. Scripts are grown from fragments that set variables, define
functions, run things conditionally, in subshells, pipes, loops and substitutions; those that the judge lets pass are
run for real, and no mark may be there afterwards.
"""

import os
import random
import subprocess
from pathlib import Path

from hermes.tools.approvals.judge import Surroundings, judged

NAMES = ("A", "B", "C")
VALUES = (
    "rm",
    "ls",
    "r",
    "m",
    "l",
    "s",
    "-x",
    "'rm x'",
    "'ls x'",
    '"$A"',
    "$B",
    "$A$B",
    "$(echo ls)",
    "$(echo rm)",
    "''",
    "\\rm",
)
RUNS = (
    "rm x",
    "ls",
    "$A x",
    "$A$B x",
    '"$A" x',
    "${A} x",
    "$C",
    "r$B x",
    "$A m",
    "f",
    "g x",
    "true",
    "echo rm",
    "ls rm",
    "\\ls",
    "echo $A",
    ": rm",
    "$_ x",
    "command $A x",
    "env $A x",
    "echo x | xargs $A",
    "find . -maxdepth 0 -exec $A {} \\;",
    "$(echo $A) x",
    "bash -c '$A x'",
    'bash -c "$A x"',
    'echo "$A x" | bash',
    'sh <<< "$A x"',
    "eval $A x",
    "printf '%s' rm",
    "test -n rm",
    "trap '$A x' EXIT",
    "ls $(ls)",
    "echo `$B`",
    "timeout 5 $A x",
    "nice $A x",
)
_SHELL = {"PATH": "", "HOME": "/nowhere"}


def statement(rng: random.Random, depth: int) -> str:
    kind = rng.randrange(16 if depth < 3 else 8)
    inner = lambda: statement(rng, depth + 1)  # noqa: E731 - a short name for a short thing
    name, value = rng.choice(NAMES), rng.choice(VALUES)
    if kind < 3:
        return f"{name}={value}"
    if kind < 7:
        return rng.choice(RUNS)
    simple = {
        7: lambda: f"{name}={value} {rng.choice(RUNS)}",
        8: lambda: f"{inner()}; {inner()}",
        9: lambda: f"{rng.choice(('true', 'false'))} {rng.choice(('&&', '||'))} {inner()}",
        10: lambda: f"( {inner()} )",
        11: lambda: f"f() {{ {inner()}; }}",
        12: lambda: f"if {rng.choice(('true', 'false'))}; then {inner()}; else {inner()}; fi",
        13: lambda: f"for {name} in {value} {rng.choice(VALUES)}; do {inner()}; done",
        14: lambda: f'echo "$({inner()})"',
        15: lambda: rng.choice(
            (
                f"{inner()} | cat",
                f"read {name} <<< {value}",
                f"export {name}={value}",
                f"unset {name}",
                f"ls() {{ {inner()}; }}",
                "rm() { :; }",
                f"local {name}={value}",
                f"{inner()} &",
            )
        ),
    }
    return simple[kind]()


def script(rng: random.Random) -> str:
    lines = [statement(rng, 0) for _ in range(rng.randint(1, 5))]
    text = lines[0]
    for line in lines[1:]:
        joined = "\n" if text.endswith("&") else rng.choice((";", "\n", " && ", " || "))
        text += joined + line
    return text


def test_nothing_that_passes_runs_what_is_forbidden(tmp_path: Path) -> None:
    programs, folder, mark = tmp_path / "bin", tmp_path / "work", tmp_path / "mark"
    programs.mkdir()
    folder.mkdir()
    (programs / "rm").write_text(f"#!/bin/sh\n: > {mark}\n")
    (programs / "rm").chmod(0o755)
    variables = {**_SHELL, "PATH": f"{programs}:{os.defpath}"}
    rng = random.Random(5)
    passed = forbidden = 0
    for _ in range(6000):
        text = script(rng)
        if judged(text, Surroundings(folder, folder, variables)).reasons:
            forbidden += 1
            continue
        passed += 1
        if passed > 150:
            break
        subprocess.run(["bash", "-c", text], cwd=folder, env=variables, capture_output=True, stdin=subprocess.DEVNULL,
                       timeout=20, check=False)  # fmt: skip
        assert not mark.exists(), text
    assert passed > 150
    assert forbidden > 250


def test_the_mark_is_left_by_what_is_forbidden(tmp_path: Path) -> None:
    """The check above can fail."""
    (tmp_path / "rm").write_text(f"#!/bin/sh\n: > {tmp_path}/mark\n")
    (tmp_path / "rm").chmod(0o755)
    subprocess.run(["bash", "-c", "A=r; B=m; $A$B x"], env={"PATH": f"{tmp_path}:{os.defpath}"}, check=True, timeout=60)
    assert (tmp_path / "mark").exists()
