#!/usr/bin/env python3
"""A curve in the terminal from a log of JSON lines: curve.py LOG [--key loss]"""

import argparse
import json
import math

BARS = "▁▂▃▄▅▆▇█"


def values(path, key):
    with open(path, encoding="utf-8") as log:
        for line in log:
            try:
                found = json.loads(line).get(key)
            except (ValueError, AttributeError):
                continue
            if isinstance(found, (int, float)):
                yield float(found)


def main():
    given = argparse.ArgumentParser()
    given.add_argument("log")
    given.add_argument("--key", default="loss")
    given.add_argument("--width", type=int, default=72)
    options = given.parse_args()
    found = list(values(options.log, options.key))
    finite = [one for one in found if math.isfinite(one)]
    if not finite:
        raise SystemExit(f"no number under {options.key!r} in {options.log}")
    low, high = min(finite), max(finite)
    step = max(1, math.ceil(len(found) / options.width))
    parts = [found[at : at + step] for at in range(0, len(found), step)]
    curve = ""
    for part in parts:
        good = [one for one in part if math.isfinite(one)]
        level = (sum(good) / len(good) - low) / (high - low or 1) if good else None
        curve += "!" if level is None or len(good) < len(part) else BARS[min(7, int(level * 8))]
    print(f"{len(found)} values of {options.key}, {len(found) - len(finite)} not finite (!)")
    print(f"first {found[0]:.4g}  last {found[-1]:.4g}  lowest {low:.4g} at {found.index(low) + 1}  highest {high:.4g}")
    print(curve)


if __name__ == "__main__":
    main()
