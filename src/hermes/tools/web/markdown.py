"""A web page as Markdown: what it says, without what stands around it."""

import re

_AROUND = "script, style, noscript, template, svg, canvas, iframe, object, nav, footer, aside, form, dialog, button"
_HIDDEN = '[hidden], [aria-hidden="true"], [role="navigation"], [role="banner"], [role="search"]'
_MAIN = ("main", "article", '[role="main"]', "#content", ".content")
_ENOUGH = 200  # characters that make a part of a page its main part
_TITLE = re.compile(r"\s+")
_SPACE = re.compile(r"[ \t]+\n")
_GAPS = re.compile(r"\n{3,}")


def from_html(html: str) -> tuple[str, str]:
    """Title and Markdown. A page that is nested beyond reason comes as plain text."""
    from selectolax.lexbor import LexborHTMLParser

    page = LexborHTMLParser(html)
    heading = page.css_first("title")
    title = _TITLE.sub(" ", heading.text(strip=True)) if heading else ""
    for node in [*page.css(_AROUND), *page.css(_HIDDEN)]:
        node.decompose(recursive=True)
    part = next((node for one in _MAIN for node in page.css(one)[:1] if len(node.text(strip=True)) > _ENOUGH), None)
    part = part or page.body
    if part is None:
        return title, ""
    return title, _tidy(_converted(part))


def _converted(part: object) -> str:
    import warnings

    from markdownify import markdownify

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a page that looks like XML, or like an address, is a page all the same
            return str(markdownify(part.html, heading_style="ATX", bullets="-", strip=["img"]))  # type: ignore[attr-defined]
    except RecursionError:
        return str(part.text(separator="\n"))  # type: ignore[attr-defined]


def _tidy(text: str) -> str:
    return _GAPS.sub("\n\n", _SPACE.sub("\n", text.replace("\xa0", " "))).strip()
