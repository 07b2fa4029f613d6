#!/usr/bin/env python3
"""check_types.py [ROOT]: has every type of the product a fully qualified name of its own?

Two types of one name in one program are undefined behaviour that neither the compiler nor the linker reports. Types in
anonymous namespaces and in functions are local to their source and do not count.
"""
import os
import re
import sys

FOLDERS = ("engine", "transports", "lessons", "gui", "cli")
ENDINGS = (".cpp", ".h", ".hpp")
# Sources that no program has together with their namesakes.
APART = {
    "engine/capi/rankscope.hpp", "engine/capi/rankscope_detail.hpp",  # for other people's programs; the library hides its own names
    "engine/diagrams/paint/without_cairo.cpp",  # stands in for the painters when Cairo is not there
}
NOT_YET = set()  # nothing is added
# What is no code: preprocessor lines, comments, raw strings, strings, characters (but not the ' of 1'000).
TEXT = re.compile(r'^[ \t]*#(?:[^\n\\]|\\.|\\\n)*|//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
                  r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.DOTALL | re.MULTILINE)
NAMESPACE = re.compile(r"^(?:inline\s+)?namespace\b\s*([\w:]*)$")
MACRO_CALLS = re.compile(r"^(?:[A-Z_]{4,}\([^()]*\)\s*)+")
TYPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:struct|class|union|enum(?:\s+(?:struct|class))?)\s+"
                  r"(?:alignas\s*\(.*?\)\s*|\[\[.*?\]\]\s*)*([\w:]+(?:\s*<.*>)?)\s*(?:final\s*)?(?::(?!:).*)?$", re.DOTALL)


def types(text):
    """Yields each type that is defined outside of functions and anonymous namespaces, as (qualified name, line)."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    scopes, head, line, start = [], "", 1, 1  # a scope that has no name (a function, an anonymous namespace) is None
    for sign in TEXT.sub(blank, text):
        line += sign == "\n"
        if sign == "{":
            name, head = MACRO_CALLS.sub("", head.strip()), ""
            namespace, kind = NAMESPACE.match(name), TYPE.match(name)
            if kind and None not in scopes:
                yield "::".join(scopes + [re.sub(r"\s+", " ", kind.group(1))]), start
            found = (namespace or kind)
            scopes.append(found.group(1) or None if found else None)
        elif sign == "}":
            if scopes:
                scopes.pop()
            head = ""
        elif sign == ";" or (sign == ":" and head.strip() in ("public", "private", "protected")):
            head = ""
        elif head.strip() or not sign.isspace():
            start = start if head.strip() else line
            head += sign


def main():
    root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", ".."))
    defined, seen = {}, False
    for top in FOLDERS:
        for path, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                file = os.path.relpath(os.path.join(path, name), root)
                seen = seen or name.endswith(ENDINGS)
                if not name.endswith(ENDINGS) or file in APART:
                    continue
                with open(os.path.join(root, file), encoding="utf-8") as source:
                    for qualified, line in types(source.read()):
                        defined.setdefault(qualified, []).append("%s:%d" % (file, line))
    if not seen:
        print("check_types.py: no sources in %s" % root, file=sys.stderr)
        return 2
    shared = {name: places for name, places in defined.items() if len(places) > 1}
    for name, places in sorted(shared.items()):
        for place in sorted(places):
            print("%s: %s is also defined in %s" % (place, name, ", ".join(sorted(set(places) - {place})) or "that line"))
    if shared:
        print("Rename one, or move it to its room's namespace or to an anonymous one.", file=sys.stderr)
    return 1 if shared else 0


if __name__ == "__main__":
    sys.exit(main())
