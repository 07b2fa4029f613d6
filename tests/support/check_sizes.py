#!/usr/bin/env python3
"""check_sizes.py [ROOT]: are files and functions small enough to be read? (CONTRIBUTING.md, Style)

Files of C++, Python, shell and JavaScript have at most 600 lines, functions 100. A file holds one idea: these limits
are far above what most need, so that nobody splits an idea to meet them. The layout is that of .clang-format.
"""
import ast
import os
import re
import subprocess
import sys

MOST_LINES, MOST_IN_FUNCTION = 600, 100
WHOLE = {"engine/capi/rankscope.hpp": 700}  # the one file that other people's programs include
ENDINGS = (".cpp", ".h", ".hpp", ".py", ".sh", ".js")
SCRIPTS = ("dev", ".ci/run")
NOT_OURS = ("tests/students/", "tests/attacks/", "tests/box/attacks/", "tests/compat/files/")  # as people hand things in
# What is no code: comments, raw strings, strings, characters.
CPP_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
SCOPE = re.compile(r"(.*\s)?(namespace|class|struct|union|extern)\b(?!.*\))")
SHELL = re.compile(r"^()[\w-]+\(\) \{$")
SCRIPT = re.compile(r"^( *)(?:async )?(?:function\b.*|\w+\([^()]*\)) \{$")


def files(root):
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root,
                           capture_output=True, check=True, text=True).stdout.split("\0")
    for name in names:
        if (name.endswith(ENDINGS) or name in SCRIPTS) and not name.startswith(NOT_OURS):
            if os.path.isfile(os.path.join(root, name)):
                yield name


def functions(name, lines):
    """Yields the first line and the number of lines of each function."""
    if name.endswith(".py"):
        for node in ast.walk(ast.parse("\n".join(lines))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield node.lineno, node.end_lineno - node.lineno + 1
        return
    if name.endswith((".cpp", ".h", ".hpp")):
        yield from functions_of_cpp(lines)
        return
    pattern = SCRIPT if name.endswith(".js") else SHELL
    for first, line in enumerate(lines):
        found = pattern.match(line)
        if not found:
            continue
        end = re.compile("^" + found.group(1) + r"\}")
        for last in range(first + 1, len(lines)):
            if end.match(lines[last]):
                yield first + 1, last - first + 1
                break


def functions_of_cpp(lines):
    """Yields the same for C++: blocks with arguments in a file, a namespace or a class."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    code = CPP_TEXT.sub(blank, "\n".join("" if line.startswith("#") else line for line in lines))
    blocks, head, start, number = [], "", 1, 1
    for sign in code:
        number += sign == "\n"
        if sign == "{":
            scope = all(blocks_scope for blocks_scope, _, _ in blocks)
            blocks.append((bool(SCOPE.match(head)) if scope else False, "(" in head and "=" not in head, start))
        elif sign == "}" and blocks:
            is_scope, has_arguments, first = blocks.pop()
            if not is_scope and has_arguments and all(one for one, _, _ in blocks):
                yield first, number - first + 1
        if sign in ";{}":
            head = ""
        elif not head and not sign.isspace():
            head, start = sign, number
        elif head:
            head += " " if sign == "\n" else sign


def complaints(root):
    for name in files(root):
        with open(os.path.join(root, name), encoding="utf-8") as file:
            lines = file.read().split("\n")
        most = WHOLE.get(name, MOST_LINES)
        if len(lines) - 1 > most:
            yield "%s:%d: the file has %d lines; at most %d" % (name, most, len(lines) - 1, most)
        for first, length in functions(name, lines):
            if length > MOST_IN_FUNCTION:
                yield "%s:%d: the function has %d lines; at most %d" % (name, first, length, MOST_IN_FUNCTION)

def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    found = list(complaints(root))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
