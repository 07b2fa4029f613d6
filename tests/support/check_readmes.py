#!/usr/bin/env python3
"""check_readmes.py [ROOT]: do the READMEs name what exists, and is each of them found from the one above it?

A path in backticks must exist, from the root or from the file's own folder, if its first part does; the name of a
source alone must be that of some source. Patterns, placeholders (`transports/<name>/`, `DIR/marks.toml`) and
CHANGELOG.md, which is about the past, are left out. Links inside the repository must lead somewhere, and a README is linked
from the README of the folder above its own or from ARCHITECTURE.md.
"""
import os
import posixpath
import re
import subprocess
import sys

TOP = ("ARCHITECTURE.md", "CONTRIBUTING.md")
FENCED = re.compile(r"^( *```).*?^\1", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]*)`")
SOURCE = re.compile(r"`(\w+\.(?:h|hpp|cpp|cmake|sh))`")
PLACEHOLDER = re.compile(r"(^|/)(?!README\b)[A-Z]{2,}\b")
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)[^)]*\)")


def tracked(root):
    """Returns all files that git does not ignore, and these with their folders."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root,
                           capture_output=True, check=True, text=True).stdout.split("\0")
    files = {name for name in names if name and os.path.isfile(os.path.join(root, name))}
    folders = {"."}
    for name in files:
        while name := posixpath.dirname(name):
            folders.add(name)
    return files, files | folders


def complaints(root):
    files, there = tracked(root)
    sources = {posixpath.basename(name) for name in files}
    linked = {}
    documents = sorted(name for name in files if name in TOP or posixpath.basename(name) == "README.md")
    for name in documents:
        folder = posixpath.dirname(name)
        with open(os.path.join(root, name), encoding="utf-8") as file:
            text = FENCED.sub(lambda block: "\n" * block.group(0).count("\n"), file.read())

        def exists(path, *places):
            return any(posixpath.normpath(posixpath.join(place, path)) in there for place in places)
        for number, line in enumerate(text.split("\n"), 1):
            for path in PATH.findall(line):
                first = path.split("/")[0]
                if not PLACEHOLDER.search(path) and exists(first, "", folder) and not exists(path, "", folder):
                    yield "%s:%d: `%s` does not exist" % (name, number, path)
            for source in SOURCE.findall(line):
                if source not in sources:
                    yield "%s:%d: no file is called `%s`" % (name, number, source)
            for target in LINK.findall(line):
                linked.setdefault(name, set()).add(posixpath.normpath(posixpath.join(folder, target)))
                if not exists(target, folder):
                    yield "%s:%d: the link to %s leads nowhere" % (name, number, target)
    for name in documents:
        folder = posixpath.dirname(name)
        above = posixpath.join(posixpath.dirname(folder), "README.md")
        if folder and not {name, folder} & (linked.get(above, set()) | linked.get("ARCHITECTURE.md", set())):
            yield "%s:1: neither %s nor ARCHITECTURE.md links to this file" % (name, above)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    found = list(complaints(root))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
