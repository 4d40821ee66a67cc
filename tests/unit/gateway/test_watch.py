"""What is said about a turn that takes long, and when it is given up."""

from hermes.agent.base import ToolStarted
from hermes.config.areas.core import Agent
from hermes.gateway.watch import Due, Watch
from hermes.providers.base import TextDelta


def test_a_long_turn_shows_signs_of_life() -> None:
    watch = Watch(Agent(gateway_notify_interval=180), 0.0)
    assert watch.due(179.0) is None
    watch.hear(ToolStarted("c", "terminal", "{}"), 170.0)
    assert watch.due(180.0) == Due("Still at it (terminal), for 3 minutes now.") and watch.due(181.0) is None
    assert watch.due(360.0) == Due("Still at it (terminal), for 6 minutes now.")


def test_a_turn_that_is_silent_is_told_of_once_and_then_stopped() -> None:
    watch = Watch(Agent(gateway_notify_interval=0, gateway_timeout_warning=900, gateway_timeout=1800), 0.0)
    assert watch.due(899.0) is None
    assert watch.due(900.0) == Due("This takes long: nothing was heard for 15 minutes. /stop ends it.")
    assert watch.due(1000.0) is None
    stopped = watch.due(1800.0)
    assert stopped is not None and stopped.stop and watch.due(1801.0) is None


def test_every_sign_of_life_counts() -> None:
    watch = Watch(Agent(gateway_notify_interval=0, gateway_timeout_warning=10, gateway_timeout=20), 0.0)
    for now in range(0, 1000, 9):
        assert watch.due(float(now)) is None
        watch.hear(TextDelta("x"), float(now))


def test_nothing_happens_where_the_settings_say_never() -> None:
    watch = Watch(Agent(gateway_notify_interval=0, gateway_timeout_warning=0, gateway_timeout=0), 0.0)
    assert watch.due(1e9) is None
