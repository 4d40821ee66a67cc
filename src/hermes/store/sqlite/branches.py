"""Inner pages of a damaged file's tables, made anew from the pages below them.

An inner page holds nothing but the numbers of the pages below and the row number each ends with. The file keeps
for every page which one is above it (the pointer map), so an inner page that is damaged can be written again.
"""

from itertools import pairwise

PAGE = 4096
_INNER, _LEAF, _INDEX = 5, 13, 2
_BELOW_INNER = 5  # in the pointer map: a page of a tree, below the one named there
_ENTRIES = PAGE // 5


def mend_inner_pages(data: bytearray) -> list[int]:
    """Make damaged inner pages of tables anew; returns which. Indexes are not needed and stay as they are."""
    if len(data) < 3 * PAGE or not int.from_bytes(data[52:56], "big"):
        return []  # a file without a pointer map
    mended = []
    below = _pages_below(data)
    for number in sorted(below, key=lambda one: _height(one, below)):
        children = [child for child in below[number] if _page(data, child)[0] in (_INNER, _LEAF)]
        if children and not _is_sound(data, number):
            written = _inner_page(data, children)
            if written is not None:
                data[(number - 1) * PAGE : number * PAGE] = written
                mended.append(number)
    return mended


def _page(data: bytearray, number: int) -> bytearray:
    return data[(number - 1) * PAGE : number * PAGE]


def _pages_below(data: bytearray) -> dict[int, list[int]]:
    """For each page of a tree the pages below it, by the pointer map: pages 2, 2 + 820, …"""
    below: dict[int, list[int]] = {}
    for number in range(3, len(data) // PAGE + 1):
        group = (number - 2) // (_ENTRIES + 1)
        start = (group * (_ENTRIES + 1) + 1) * PAGE + 5 * ((number - 2) % (_ENTRIES + 1) - 1)
        above = int.from_bytes(data[start + 1 : start + 5], "big")
        if (number - 2) % (_ENTRIES + 1) and data[start] == _BELOW_INNER and 2 < above <= len(data) // PAGE:
            below.setdefault(above, []).append(number)
    return below


def _height(number: int, below: dict[int, list[int]], depth: int = 0) -> int:
    """Lower pages are mended first."""
    if depth > 20:
        return depth
    return 1 + max((_height(child, below, depth + 1) for child in below.get(number, ())), default=0)


def _is_sound(data: bytearray, number: int) -> bool:
    """Whether a page is what it says; the inner page of an index is left alone. The map may be the damaged part, so
    the page is believed when it makes sense by itself: pages that exist, each once, rows in order."""
    page = _page(data, number)
    right = int.from_bytes(page[8:12], "big")
    if page[0] == _INDEX and bytes(_page(data, right)[:1]) in (b"\x02", b"\x0a"):
        return True
    count = int.from_bytes(page[3:5], "big")
    if page[0] != _INNER or 12 + 2 * count > PAGE:
        return False
    cells = [int.from_bytes(page[12 + 2 * n : 14 + 2 * n], "big") for n in range(count)]
    children = [int.from_bytes(page[cell : cell + 4], "big") for cell in cells]
    ends = [_read_varint(page, cell + 4)[0] for cell in cells]
    every = {*children, right}
    if len(every) != count + 1 or min(every) < 3 or max(every) > len(data) // PAGE:
        return False
    if any(before >= after for before, after in pairwise(ends)):
        return False
    lasts = [_last_row(data, child) for child in children]
    return all(last is None or last <= end for last, end in zip(lasts, ends, strict=True))


def _inner_page(data: bytearray, children: list[int]) -> bytes | None:
    """An inner page over these, in the order of their rows."""
    ends = sorted((end, child) for child in children if (end := _last_row(data, child)) is not None)
    if not ends:
        return None
    page, position = bytearray(PAGE), PAGE
    cells = [child.to_bytes(4, "big") + _varint(end) for end, child in ends[:-1]]
    for number, cell in enumerate(cells):
        position -= len(cell)
        page[position : position + len(cell)] = cell
        page[12 + 2 * number : 14 + 2 * number] = position.to_bytes(2, "big")
    if position < 12 + 2 * len(cells):
        return None
    page[0] = _INNER
    page[3:5] = len(cells).to_bytes(2, "big")
    page[5:7] = position.to_bytes(2, "big")
    page[8:12] = ends[-1][1].to_bytes(4, "big")
    return bytes(page)


def _last_row(data: bytearray, number: int, depth: int = 0) -> int | None:
    """The highest row number in a page or below it."""
    page = _page(data, number)
    if len(page) < PAGE or depth > 20:
        return None
    if page[0] == _INNER:
        return _last_row(data, int.from_bytes(page[8:12], "big"), depth + 1)
    count = int.from_bytes(page[3:5], "big")
    if page[0] != _LEAF or not count or 8 + 2 * count > PAGE:
        return None
    cell = int.from_bytes(page[6 + 2 * count : 8 + 2 * count], "big")
    _size, start = _read_varint(page, cell)
    return _read_varint(page, start)[0]


def _read_varint(page: bytearray, at: int) -> tuple[int, int]:
    value = 0
    for step, byte in enumerate(page[at : at + 9]):
        if step == 8:
            return value << 8 | byte, at + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + step + 1
    return value, at + 9


def _varint(value: int) -> bytes:
    """Row numbers of ours are far below 2**56."""
    out = [value & 0x7F]
    while value := value >> 7:
        out.append(value & 0x7F | 0x80)
    return bytes(reversed(out))
