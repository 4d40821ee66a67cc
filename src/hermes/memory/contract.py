"""What every memory provider keeps to, as tests that anybody can run against their own:

class TestMine(MemoryContract):
    def make(self):
        return Mine()
"""

import time

from hermes.memory.base import About, MemoryProvider

SOON = 3.0  # seconds a person waits at most


class MemoryContract:
    def make(self) -> MemoryProvider:
        """A provider that can be used, nothing called yet."""
        raise NotImplementedError

    def begun(self) -> MemoryProvider:
        provider = self.make()
        about = About("20250305_091523_a1b2c3", "/nowhere", agent_workspace="/nowhere")._asdict()
        provider.initialize(about.pop("session_id"), **about)
        return provider

    def test_it_has_a_name_and_says_why_it_cannot_be_used(self) -> None:
        provider = self.make()
        assert provider.name
        assert provider.name == provider.name.strip().lower()
        assert provider.missing() is None

    def test_the_documented_arguments_are_accepted(self) -> None:
        assert self.begun().prompt() == self.begun().prompt()

    def test_what_it_says_is_text_and_comes_soon(self) -> None:
        provider, began = self.begun(), time.monotonic()
        for text in ("What did we decide about the database?", "", "ok", "日本語の質問です", "x " * 20_000):
            assert isinstance(provider.on_turn_start("20250305_091523_a1b2c3", text), str)
        assert time.monotonic() - began < 5 * SOON

    def test_it_can_be_told_everything(self) -> None:
        provider = self.begun()
        told = [
            provider.on_pre_compress("20250305_091523_a1b2c3", [{"role": "user", "content": "hello"}]),
            provider.on_pre_compress("20250305_091523_a1b2c3", [{"role": "assistant", "content": None}]),
            provider.on_memory_write("add", "memory", "The staging host is blue."),
            provider.on_memory_write("remove", "user", "Likes tea."),
            provider.on_delegation("count the files", "there are 12", "20250305_091523_b1b2c3"),
            provider.on_session_end("20250305_091523_a1b2c3"),
        ]
        assert told == [None] * len(told)

    def test_an_end_is_an_end_and_a_second_one_is_fine(self) -> None:
        provider = self.begun()
        provider.on_session_end("20250305_091523_a1b2c3")
        provider.on_session_end("20250305_091523_a1b2c3")
        assert [provider.close(), provider.close()] == [None, None]
