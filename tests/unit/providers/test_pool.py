"""Keys that take turns and rest."""

import json
import multiprocessing
import stat
import time
from pathlib import Path

import pytest

from hermes import paths
from hermes.config import load
from hermes.errors import BadInput, ConfigError, KeyRefused, NotFound, QuotaSpent, RateLimited
from hermes.providers.base import Finished, Request
from hermes.providers.choose import main_provider
from hermes.providers.pool import Pool, PooledKeys
from tests.servers.scripted import Fail, Say, Scripted

NOTHING: frozenset[str] = frozenset()


def pooled(strategy: str, *keys: str, given: tuple[str, ...] = ()) -> PooledKeys:
    for key in keys:
        Pool().add("openrouter", key)
    return PooledKeys(Pool(), "openrouter", strategy, given)


def test_the_file_is_private_and_made_with_the_first_key() -> None:
    assert Pool().entries() == []
    assert not paths.credentials_file().exists()
    Pool().add("openrouter", "sk-1")
    assert stat.S_IMODE(paths.credentials_file().stat().st_mode) == 0o600


def test_a_file_that_others_can_read_is_tightened() -> None:
    Pool().add("openrouter", "sk-1")
    paths.credentials_file().chmod(0o644)
    Pool().entries()
    assert stat.S_IMODE(paths.credentials_file().stat().st_mode) == 0o600


def test_keys_are_added_listed_and_removed() -> None:
    Pool().add("openrouter", "sk-1")
    Pool().add("openrouter", "sk-2", "work")
    Pool().add("openai", "sk-3")
    assert [(entry.label, entry.key) for entry in Pool().entries("openrouter")] == [("key 1", "sk-1"), ("work", "sk-2")]
    Pool().remove("openrouter", "work")
    Pool().remove("openrouter", "1")
    assert [entry.provider for entry in Pool().entries()] == ["openai"]


def test_what_cannot_be_is_refused() -> None:
    Pool().add("openrouter", "sk-1", "a")
    with pytest.raises(BadInput, match="already"):
        Pool().add("openrouter", "sk-1", "b")
    with pytest.raises(BadInput, match="label"):
        Pool().add("openrouter", "sk-2", "a")
    with pytest.raises(NotFound):
        Pool().remove("openrouter", "2")


def test_fill_first_takes_the_first_as_long_as_it_does() -> None:
    keys = pooled("fill_first", "k1", "k2")
    assert [keys.take(NOTHING) for _ in range(3)] == ["k1"] * 3
    keys.failed("k1", RateLimited("x", 60))
    assert keys.take(NOTHING) == "k2"


def test_round_robin_goes_round_over_processes() -> None:
    keys = pooled("round_robin", "k1", "k2", "k3")
    again = PooledKeys(Pool(), "openrouter", "round_robin", ())
    assert [one.take(NOTHING) for one in (keys, again, keys, again)] == ["k1", "k2", "k3", "k1"]


def test_least_used_evens_out() -> None:
    keys = pooled("least_used", "k1", "k2")
    assert sorted(str(keys.take(NOTHING)) for _ in range(4)) == ["k1", "k1", "k2", "k2"]


def test_random_takes_every_key_in_the_end() -> None:
    keys = pooled("random", "k1", "k2")
    assert {keys.take(NOTHING) for _ in range(40)} == {"k1", "k2"}


def test_given_keys_go_before_those_of_the_pool() -> None:
    assert pooled("fill_first", "k1", given=("env",)).take(NOTHING) == "env"


@pytest.mark.parametrize(
    ("error", "least", "most"),
    [
        (RateLimited("x", 7), 6, 7),
        (RateLimited("x"), 50, 60),
        (KeyRefused("x"), 3000, 3600),
        (QuotaSpent("x"), 3000, 3600),
        (RateLimited("x", 10**9), 80_000, 86_400),
    ],
)
def test_how_long_a_key_rests(error: RateLimited, least: float, most: float) -> None:
    keys = pooled("fill_first", "k1", "k2")
    keys.failed("k1", error)
    (state,) = Pool().states(["k1"])
    assert least <= state.rests_until - time.time() <= most


def test_when_all_rest_the_first_to_wake_gets_a_try_once() -> None:
    keys = pooled("fill_first", "k1", "k2")
    keys.failed("k1", RateLimited("x", 100))
    keys.failed("k2", RateLimited("x", 10))
    assert keys.take(NOTHING) == "k2"
    assert keys.take({"k2"}) is None


def test_a_reset_wakes_them() -> None:
    keys = pooled("fill_first", "k1", "k2")
    keys.failed("k1", QuotaSpent("x"))
    assert Pool().reset(["k1"]) == 1
    assert keys.take(NOTHING) == "k1"


def test_a_key_of_the_environment_rests_without_being_written_down() -> None:
    keys = pooled("fill_first", "k1", given=("sk-very-secret",))
    keys.failed("sk-very-secret", RateLimited("x", 100))
    assert keys.take(NOTHING) == "k1"
    assert "sk-very-secret" not in paths.credentials_file().read_text()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"version": 1}', '{"version": 99}', '{"version": 1, "keys": [7], "states": {}}']
)
def test_a_damaged_file_is_told_and_never_overwritten(text: str, hermes_home: Path) -> None:
    hermes_home.mkdir()
    paths.credentials_file().write_text(text)
    with pytest.raises(ConfigError):
        Pool().add("openrouter", "k")
    assert paths.credentials_file().read_text() == text
    assert PooledKeys(Pool(), "openrouter", "round_robin", ("env", "env2")).take(NOTHING) == "env"


def _add_many(home: str, name: str) -> None:
    pool = Pool(Path(home) / "credentials.json")
    for number in range(20):
        pool.add("openrouter", f"{name}-{number}", f"{name}-{number}")


def test_several_processes_lose_nothing(hermes_home: Path) -> None:
    context = multiprocessing.get_context("spawn")
    children = [context.Process(target=_add_many, args=(str(hermes_home), name)) for name in "ab"]
    for child in children:
        child.start()
    for child in children:
        child.join(30)
    assert len(Pool().entries("openrouter")) == 40
    json.loads(paths.credentials_file().read_text())


def test_a_call_goes_on_with_the_next_key_and_remembers() -> None:
    with Scripted(Fail(429, headers={"Retry-After": "500"}), Say("ok"), Say("ok")) as server:
        for key in ("k1", "k2"):
            Pool().add("custom", key)
        overrides = {"model.base_url": server.url, "model.default": "m", "model.provider": "custom"}
        for _ in range(2):
            provider = main_provider(load(overrides, process={}).settings, variables={})
            events = list(provider.stream(Request([{"role": "user", "content": "hi"}])))
            assert isinstance(events[-1], Finished)
    assert [sent.headers["authorization"][-2:] for sent in server.sent] == ["k1", "k2", "k2"]
