"""`python -m bench SUBJECT`: measure this program beside the reference and print a line for each promise."""

import argparse
import importlib
import sys

# A subject is one module with ABOUT, add_options(parser) and run(options) -> exit code.
SUBJECTS = ("store", "search", "recall", "care", "cli", "agent", "tools", "plugins", "gateway")


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Benchmarks beside the reference program.")
    subjects = parser.add_subparsers(dest="subject", required=True, metavar="SUBJECT")
    modules = {name: importlib.import_module(f"bench.{name}") for name in SUBJECTS}
    for name, module in modules.items():
        module.add_options(subjects.add_parser(name, help=module.ABOUT, description=module.ABOUT))
    options = parser.parse_args()
    return modules[options.subject].run(options)


if __name__ == "__main__":
    sys.exit(main())
