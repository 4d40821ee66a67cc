"""Plugins: what others add.

hooks.py     the 14 events, with what each tells and what an answer means
base.py      a plugin as its plugin.yaml describes it · manifest.py  read and checked by the line
discover.py  the four places they come from, in order, and which of them are on
context.py   what a plugin is given to register things with
loading.py   its code, imported at arm's length
manager.py   the plugins of one front end: who listens, what they brought, what went wrong
tabs.py      pages for the dashboard
writing.py   a working skeleton · trying.py  a plugin in its own tests

Those that come with the program are in hermes/bundled, written as anybody would write them.
"""

from hermes.config.areas.execution import SEARCH_BACKENDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hermes.config import Settings


def any_wanted(settings: "Settings") -> bool:
    """Whether there can be one that is on. Most people have none, and load nothing of this."""
    own = (
        settings.memory.provider not in ("", "sessions"),
        settings.context.engine not in ("", "compressor"),
        settings.browser.engine not in ("", "auto"),
        any({settings.web.backend, settings.web.search_backend, settings.web.extract_backend} - {"", *SEARCH_BACKENDS}),
    )
    return bool(settings.plugins.enabled) or any(own)
