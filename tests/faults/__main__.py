"""`scripts/faults store`: every fault at full size, a line each; non-zero when a promise does not hold."""

import argparse
import importlib
import secrets
import sys
import time

from tests.faults.rows import ROWS, Outcome, run_of

SUBJECTS = {
    "store": ("kills", "power", "contention", "full_disk", "failing", "replaced", "surroundings", "versions", "inputs"),
    "search": ("search",),
    "chat": ("chat", "chat_kills"),
    "tools": ("tools", "tools_output", "web", "tools_recall"),
    "plugins": ("plugins",),
    "gateway": ("gateway", "gateway_kills"),
    "care": ("care", "care_damage", "care_imports", "care_secrets"),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/faults", description=__doc__)
    parser.add_argument("subject", choices=[*SUBJECTS])
    parser.add_argument("--only", type=int, nargs="+", metavar="ROW", help="these rows alone")
    parser.add_argument("--quick", action="store_true", help="small sizes; needs no root")
    parser.add_argument("--minutes", type=float, metavar="M", help="how long, where a row is a matter of time")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    options = parser.parse_args()
    for name in SUBJECTS[options.subject]:
        importlib.import_module(f"tests.faults.{name}")
    unknown = set(options.only or ()) - set(ROWS)
    if unknown:
        parser.error(f"there is no row {', '.join(map(str, sorted(unknown)))}; there are {sorted(ROWS)}")
    print(f"seed {options.seed}{', quick' if options.quick else ''}", flush=True)
    results = [_one(number, options.seed, options.quick, options.minutes) for number in sorted(options.only or ROWS)]
    print(f"{sum(results)} of {len(results)} rows held")
    return 0 if all(results) else 1


def _one(number: int, seed: int, quick: bool, minutes: float | None) -> bool:
    began = time.monotonic()
    with run_of(number, seed, quick=quick, minutes=minutes) as run:
        try:
            outcome = ROWS[number](run)
        except Exception as error:  # the other rows are to run all the same
            outcome = Outcome("broke off", f"{type(error).__name__}: {error}", False)
    verdict = "held" if outcome.held else "NOT HELD"
    print(
        f"row {number:2d} | {outcome.done} | {outcome.figure} | {verdict} ({time.monotonic() - began:.0f} s)",
        flush=True,
    )
    return outcome.held


if __name__ == "__main__":
    sys.exit(main())
