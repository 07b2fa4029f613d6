"""Makes a notebook of a text in which cells begin with "In [3]:", as exports of notebooks have them.

    python3 notebook_from_text.py TEXT NOTEBOOK

Outputs and prose follow a cell's code without a mark, so the code is the longest part that is Python."""

import ast
import json
import re
import sys


def cells_of(text):
    parts = re.split(r"^In \[[ \d*]+\]:[ ]*\n", text, flags=re.MULTILINE)
    return [_code(part) for part in parts[1:]]


def _code(part):
    lines = part.split("\n")
    ends = [i for i, line in enumerate(lines) if not line.strip()] + [len(lines)]
    for end in reversed(ends):
        code = "\n".join(lines[:end])
        try:
            ast.parse(code)
            return code.strip("\n")
        except SyntaxError:
            continue
    return part


def notebook_of(text):
    cells = [{"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": code}
             for code in cells_of(text)]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        book = notebook_of(file.read())
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(book, file, indent=1)


if __name__ == "__main__":
    main()
