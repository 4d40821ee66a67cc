import pytest

from hermes.store.words import fold, spaced_out, unit_token, units, unspaced_chunks


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Hello", "hello"),
        ("ÉCOLE", "ecole"),
        ("Straße", "strasse"),
        ("ｆｕｌｌ", "full"),
        ("漢字", "漢字"),
        ("e\u0301", "e"),
    ],
)
def test_case_accents_and_forms_do_not_matter(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_what_is_written_without_spaces_gets_some() -> None:
    assert spaced_out("修改youer服务端").split() == ["修改", "youer", "服务端"]
    assert spaced_out("plain words") == "plain words"


def test_units_are_characters_and_pairs() -> None:
    assert units("漢字だ") == {"漢", "字", "だ", "漢字", "字だ"}
    assert {"+", "++"} <= units("c++")
    assert units("plain words 123") == set()


def test_unit_tokens_are_plain_ascii_and_tell_units_apart() -> None:
    tokens = {unit_token(unit) for unit in ("漢", "字", "漢字", "字漢", "++", "+")}
    assert len(tokens) == 6
    assert all(token.isascii() and token.isalnum() for token in tokens)


def test_only_chunks_with_unspaced_writing_are_kept() -> None:
    assert unspaced_chunks("plain 漢字abc plain かな") == "漢字abc\nかな"
    assert unspaced_chunks("plain") == ""
