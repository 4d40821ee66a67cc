"""Changes to the text of a file: the change itself, and not a character more."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.config import document, rewrite
from hermes.config.edits import MISSING, Drop, Edit, Put, applied, at

COMMENTED = """\
# My settings.

sessions:
  auto_prune: true          # opt in
  retention_days:   '90'    # quarter

  # how often
  min_interval_hours: 24


# how things look
display: {compact: true, skin: 'mono'}
toolsets:
- web      # search
- file
providers: {}
empty:
prompt: |
  # not a comment
  two lines

last: "x" # the end
# really
"""


def put(text: str, key: str, value: object) -> str:
    return rewrite.changed(text, [Put(tuple(key.split(".")), value)])


def drop(text: str, key: str) -> str:
    return rewrite.changed(text, [Drop(tuple(key.split(".")))])


def difference(before: str, after: str) -> list[str]:
    changes = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line for line in changes if line[0] in "+-"]


@pytest.mark.parametrize(
    ("key", "value", "changes"),
    [
        (
            "sessions.auto_prune",
            False,
            ["-   auto_prune: true          # opt in", "+   auto_prune: false          # opt in"],
        ),
        (
            "sessions.retention_days",
            30,
            ["-   retention_days:   '90'    # quarter", "+   retention_days:   30    # quarter"],
        ),
        ("sessions.trash_days", 7, ["+   trash_days: 7"]),
        (
            "display.compact",
            False,
            ["- display: {compact: true, skin: 'mono'}", "+ display: {compact: false, skin: 'mono'}"],
        ),
        (
            "display.language",
            "no",
            ["- display: {compact: true, skin: 'mono'}", "+ display: {compact: true, skin: 'mono', language: no}"],
        ),
        ("toolsets", ["a", "b c"], ["- toolsets:", "- - web      # search", "- - file", "+ toolsets: [a, b c]"]),
        (
            "providers.mine.base_url",
            "http://x:1/v1",
            ["- providers: {}", "+ providers:", "+   mine:", "+     base_url: http://x:1/v1"],
        ),
        ("empty.a.b", 1, ["+   a:", "+     b: 1"]),
        ("empty", "text", ["- empty:", "+ empty: text"]),
        ("prompt", "short", ["- prompt: |", "-   # not a comment", "-   two lines", "+ prompt: short"]),
        ("last", "y", ['- last: "x" # the end', "+ last: y # the end"]),
        ("last.a", 1, ['- last: "x" # the end', "+ last: # the end", "+   a: 1"]),
        ("new.deep.key", True, ["+ new:", "+   deep:", "+     key: true"]),
        ("new", {"a": {"b": 1}, "c": []}, ["+ new:", "+   a:", "+     b: 1", "+   c: []"]),
    ],
)
def test_setting_a_value_changes_its_place_alone(key: str, value: object, changes: list[str]) -> None:
    after = put(COMMENTED, key, value)
    assert sorted(difference(COMMENTED, after)) == sorted(changes)
    assert at(document.parse(after).tree, tuple(key.split("."))) == value


@pytest.mark.parametrize(
    ("key", "changes"),
    [
        ("sessions.auto_prune", ["-   auto_prune: true          # opt in"]),
        ("sessions.min_interval_hours", ["-   min_interval_hours: 24"]),
        (
            "sessions",
            [
                "- sessions:",
                "-   auto_prune: true          # opt in",
                "-   retention_days:   '90'    # quarter",
                "- ",
                "-   # how often",
                "-   min_interval_hours: 24",
            ],
        ),
        ("display.skin", ["- display: {compact: true, skin: 'mono'}", "+ display: {compact: true}"]),
        ("toolsets", ["- toolsets:", "- - web      # search", "- - file"]),
        ("empty", ["- empty:"]),
        ("prompt", ["- prompt: |", "-   # not a comment", "-   two lines"]),
        ("last", ['- last: "x" # the end']),
        ("nothing.there", []),
    ],
)
def test_taking_a_key_out_leaves_the_rest(key: str, changes: list[str]) -> None:
    after = drop(COMMENTED, key)
    assert sorted(difference(COMMENTED, after)) == sorted(changes)
    assert at(document.parse(after).tree, tuple(key.split("."))) is MISSING


def test_a_section_goes_with_its_last_key() -> None:
    assert drop("a: 1\nb:\n  c:\n    d: 1\n# end\n", "b.c.d") == "a: 1\n# end\n"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("", "a: 1\n"),
        ("# only words\n", "# only words\na: 1\n"),
        ("# no newline", "# no newline\na: 1\n"),
        ("b: 2", "b: 2\na: 1\n"),
        ("---\nb: 2\n...\n", "---\nb: 2\na: 1\n...\n"),
        ("{}\n", "{a: 1}\n"),
        ("{b: 2}\n", "{b: 2, a: 1}\n"),
        ("ключ: значение # да\n", "ключ: значение # да\na: 1\n"),
        ("😀: '😀' # 😀\n", "😀: '😀' # 😀\na: 1\n"),
    ],
)
def test_a_key_is_added_to_any_file(text: str, after: str) -> None:
    assert put(text, "a", 1) == after


def test_characters_of_every_width_keep_places_right() -> None:
    assert put("😀: 1 # 日本\nключ: {a: 'é'}\n", "ключ.a", "ü") == "😀: 1 # 日本\nключ: {a: ü}\n"


WORDS = (
    "yes true null ~ 12 0x1f 1e5 [x { *a &a !t % @x it's ` | ? << = x: :x 😀 ${VAR} +49123 2024-01-01 --- ... a]b C:\\x"
)
TEXTS = ["", "a: b", "a #b", "- a", "a, b", 'say "hi"', "tab\there", "two\nlines", " pad ", "http://h:1/p?q=1#f"]
CONTROLS = ["\x07", "\x7f", "\x85", "\ufeff", "\u2028"]
OTHERS = [0, -7, 0.5, 1e-9, True, False, None, [], {}, [1, ["a, b"]], {"a b": {"c": "d: e"}}]


@pytest.mark.parametrize("value", [*WORDS.split(), *TEXTS, *CONTROLS, *OTHERS])
def test_every_value_is_read_back_as_it_was(value: object) -> None:
    for text in ("k: old # c\n", "k: {}\n", "{k: 1}\n", "a:\n  k:\n", "", "a: {k: 1}\n"):
        key = "a.k" if text.startswith("a") else "k"
        assert at(document.parse(put(text, key, value)).tree, tuple(key.split("."))) == value


def test_remarks_inside_braces_are_not_lost() -> None:
    with pytest.raises(rewrite.Unwritable):
        drop("a: {\n  b: 1, # why\n  c: 2\n}\n", "a.b")


# -- any file, any change

_NAMES = st.sampled_from(["a", "b", "c d", "é", "9", "on"])
_SCALARS = st.sampled_from([1, "x", "a: b", True, None, 0.5, "on", "", "日本"])
_TREES = st.recursive(
    st.one_of(_SCALARS, st.lists(_SCALARS, max_size=3)),
    lambda inner: st.dictionaries(_NAMES, inner, max_size=4),
    max_leaves=12,
)
_PATHS = st.lists(_NAMES, min_size=1, max_size=3).map(tuple)
_EDITS = st.one_of(_PATHS.map(Drop), st.tuples(_PATHS, _TREES).map(lambda pair: Put(*pair)))


class Writer:
    """Writes a tree as a person might: some sections on one line, remarks here and there."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.remarks = 0

    def block(self, tree: dict, column: int = 0) -> str:
        lines = []
        for key, value in tree.items():
            lines.append(self.remark(column))
            head = " " * column + rewrite.rendered(key) + ":"
            if isinstance(value, dict) and value and self.draw(st.booleans()):
                lines.append(f"{head}{self.tail()}\n{self.block(value, column + self.draw(st.sampled_from([2, 4])))}")
            elif isinstance(value, list) and value and self.draw(st.booleans()):
                items = "".join(f"{' ' * column}- {rewrite.rendered(item)}{self.tail()}\n" for item in value)
                lines.append(f"{head}{self.tail()}\n{items}")
            else:
                empty = value is None and self.draw(st.booleans())
                lines.append(f"{head}{'' if empty else ' ' + rewrite.rendered(value)}{self.tail()}\n")
        return "".join(lines)

    def remark(self, column: int) -> str:
        self.remarks += 1
        return self.draw(
            st.sampled_from(["", "\n", f"{' ' * column}# remark {self.remarks}\n", f"# far {self.remarks}\n"])
        )

    def tail(self) -> str:
        self.remarks += 1
        return self.draw(st.sampled_from(["", f"  # tail {self.remarks}"]))


@st.composite
def _files(draw: st.DrawFn) -> str:
    tree = draw(st.dictionaries(_NAMES, _TREES, max_size=4))
    return Writer(draw).block(tree) + draw(st.sampled_from(["", "# end\n", "\n\n# end"]))


@given(_files(), _EDITS)
def test_any_edit_of_any_file_does_what_it_says(text: str, edit: Edit) -> None:
    tree = document.parse(text).tree
    assert document.parse(rewrite.changed(text, [edit])).tree == applied(tree, [edit])


@given(_files(), _PATHS, _SCALARS)
def test_remarks_outlive_a_new_value(text: str, path: tuple[str, ...], value: object) -> None:
    tree = document.parse(text).tree
    goes = [at(tree, path), *(at(tree, path[:end]) for end in range(1, len(path)))]
    after = rewrite.changed(text, [Put(path, value)])
    if not isinstance(goes[0], dict) and not any(isinstance(one, list) for one in goes):
        kept = [part for part in text.split("#")[1:] if part.split("\n")[0] in after]
        assert len(kept) == text.count("#")
