"""`python -m hermes.gateway`: what `hermes gateway` becomes, in the foreground or as a service."""

import logging
import os
import sys

from hermes.errors import HermesError


def main() -> int:
    """Every error is one line and an exit code."""
    from hermes.gateway.service import run

    try:
        return run()
    except HermesError as error:
        print(f"hermes: {error}", file=sys.stderr)
        return error.exit_code
    except Exception as error:  # the top of the process: a bug is logged, and told in one line
        from hermes import paths

        logging.getLogger("hermes.gateway").error("the gateway failed", exc_info=error)
        what = f"{type(error).__name__}: {error}"
        print(f"hermes: this should not have happened ({what}); details are in {paths.logs_dir()}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)  # threads that wait for a platform have nothing to say any more
