"""The reference of settings is made from the live settings; the page in the docs is that text."""

from pathlib import Path

from hermes.config.keys import all_keys
from hermes.config.reference import text

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "settings.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == text(), "python -m hermes.config.reference > docs/reference/settings.md"


def test_every_setting_is_on_it_with_its_description() -> None:
    page = text()
    for key, known in all_keys().items():
        assert known.about in page
        if key[-1] != "NAME" and len(key) == 2 and "NAME" not in key:
            assert f"`{'.'.join(key)}" in page
