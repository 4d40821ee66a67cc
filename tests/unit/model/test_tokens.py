import pytest

from hermes.model.tokens import IMAGE, Gauge, tokens_of, tokens_of_message, tokens_of_request


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("a", 1), ("four", 1), ("a" * 400, 100), ("日本語", 3), ("привет", 3), ("hi 日本", 3), ("🎉", 1)],
)
def test_a_token_is_four_letters_or_one_sign_of_an_unspaced_script(text: str, tokens: int) -> None:
    assert tokens_of(text) == tokens


def test_calls_parts_and_images_of_a_message_count() -> None:
    plain = tokens_of_message({"role": "user", "content": "a" * 40})
    assert plain == 14
    image = {"role": "user", "content": [{"type": "text", "text": "a" * 40}, {"type": "image_url", "image_url": {}}]}
    assert tokens_of_message(image) == plain + IMAGE
    calls = {"role": "assistant", "content": None, "tool_calls": [{"id": "x", "function": {"arguments": "a" * 400}}]}
    assert tokens_of_message(calls) > 100
    assert tokens_of_request([], [{"function": {"description": "a" * 400}}]) > 100


def test_reasoning_that_is_not_sent_does_not_count() -> None:
    assert tokens_of_message({"role": "assistant", "content": "a", "reasoning": "b" * 4000}) == 5


def test_what_a_provider_counted_corrects_the_rule() -> None:
    gauge = Gauge()
    gauge.learn(1000, 1500)
    assert gauge.corrected(2000) == 3000
    gauge.learn(1000, 100_000)
    assert gauge.corrected(1000) == 3000  # nothing is that far off
    gauge.learn(10, 500)
    assert gauge.corrected(1000) == 3000  # a small call says little
