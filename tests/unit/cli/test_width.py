import pytest

from hermes.cli.width import cut, pad, width


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("", 0),
        ("plain", 5),
        ("日本語", 6),
        ("한국어", 6),
        ("cafe\u0301", 4),
        ("ｆｕｌｌ", 8),
        ("👍", 2),
        ("👍🏽", 2),
        ("👩‍👩‍👧", 2),
        ("❤️", 2),
        ("🇩🇪", 2),
        ("\u1112\u1161\u11ab", 2),
        ("a\u200bb", 2),
        ("naïve — “x”", 11),
    ],
)
def test_a_text_takes_as_many_columns_as_the_eye_sees(text: str, columns: int) -> None:
    assert width(text) == columns
    assert width(pad(text, 20)) == 20


@pytest.mark.parametrize(
    ("text", "columns", "shown"),
    [
        ("short", 5, "short"),
        ("shorter", 5, "shor…"),
        ("日本語のタイトル", 6, "日本…"),
        ("日本語", 5, "日本…"),
        ("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 5, "👩‍👩‍👧👩‍👩‍👧…"),
        ("ab", 1, "…"),
        ("ab", 0, ""),
    ],
)
def test_a_cut_never_splits_what_the_eye_takes_for_one(text: str, columns: int, shown: str) -> None:
    assert cut(text, columns) == shown
    assert width(cut(text, columns)) <= columns
