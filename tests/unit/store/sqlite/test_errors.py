"""The border: every error of the engine becomes one of ours."""

import apsw
import pytest

from hermes import errors
from hermes.store.sqlite.errors import translated, translating


def every_engine_error() -> list[type[apsw.Error]]:
    found = [apsw.Error]
    for cls in found:  # grows while we walk it
        found.extend(sub for sub in cls.__subclasses__() if sub.__module__.startswith("apsw"))
    return found[1:]


def test_apsw_has_the_errors_we_think_it_has() -> None:
    named = {value for value in vars(apsw).values() if isinstance(value, type) and issubclass(value, apsw.Error)}
    assert named - {apsw.Error} == set(every_engine_error())
    assert len(named) > 30


@pytest.mark.parametrize("cls", every_engine_error(), ids=lambda cls: cls.__name__)
def test_every_error_of_the_engine_is_mapped(cls: type[apsw.Error]) -> None:
    ours = translated(cls("details"), "/some/state.db")
    assert isinstance(ours, errors.StoreError | errors.BadInput)
    assert "/some/state.db" in str(ours)
    assert "details" in str(ours)
    assert "\n" not in str(ours)
    advice = str(ours).removeprefix("/some/state.db: ").partition(" (details)")[0]
    assert len(advice.split()) > 1, "the message says what to do"


@pytest.mark.parametrize(
    ("engine", "ours"),
    [
        (apsw.BusyError, errors.StoreBusy),
        (apsw.FullError, errors.DiskFull),
        (apsw.CorruptError, errors.StoreCorrupt),
        (apsw.NotADBError, errors.StoreCorrupt),
        (apsw.ReadOnlyError, errors.StoreReadOnly),
        (apsw.CantOpenError, errors.StoreUnavailable),
        (apsw.IOError, errors.StoreIO),
        (apsw.ConnectionClosedError, errors.StoreClosed),
        (apsw.TooBigError, errors.BadInput),
    ],
)
def test_the_class_says_who_acts_next(engine: type[apsw.Error], ours: type[errors.HermesError]) -> None:
    with pytest.raises(ours) as raised, translating("/some/state.db"):
        raise engine("x")
    assert isinstance(raised.value.__cause__, engine)


def test_other_errors_pass_as_they_are() -> None:
    with pytest.raises(KeyError), translating("x"):
        raise KeyError("ours to mend")
