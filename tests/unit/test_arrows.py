"""Which way the arrows point: draws the imports between packages and fails on one that points the wrong way."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
# Top row first. A package imports from the rows below its own, never from a neighbour, never upwards.
ROWS = (
    ("__main__",),
    ("cli", "tui", "web", "gateway", "mcp", "acp", "bundled"),
    ("commands",),
    ("agent",),
    ("store", "providers", "tools", "memory", "skills", "plugins"),
    ("package",),
    ("config", "log", "guarded"),
    ("model", "paths"),
    ("errors",),
)
ROOT = "app"  # the composition root sits beside the picture and may import everyone
ROW_OF = {package: row for row, packages in enumerate(ROWS) for package in packages}
SQL = re.compile(
    r"\b(SELECT\s.+\sFROM\s|INSERT\s+(OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|PRAGMA\s+\w|"
    r"CREATE\s+(UNIQUE\s+)?(TABLE|INDEX|TRIGGER|VIEW|VIRTUAL)\s|ALTER\s+TABLE\s)",
    re.DOTALL,
)

Arrows = dict[tuple[str, str], set[str]]  # (from, to): the modules that draw it


@cache
def modules() -> dict[str, str]:
    """Every module of the program, by its dotted name."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path.read_text()
    return found


def imported(name: str, source: str) -> Iterator[str]:
    """Dotted names a module imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join([*name.split(".")[: -node.level], *([base] if base else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def package(dotted: str) -> str | None:
    parts = dotted.split(".")
    return parts[1] if parts[0] == "hermes" and len(parts) > 1 else None


def arrows(sources: dict[str, str]) -> Arrows:
    packages = {package(name) for name in sources} - {None}
    found: Arrows = {}
    for name, source in sources.items():
        here = package(name)
        for dotted in imported(name, source):
            there = package(dotted)
            if here and there in packages and there != here:
                found.setdefault((here, there), set()).add(name)
    return found


def surprising(found: Arrows) -> list[str]:
    """Arrows that do not point downwards, and packages that are not in the picture."""
    problems = []
    for (here, there), names in sorted(found.items()):
        if ROOT in (here, there):
            if there == ROOT:
                problems.append(f"{here} → {ROOT}: nobody imports the composition root ({', '.join(sorted(names))})")
        elif here not in ROW_OF or there not in ROW_OF:
            problems.append(f"{here} → {there}: not in the picture; give it a row")
        elif ROW_OF[here] >= ROW_OF[there]:
            problems.append(f"{here} → {there} points up or sideways ({', '.join(sorted(names))})")
    return problems


def picture(found: Arrows) -> str:
    lines = []
    for row in ROWS:
        present = [one for one in row if any(one in arrow for arrow in found)]
        for one in present:
            targets = sorted((there for here, there in found if here == one), key=lambda there: ROW_OF.get(there, 99))
            lines.append(f"{one:>10} → {', '.join(targets) or '·'}")
    return "\n".join(lines)


def sql_in(source: str) -> list[str]:
    """Texts of a module that are SQL; what its docstrings say is not."""
    tree = ast.parse(source)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    said = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said
        if SQL.search(node.value + " ")
    ]


def test_every_arrow_points_down() -> None:
    found = arrows(modules())
    print(picture(found))
    assert ("store", "model") in found
    assert surprising(found) == []


def test_sql_is_written_in_the_engines_alone() -> None:
    found = {name: sql_in(source) for name, source in modules().items() if not _is_engine(name)}
    assert {name: texts for name, texts in found.items() if texts} == {}
    assert sql_in(modules()["hermes.store.sqlite.sessions"])


def reads_environment(source: str) -> bool:
    """Whether a module asks the process for its variables itself."""
    return any(
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and (node.value.id, node.attr) in {("os", "environ"), ("os", "environb"), ("os", "getenv")}
        for node in ast.walk(ast.parse(source))
    )


def test_the_environment_is_read_in_few_places() -> None:
    readers = {name for name, source in modules().items() if reads_environment(source)}
    assert readers == {"hermes.paths", "hermes.config.environment", "hermes.cli.terminal"}


def test_no_second_sqlite_is_ever_loaded() -> None:
    """Two copies of SQLite in one process break each other's file locks."""
    users = [
        name for name, source in modules().items() if "sqlite3" in {i.split(".")[0] for i in imported(name, source)}
    ]
    assert users == []


def test_the_documented_import_names_are_thin() -> None:
    for name in ("hermes_state", "hermes_constants"):
        assert len(modules()[name].splitlines()) < 15


def _is_engine(name: str) -> bool:
    return name.startswith(("hermes.store.sqlite", "hermes.store.postgres"))


# -- the checks themselves can fail


@pytest.mark.parametrize(
    ("module", "source", "problem"),
    [
        ("hermes.store.x", "from hermes.cli import main", "store → cli points up"),
        ("hermes.store.x", "def f():\n    import hermes.providers.base", "store → providers points up or sideways"),
        ("hermes.model.x", "from hermes import paths", "model → paths points up or sideways"),
        ("hermes.errors", "from .model import ids", "errors → model points up"),
        ("hermes.attic.x", "from hermes import errors", "attic → errors: not in the picture"),
        ("hermes.cli.x", "import hermes.app", "cli → app: nobody imports"),
    ],
)
def test_a_wrong_arrow_is_found(module: str, source: str, problem: str) -> None:
    others = {f"hermes.{name}.y": "" for name in ("cli", "store", "providers", "model", "paths", "errors", "app")}
    (found,) = surprising(arrows(others | {module: source}))
    assert found.startswith(problem)


def test_right_arrows_are_not() -> None:
    sources = {
        "hermes.cli.x": "from hermes.store import SessionDB\nfrom hermes.cli.y import z\nimport json",
        "hermes.store.x": "from hermes import __version__, errors\nfrom ..model import ids",
        "hermes.model.x": "",
        "hermes.errors": "",
        "hermes.app": "from hermes import cli, store",
    }
    assert surprising(arrows(sources)) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("x = 'SELECT id FROM sessions'", 1),
        ("x = f'DELETE FROM {table}'", 1),
        ("x = 'PRAGMA journal_mode=WAL'", 1),
        ("def f():\n    'SELECT id FROM sessions is what this asks.'", 0),
        ("x = 'Select a session from the list'", 0),
        ("x = 'update'", 0),
    ],
)
def test_sql_is_told_from_words(source: str, found: int) -> None:
    assert len(sql_in(source)) == found
