"""The shell parser beside the shell: what it takes for granted is what bash does."""

import random
import subprocess
from pathlib import Path

import pytest

from hermes.tools.approvals.shell.fields import Field, fields, scope_of
from hermes.tools.approvals.shell.parser import parse
from hermes.tools.approvals.shell.tree import Group, NotUnderstood, Pipeline, Simple, Text

VARIABLES = {"A": "one", "B": "two words", "EMPTY": "", "HOME": "/home/me"}
PIECES = [
    *(
        "a",
        "b c",
        "'q r'",
        '"d e"',
        r"\x",
        r"\ ",
        r"\\",
        "$A",
        "${A}",
        "$B",
        '"$B"',
        "'$B'",
        "$EMPTY",
        '"$EMPTY"',
        "$UNSET",
    ),
    *(r"$'\x41\t\101'", r"$'it\'s'", '"\\$A \\" \\\\ \\n"', "{x,y}", "-rf", "=", "#", "~", "/", "$IFS", "${IFS}", "%"),
    *("@", ",", "é漢", "\\\n", "'{x,y}'", "!", "]", "$", '""', "''", '$"e f"'),
]
SOUP = [
    *(
        "ls",
        "a=1",
        "|",
        "||",
        "&&",
        ";",
        "&",
        "\n",
        "(",
        ")",
        "{",
        "}",
        "if",
        "then",
        "fi",
        "while",
        "do",
        "done",
        "for",
        "x",
    ),
    *(
        "in",
        "case",
        "esac",
        ";;",
        ")",
        "'q'",
        '"$A"',
        "$(ls)",
        "`ls`",
        ">",
        "f",
        "2>&1",
        "<",
        "f",
        "<<<",
        "w",
        "!",
        "[[",
        "]]",
    ),
    *("-f", "f()", "$((1+2))", "# c", "<(ls)", "function", "time", "else", "elif", "until"),
]


def words_by_bash(texts: list[str]) -> list[list[str]]:
    """What bash makes of each text, as a list of words; nothing runs but printf."""
    script = "".join(f"printf '%s\\0' [ {text} ]\nprintf '\\1\\0'\n" for text in texts)
    done = subprocess.run(
        ["bash"], input=script.encode(), env=VARIABLES, capture_output=True, cwd="/", check=True, timeout=60
    )
    groups = done.stdout.decode().split("\x01\0")[:-1]
    return [group.split("\0")[1:-2] for group in groups]


def is_plain(text: str) -> bool:
    """Whether this is understood, and is not a comment."""
    try:
        script = parse(f"printf [ {text} ]")
    except NotUnderstood:
        return False
    return len(script) == 1 and isinstance(script[0], Simple) and script[0].words[-1] == (Text("]", bare=True),)


def ours(text: str) -> list[Field]:
    (simple,) = parse(f"printf [ {text} ]")
    assert isinstance(simple, Simple)
    scope = scope_of(VARIABLES, Path("/"))
    return [field for word in simple.words[2:-1] for field in fields(word, scope)]


def test_known_words_are_the_words_bash_makes() -> None:
    rng = random.Random(7)
    texts = []
    while len(texts) < 1500:
        text = "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 5)))
        if is_plain(text):
            texts.append(text)
    compared = 0
    for text, expected in zip(texts, words_by_bash(texts), strict=True):
        found = ours(text)
        if all(field.known and not field.pattern and not field.several for field in found):
            assert [field.text for field in found] == expected, text
            compared += 1
    assert compared > 1000


def test_whatever_is_understood_is_right_for_bash_too() -> None:
    """The parser may refuse what bash takes, never the other way round."""
    rng = random.Random(11)
    taken = []
    for _ in range(12_000):
        text = " ".join(rng.choice(SOUP) for _ in range(rng.randint(1, 7)))
        try:
            parse(text)
        except NotUnderstood:
            continue
        taken.append(text)
    unique = sorted(set(taken))
    assert len(unique) > 300
    for text in rng.sample(unique, 120):
        done = subprocess.run(["bash", "-n"], input=text.encode(), capture_output=True, check=False, timeout=60)
        assert done.returncode == 0, (text, done.stderr)


@pytest.mark.parametrize(
    "text",
    [
        "echo 'a",
        'echo "a',
        "echo $(ls",
        "echo `ls",
        "(ls",
        "{ ls",
        "if ls; then ls",
        "ls )",
        "ls }; }",
        "cat <<EOF\nno end",
        "echo ${a",
        "echo ${!a}",
        "echo $[1]",
        "ls\r",
        "ls\x00",
        "ls \u202e",
        "a" * 100_001,
        "((",
        "echo $((a",
        "case x in",
        "[[ -f",
        "f() {",
        "ls |",
        "&& ls",
        "echo \\",
        "$(" * 60,
        "(" * 5000,
        "coproc ls",
    ],
)
def test_what_is_not_understood_says_so(text: str) -> None:
    with pytest.raises(NotUnderstood):
        parse(text)


def test_what_may_not_run_is_a_group() -> None:
    assert [type(node) for node in parse("a=1; false && a=2; a=3 &")] == [Simple, Simple, Group, Group]
    assert isinstance(parse("a | b")[0], Pipeline)


def test_a_here_document_is_read_where_bash_reads_it() -> None:
    first, second = parse("cat <<A <<'B'\none $X\nA\ntwo $(x)\nB\nls")
    assert isinstance(first, Simple)
    assert isinstance(second, Simple)
    assert [len(one.target) for one in first.redirects] == [6, 1]
    assert second.words[0][0].text == "ls"
