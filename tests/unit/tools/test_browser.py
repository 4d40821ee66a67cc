"""A browser at work: made with the first step, given up when it hangs, closed when nobody uses it."""

import threading

import pytest

from hermes.errors import ToolError
from hermes.tools.browser.base import Browser
from hermes.tools.browser.driven import Driven
from tests.servers.platform import until


class Still(Browser):
    """Answers at once, unless it is told to hang or to fail."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self.closed = False

    def snapshot(self) -> str:
        return f"a page, {threading.get_ident() == self.thread}"

    def click(self, ref: str) -> str:
        if ref == "hang":
            threading.Event().wait(120)
        raise SystemExit(ref)

    def close(self) -> None:
        self.closed = True


class Making:
    def __init__(self) -> None:
        self.made: list[Still] = []

    def __call__(self) -> Still:
        self.made.append(Still())
        return self.made[-1]


def test_a_browser_is_made_with_the_first_step_and_used_from_one_thread() -> None:
    making = Making()
    driven = Driven("still", making, 60, 600)
    assert making.made == []
    assert [driven.step("snapshot"), driven.step("snapshot")] == ["a page, True"] * 2
    driven.close()
    assert [one.closed for one in making.made] == [True]


def test_what_it_raises_and_what_it_cannot_do_is_told_and_it_goes_on() -> None:
    making = Making()
    driven = Driven("still", making, 60, 600)
    with pytest.raises(ToolError, match=r"The browser still failed \(SystemExit: e1; tools/test_browser.py:\d+\)\."):
        driven.step("click", "e1")
    with pytest.raises(ToolError, match="The browser still has no back"):
        driven.step("back")
    assert driven.step("snapshot") == "a page, True"
    assert len(making.made) == 1
    driven.close()


def test_one_that_hangs_is_given_up_and_another_made() -> None:
    making = Making()
    driven = Driven("still", making, 3, 600)
    with pytest.raises(ToolError, match="did not answer within 3 s"):
        driven.step("click", "hang")
    assert driven.step("snapshot") == "a page, True"
    assert len(making.made) == 2
    driven.close()


def test_one_that_cannot_be_made_is_told() -> None:
    driven = Driven("still", lambda: 1 / 0, 60, 600)  # type: ignore[arg-type,return-value]
    with pytest.raises(ToolError, match="ZeroDivisionError"):
        driven.step("snapshot")
    driven.close()


def test_one_that_nobody_uses_is_closed_and_made_again_when_it_is_wanted() -> None:
    making = Making()
    driven = Driven("still", making, 60, 0.05)
    driven.step("snapshot")
    until(lambda: making.made[0].closed, 60)
    driven.step("snapshot")
    assert len(making.made) == 2
    driven.close()
    assert making.made[1].closed
