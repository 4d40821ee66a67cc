"""One page or one API answer over HTTP, safely: only from addresses that may be reached, within time and size.

The name is looked up once; the connection goes to an address that was checked, under the name (Host, certificate) that
was asked for. A redirect is a new address like any other.
"""

import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urljoin, urlsplit

from hermes.errors import ToolError
from hermes.tools.web.addresses import Access, Resolve, meant

if TYPE_CHECKING:
    import ssl

_REDIRECTS = (301, 302, 303, 307, 308)
_AGENT = "Mozilla/5.0 (compatible; Hermes; personal agent)"
_KEPT = ":/?#[]@!$&'()*+,;=%-._~"  # of a path and query; everything else is percent-encoded


class Limits(NamedTuple):
    size: int = 5_000_000  # bytes, unpacked
    seconds: float = 30.0  # in all, redirects included
    redirects: int = 5


class Page(NamedTuple):
    """`url` is where it came from in the end; `cut`: there was more than the limit."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    cut: bool = False

    @property
    def kind(self) -> str:
        """`text/html`, without its parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


class Question(NamedTuple):
    """What is sent."""

    method: str = "GET"
    headers: Mapping[str, str] = {}
    body: bytes | None = None


def fetch(
    url: str,
    access: Access,
    question: Question = Question(),
    *,
    limits: Limits = Limits(),
    resolve: Resolve | None = None,
    trust: "ssl.SSLContext | None" = None,
) -> Page:
    """What is there, whatever its status. ToolError says why it could not be had.

    `resolve` looks names up (default: as this machine does), `trust` is who may vouch for a host (default: the usual
    authorities).
    """
    from hermes.tools.web.line import Checked, Deadline

    backend = Checked(access, Deadline(limits.seconds), resolve)
    for _ in range(limits.redirects + 1):
        page = _one(checked(url), question, backend, limits, trust)
        target = page.headers.get("location")
        if page.status not in _REDIRECTS or not target or limits.redirects == 0:
            return page
        url = urljoin(page.url, target)
    raise ToolError(f"{url[:200]} was redirected more than {limits.redirects} times.")


def checked(url: str) -> str:
    """The address in one unmistakable form. ToolError for whatever is not plain http or https to a host."""
    url = url.strip()
    if any(ord(char) <= 32 or char in "\\\x7f" for char in url):
        raise ToolError("An address has no spaces, backslashes or control characters in it.")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise ToolError(f"'{url[:200]}' is not an address.") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ToolError(f"'{url[:200]}' is not an address that can be opened: http:// or https:// and a host.")
    if "@" in parts.netloc:
        raise ToolError("An address with a name or a password in it is not opened.")
    name = meant(host)
    netloc = (f"[{name}]" if ":" in name else name) + (f":{port}" if port else "")
    query = f"?{quote(parts.query, _KEPT)}" if parts.query else ""
    return f"{parts.scheme}://{netloc}{quote(parts.path, _KEPT) or '/'}{query}"


def _one(url: str, question: Question, backend: Any, limits: Limits, trust: "ssl.SSLContext | None") -> Page:
    import httpcore2

    headers = {"User-Agent": _AGENT, "Accept": "*/*", "Accept-Encoding": "gzip", **question.headers}
    headers["Host"] = urlsplit(url).netloc
    try:
        pool = httpcore2.ConnectionPool(ssl_context=trust or _authorities(), network_backend=backend)
        with (
            pool,
            pool.stream(question.method, url, headers=list(headers.items()), content=question.body) as answer,
        ):
            told = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in answer.headers}
            body, cut = _read(answer.iter_stream(), told.get("content-encoding", ""), limits.size)
            return Page(url, answer.status, told, body, cut)
    except (httpcore2.TimeoutException, TimeoutError):
        raise ToolError(f"{urlsplit(url).netloc} did not answer within {limits.seconds:.0f} s.") from None
    except (httpcore2.NetworkError, httpcore2.ProtocolError, OSError, zlib.error, ValueError) as error:
        raise ToolError(f"{urlsplit(url).netloc} cannot be read: {str(error)[:200] or type(error).__name__}.") from None


def _read(chunks: Iterator[bytes], encoding: str, most: int) -> tuple[bytes, bool]:
    """The body, unpacked, and whether it was cut. A small answer that unpacks to gigabytes is unpacked as far as it
    may be large."""
    unpack = zlib.decompressobj(47) if encoding.strip().lower() in ("gzip", "x-gzip", "deflate") else None
    body = bytearray()
    for chunk in chunks:
        body += chunk if unpack is None else unpack.decompress(chunk, most + 1 - len(body))
        if len(body) > most:
            return bytes(body[:most]), True
    return bytes(body), False


@cache
def _authorities() -> "ssl.SSLContext":
    """Loading the certificates takes 20 ms; every page shares them."""
    import httpx2

    return httpx2.create_ssl_context()
