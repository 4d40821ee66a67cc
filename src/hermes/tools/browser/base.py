"""A browser, as a plugin brings it: a class on this one, registered with `ctx.register_browser_provider(name, Class)`.

One is made for each conversation that uses it, with the first step, and closed when the conversation ends or nothing
was done for a while. All calls of one browser come from the same thread, one at a time, each within
`browser.command_timeout` seconds; one that takes longer is given up, with the browser. What a step returns is text the
model reads, fenced as data; a step that is not written says so. Raising tells the model what went wrong.
"""

from collections.abc import Mapping, Sequence


class Browser:
    def navigate(self, url: str) -> str:
        """Open an address, and return the page as `snapshot` does. The address was checked: it is one the person's
        settings allow; where a page leads from there is up to the browser."""
        raise NotImplementedError

    def snapshot(self) -> str:
        """The page as text: what is to be read, and what can be clicked or filled, each with a short name (`e12`) that
        `click` and `type` take."""
        raise NotImplementedError

    def click(self, ref: str) -> str:
        raise NotImplementedError

    def type(self, ref: str, text: str) -> str:
        raise NotImplementedError

    def scroll(self, direction: str) -> str:
        """`up` or `down`, about a screen."""
        raise NotImplementedError

    def back(self) -> str:
        raise NotImplementedError

    def press(self, key: str) -> str:
        """A key by its name: Enter, Escape, Tab, ArrowDown …"""
        raise NotImplementedError

    def get_images(self) -> Sequence[Mapping[str, str]]:
        """The pictures on the page, each with `src` and `alt`."""
        raise NotImplementedError

    def screenshot(self) -> bytes:
        """What is to be seen, as PNG or JPEG; browser_vision puts it to a model that sees."""
        raise NotImplementedError

    def console(self) -> Sequence[str]:
        """What the page wrote to its console since the last time."""
        raise NotImplementedError

    def close(self) -> None:
        """Nothing is asked after this. Twice is fine."""
