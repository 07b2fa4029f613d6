#!/usr/bin/python3
"""The students' programs of this folder, whole: most are kept as a patch of a right program.

    student_programs.py show PROGRAM ...             e.g. my-broadcast/wrong_barrier, cpp/my-broadcast/right_binomial
    student_programs.py expand FOLDER [PROGRAM ...]  writes these, or all of them, into FOLDER
    student_programs.py shrink PROGRAM ...           turns whole files into patches where that is clearly shorter

A patch is a unified diff without lines of context. Its first line names the program that it changes, which may be
kept as a patch, too; after each @@ stands the line before the change, as a check. expected.tsv has a row for each
program. To add one, put the whole file into its exercise's folder, add a row with its name, class and mistake, let
`grade_all.py --write --only NAME EXERCISE` fill in the rest, and shrink the file. To change a program that others are
patches of, expand those first, and shrink them afterwards.
"""
import csv
import difflib
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE / "expected.tsv"
HUNK = re.compile(r"@@ -(\d+)(,0)?\S* \S+ @@ ?(.*)")


def read_table():
    """The rows of expected.tsv by the program's name."""
    with open(TABLE, encoding="utf-8", newline="") as file:
        return {row["program"]: row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}


def chosen(exercises, pattern):
    """The names of the programs of these exercises (cpp: all in C++; none: all) whose own name fits the pattern."""
    folders = [(program.rsplit("/", 1)[0], program) for program in sorted(read_table())]
    return [program for folder, program in folders
            if (not exercises or folder in exercises or folder.split("/")[0] in exercises)
            and fnmatch.fnmatch(program[len(folder) + 1:], pattern)]


def exercise_of(program):
    return program.split("/")[-2]


def ending(program):
    return ".cpp" if program.startswith("cpp/") else ".py"


def whole_file(program):
    return HERE / (program + ending(program))


def patch_file(program):
    return HERE / (program + ".patch")


def stored():
    """The names of all programs that there are files of."""
    return sorted(str(file.relative_to(HERE).with_suffix("")) for file in HERE.glob("*/**/*")
                  if file.suffix in (".py", ".cpp", ".patch"))


def base_of(program):
    """The program that this one is kept as a patch of, or None."""
    if whole_file(program).exists():
        return None
    first = patch_file(program).read_text(encoding="utf-8").split("\n", 1)[0]
    return str((patch_file(program).parent / first.split()[1]).resolve().relative_to(HERE).with_suffix(""))


def patched(base, patch):
    """The lines of `base`, changed by the lines of `patch`."""
    out, done = [], 0
    for line in patch:
        hunk = HUNK.fullmatch(line)
        if hunk:
            start = int(hunk[1]) - (0 if hunk[2] else 1)
            before = base[start - 1].strip() if start else ""
            if hunk[3] != before:
                raise ValueError(f"'{line}': the line before is '{before}'")
            out += base[done:start]
            done = start
        elif line.startswith("+"):
            out.append(line[1:])
        elif line == "-" + base[done]:
            done += 1
        else:
            raise ValueError(f"'{line}': the line there is '{base[done]}'")
    return out + base[done:]


def lines_of(program):
    base = base_of(program)
    if base is None:
        return whole_file(program).read_text(encoding="utf-8").splitlines()
    patch = patch_file(program).read_text(encoding="utf-8").splitlines()
    return patched(lines_of(base), patch[1:])


def text_of(program):
    return "\n".join(lines_of(program)) + "\n"


def expand(program, folder):
    """Writes the whole program into the folder, and returns its path."""
    file = pathlib.Path(folder) / (program + ending(program))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text_of(program), encoding="utf-8")
    return file


def exercise(program, *options, timeout):
    """What `rankscope --json exercise` says of a program, or the end of its errors."""
    with tempfile.TemporaryDirectory() as folder:
        return exercise_says(program, expand(program, folder), *options, timeout=timeout)


def exercise_says(program, given, *options, timeout):
    """The same of a file or folder with that program, or with its runs."""
    command = [os.environ.get("RANKSCOPE_BINARY", "rankscope"), "--json", "exercise", exercise_of(program), given,
               *map(str, options)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"trouble": done.stderr[-300:]}


def difference(base, lines):
    """The lines of a patch without its head."""
    out = []
    for line in list(difflib.unified_diff(base, lines, lineterm="", n=0))[2:]:
        hunk = HUNK.fullmatch(line)
        start = int(hunk[1]) - (0 if hunk[2] else 1) if hunk else 0
        out.append(f"{line} {base[start - 1].strip()}".rstrip() if start else line)
    return out


def descends(program, ancestor):
    return program is not None and (program == ancestor or descends(base_of(program), ancestor))


def shrink(program):
    """Keeps the program as a patch of the right program that makes the shortest one: of its exercise, if it can be."""
    lines, folder = lines_of(program), program.rsplit("/", 1)[0]
    bases = [one for one in stored()
             if "/right_" in one and ending(one) == ending(program) and not descends(one, program)]
    bases.sort(key=lambda one: one.rsplit("/", 1)[0] != folder)
    patches = [[f"--- {os.path.relpath(one, folder)}{ending(one)}"] + difference(lines_of(one), lines) for one in bases]
    best = min(patches, key=len)
    if len(best) < 0.8 * len(lines):
        patch_file(program).write_text("\n".join(best) + "\n", encoding="utf-8")
        whole_file(program).unlink(missing_ok=True)


def main(action="", *names):
    if action == "show":
        print("\n".join(map(text_of, names)), end="")
    elif action == "expand" and names:
        for program in names[1:] or stored():
            expand(program, names[0])
    elif action == "shrink":
        for program in names:
            shrink(program)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
