#!/usr/bin/env python3
"""check_shelves.py [ROOT]: do the shelves of every folder include each other in one direction only?

A folder's shelves are its sub-folders and, as one more, the files of the folder itself. Includes between them must not
form a circle, whatever the depth; which folders may include which is in check_includes.sh.
"""
import os
import re
import sys

FOLDERS = ("engine", "transports", "lessons", "gui", "cli")
ENDINGS = (".cpp", ".h", ".hpp")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def includes(root):
    """Yields each include between two sources of ours as (file, line, included file)."""
    for top in FOLDERS:
        for path, folders, names in os.walk(os.path.join(root, top)):
            folders.sort()
            for name in sorted(names):
                if not name.endswith(ENDINGS):
                    continue
                file = os.path.join(path, name)
                with open(file, encoding="utf-8") as source:
                    text = source.read()
                for found in INCLUDE.finditer(text):
                    if found.group(1).startswith(tuple(folder + "/" for folder in FOLDERS)):
                        line = text.count("\n", 0, found.start(1)) + 1
                        yield os.path.relpath(file, root), line, found.group(1)


def arrows(root):
    """Returns for each folder {shelf: {shelf: [where]}}, the shelf of the folder's own files being "."."""
    result = {}
    for file, line, target in includes(root):
        here, there = file.split("/"), target.split("/")
        depth = 0
        while here[depth] == there[depth] and depth + 1 < min(len(here), len(there)):
            depth += 1
        shelf = here[depth] if depth + 1 < len(here) else "."
        other = there[depth] if depth + 1 < len(there) else "."
        if shelf != other and depth > 0:  # between the folders of the root check_includes.sh decides
            folder = result.setdefault("/".join(here[:depth]), {})
            folder.setdefault(shelf, {}).setdefault(other, []).append("%s:%d" % (file, line))
    return result


def reachable(shelves, start):
    """Returns all shelves that `start` includes, directly or through others."""
    found, waiting = set(), [start]
    while waiting:
        for other in shelves.get(waiting.pop(), {}):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


def circles(shelves):
    """Yields the arrows that are part of a circle, as (shelf, other, where)."""
    reached = {shelf: reachable(shelves, shelf) for shelf in shelves}
    for shelf in sorted(shelves):
        for other in sorted(shelves[shelf]):
            if shelf in reached.get(other, ()):
                yield shelf, other, shelves[shelf][other]


def main():
    root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", ".."))
    files = (name for top in FOLDERS for _, _, names in os.walk(os.path.join(root, top)) for name in names)
    if not any(name.endswith(ENDINGS) for name in files):
        print("check_shelves.py: no sources in %s" % root, file=sys.stderr)
        return 2
    bad = False
    for folder, shelves in sorted(arrows(root).items()):
        for shelf, other, where in circles(shelves):
            print("%s: %s and %s are in a circle (%d includes)" % (where[0], folder + "/" + shelf, other, len(where)))
            bad = True
    if bad:
        print("Move what both need to the lower shelf, or hand it over as an argument (CONTRIBUTING.md).", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
