"""`hermes version`."""

import argparse
import platform

from hermes import __version__


def version(_arguments: argparse.Namespace) -> int:
    import apsw

    print(f"hermes {__version__} (Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()})")
    return 0
