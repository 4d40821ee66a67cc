"""What is at an address, as text: pages as Markdown, PDFs as their words, other texts as they are."""

import re
from typing import NamedTuple

from hermes.config import Settings
from hermes.errors import ToolError
from hermes.tools.web.addresses import access
from hermes.tools.web.fetch import Limits, Page, fetch

_HTML = ("text/html", "application/xhtml+xml", "")
_TEXTS = ("json", "xml", "javascript", "yaml", "toml", "x-sh", "sql", "csv")
_CHARSET = re.compile(rb"""charset\s*=\s*["']?([\w.:-]+)""", re.IGNORECASE)
_PDF_PAGES = 200


class Read(NamedTuple):
    url: str
    title: str
    text: str
    cut: bool = False


def read_page(url: str, settings: Settings, *, limits: Limits = Limits()) -> Read:
    """The text behind an address. ToolError when there is none."""
    page = fetch(url, access(settings), limits=limits)
    if page.status >= 400:
        raise ToolError(f"{page.url} answered with status {page.status}.")
    title, text = _text(page)
    if not text.strip():
        raise ToolError(f"{page.url} has no text in it; it may be made by scripts, which a browser would run.")
    return Read(page.url, title, text, page.cut)


def _text(page: Page) -> tuple[str, str]:
    if page.kind == "application/pdf" or page.body.startswith(b"%PDF-"):
        return "", _pdf(page)
    if page.kind in _HTML:
        from hermes.tools.web.markdown import from_html

        return from_html(decoded(page))
    if page.kind.startswith("text/") or page.kind.endswith(_TEXTS):
        return "", decoded(page)
    raise ToolError(f"{page.url} is {page.kind}, not text." + _vision(page.kind))


def _vision(kind: str) -> str:
    return " vision_analyze looks at pictures." if kind.startswith("image/") else ""


def decoded(page: Page) -> str:
    """The body as text, by what the server or the page itself says about its characters."""
    told = _CHARSET.search(page.headers.get("content-type", "").encode("latin-1", "replace"))
    told = told or _CHARSET.search(page.body[:2048])
    try:
        return page.body.decode(told[1].decode() if told else "utf-8", "replace")
    except LookupError:
        return page.body.decode("utf-8", "replace")


def _pdf(page: Page) -> str:
    import io
    import logging

    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.ERROR)
    try:
        pages = PdfReader(io.BytesIO(page.body)).pages
        return "\n\n".join(pages[place].extract_text() for place in range(min(len(pages), _PDF_PAGES)))
    except (PyPdfError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ToolError(f"{page.url} is a PDF that cannot be read ({type(error).__name__}).") from None
