import pytest

from hermes.agent.titles import cleaned, from_text


@pytest.mark.parametrize(
    ("answer", "title"),
    [
        ("Bread for a small kitchen", "Bread for a small kitchen"),
        ('"Bread for a small kitchen."', "Bread for a small kitchen"),
        ("Title: **Bread for a kitchen**", "Bread for a kitchen"),
        ("# Bread for a kitchen\n\nIs this fine?", "Bread for a kitchen"),
        ("\n\nBrot für die Küche", "Brot für die Küche"),
        ("小さな台所のパン", "小さな台所のパン"),
        ("One two three four five six seven eight nine", "One two three four five six seven"),
    ],
)
def test_a_models_answer_becomes_a_title_of_up_to_seven_words(answer: str, title: str) -> None:
    assert cleaned(answer) == title


@pytest.mark.parametrize("answer", ["", "   \n", '""', "word " * 40, "x" * 200])
def test_what_is_no_title_is_not_used(answer: str) -> None:
    assert cleaned(answer) is None


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("How do I bake bread?", "How do I bake bread"),
        ("Hi! How do I bake bread at home?", "How do I bake bread at home"),
        ("How do I bake sourdough bread at home?", "How do I bake sourdough bread"),
        ("Please help me refactor the auth module. It is old.", "Refactor the auth module"),
        ("Could you write a function that parses dates in ISO format?", "Write a function that parses dates"),
        ("fix it", "Fix it"),
        ("パンの焼き方を教えてください。お願いします。", "パンの焼き方を教えてください"),
        ("```python\nprint(1)\n```", "Print(1)"),
        ("hello", None),
        ("   ", None),
    ],
)
def test_without_a_model_the_first_telling_sentence_makes_the_title(question: str, title: str | None) -> None:
    assert from_text(question) == title
