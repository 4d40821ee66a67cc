"""A search through files, as a program of its own: a pattern that takes for ever is ended with the process.

Takes one argument, a JSON object: pattern, target, path, file_glob, context, limit. Uses nothing but the standard
library. Hidden folders and those that hold what others made are left out.
"""

import fnmatch
import json
import os
import re
import sys

SKIPPED = {"node_modules", "__pycache__", "target", "dist", "build", "venv"}
LARGEST = 10_000_000
LONGEST_LINE = 500


def files(top, glob):
    if os.path.isfile(top):
        yield top
        return
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in SKIPPED)
        for name in sorted(names):
            if not name.startswith(".") and (not glob or _fits(os.path.join(folder, name), glob)):
                yield os.path.join(folder, name)


def _fits(path, glob):
    path = path.removeprefix("./")
    return fnmatch.fnmatch(os.path.basename(path), glob) or fnmatch.fnmatch(path, glob.replace("**/", "*"))


def lines_of(path):
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > LARGEST:
            return []
        with open(path, "rb") as file:
            raw = file.read()
    except OSError:
        return []
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16", "replace").splitlines()
    return [] if b"\0" in raw[:8192] else raw.decode("utf-8", "replace").split("\n")


def in_content(wanted, pattern):
    """Lines that match, with those around them; stops at one more than the limit."""
    around, found = wanted["context"], 0
    for path in files(wanted["path"], wanted["file_glob"]):
        lines = lines_of(path)
        hits = [number for number, line in enumerate(lines) if pattern.search(line)]
        shown = sorted(
            {near for hit in hits for near in range(hit - around, hit + around + 1) if 0 <= near < len(lines)}
        )
        matched = set(hits)
        for number in shown:
            mark = ":" if number in matched else "-"
            print(f"{path}{mark}{number + 1}{mark}{lines[number].rstrip()[:LONGEST_LINE]}")
        found += len(hits)
        if found > wanted["limit"] * 4:
            return


def by_name(wanted):
    """Files whose name or path fits, newest first."""
    glob = wanted["pattern"]
    found = [path for path in files(wanted["path"], wanted["file_glob"]) if _fits(path, glob)]
    for path in sorted(found, key=_changed, reverse=True):
        print(path)


def _changed(path):
    try:
        return os.path.getmtime(path)
    except OSError:
        return 0.0


def main():
    wanted = json.loads(sys.argv[1])
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    if wanted["target"] == "files":
        by_name(wanted)
        return 0
    try:
        pattern = re.compile(wanted["pattern"])
    except re.error as error:
        print(f"the pattern is not a regular expression: {error}")
        return 2
    in_content(wanted, pattern)
    return 0


if __name__ == "__main__":
    sys.exit(main())
