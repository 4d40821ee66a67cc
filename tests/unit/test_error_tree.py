"""The error tree: drawn in its docstring, with an exit code for each branch."""

import inspect

import pytest

from hermes import errors


def every_error() -> list[type[errors.HermesError]]:
    return [cls for _, cls in inspect.getmembers(errors, inspect.isclass) if issubclass(cls, errors.HermesError)]


def test_the_docstring_draws_every_class_under_its_parent() -> None:
    drawn: dict[str, int] = {}
    for line in (errors.__doc__ or "").splitlines():
        name = line.lstrip("│├└─ ").partition(" ")[0]
        if hasattr(errors, name):
            drawn[name] = len(line) - len(line.lstrip("│├└─ "))
    assert set(drawn) == {cls.__name__ for cls in every_error()}
    for cls in every_error():
        if cls is not errors.HermesError:
            parent = cls.__mro__[1].__name__
            assert drawn[cls.__name__] == drawn[parent] + 4, f"{cls.__name__} is drawn under {parent}"


@pytest.mark.parametrize(
    ("cls", "code"),
    [(errors.BadInput, 2), (errors.ConfigError, 2), (errors.TitleInUse, 2), (errors.SessionNotFound, 1),
     (errors.AmbiguousId, 1), (errors.StoreBusy, 3), (errors.StoreCorrupt, 3), (errors.MigrationFailed, 3)],
)  # fmt: skip
def test_exit_codes_follow_the_branch(cls: type[errors.HermesError], code: int) -> None:
    assert cls.exit_code == code


def test_documented_types_are_kept() -> None:
    assert issubclass(errors.TitleInUse, ValueError)
    assert issubclass(errors.BadInput, ValueError)
    assert issubclass(errors.SessionNotFound, LookupError)


@pytest.mark.parametrize(
    "error",
    [errors.TitleInUse("T", "s"), errors.KeyReused("k", 5), errors.AlreadyContinued("s", "t"),
     errors.SessionNotFound("s"), errors.MessageNotFound("s", 5), errors.AmbiguousId("2", ["2a", "2b"]),
     errors.StoreTooNew("/x", 13, 12, ours=True), errors.StoreTooNew("/x", 13, 12, ours=False)],
)  # fmt: skip
def test_an_error_writes_its_own_line(error: errors.HermesError) -> None:
    assert "\n" not in str(error)
    assert str(error).endswith(".")


def test_an_ambiguous_prefix_shows_a_few_of_the_matches() -> None:
    error = errors.AmbiguousId("2", [f"2{n}" for n in range(9)])
    assert "20, 21, 22, 23, 24, …" in str(error)
    assert error.matches == [f"2{n}" for n in range(9)]
