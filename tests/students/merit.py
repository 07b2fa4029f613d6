#!/usr/bin/python3
"""The table of the stored programs by exercise: kind of mistake, points, percent, root cause; and who breaks the rule.

    merit.py [--write] [EXERCISE ...]

Points follow merit: a right program gets all points, one of another algorithm 40 % at most, one with a small slip 50 to
95 %, and no attempt nothing. The points are those that `grade_all.py --write` saw last; nothing is graded here. --write
puts the table of all exercises into merit.md. Exits with 1 where a row breaks the rule that `short` does not explain.
"""
import argparse
import pathlib
import sys

import student_programs as programs

FILE = pathlib.Path(__file__).resolve().parent / "merit.md"
# Of a kind of mistake: from how many percent to how many.
RANGES = {"right": (100, 100), "small slip": (50, 95), "wrong algorithm": (0, 40), "no attempt": (0, 0)}
HEAD = """# Points follow merit: the stored programs

Made by `tests/students/merit.py --write` from what `grade_all.py --write` saw last. Expected are, of the points: right 100 %,
small slip 50 to 95 %, wrong algorithm (or a built-in that the contract forbids) 40 % at most, no attempt (nothing that can
be run) 0 %. Rows outside of that are **bold**; the last column says why, where it is known.
"""


def percent(row):
    return 100 * float(row["points"]) / float(row["of"]) if float(row["of"] or 0) else 0


def breaks(row):
    """Whether the points do not follow merit."""
    least, most = RANGES[row["class"]]
    return not least - 0.5 <= percent(row) <= most + 0.5


def line(row):
    share = "%.0f %%" % percent(row)
    cells = [row["program"].split("/", row["program"].count("/"))[-1], row["class"],
             "%s of %s" % (row["points"], row["of"]), "**%s**" % share if breaks(row) else share,
             (row["mistake"] or row["note"]).replace("|", "\\|"), row["cause"].replace("|", "\\|")[:160],
             row.get("short", "")]
    return "| " + " | ".join(cells) + " |"


def table(rows):
    out, folder = [HEAD], None
    for row in rows:
        if row["program"].rsplit("/", 1)[0] != folder:
            folder = row["program"].rsplit("/", 1)[0]
            out.append(f"\n## {folder}\n\n| program | kind | points | share | what it does | root cause, as reported | why |\n"
                       "|---|---|--:|--:|---|---|---|")
        out.append(line(row))
    return "\n".join(out) + "\n" + "\n" + summary(rows)


def summary(rows):
    out = ["## All of them", "", "| kind | programs | as expected |", "|---|--:|--:|"]
    for kind in RANGES:
        of_kind = [row for row in rows if row["class"] == kind]
        out.append(f"| {kind} | {len(of_kind)} | {sum(not breaks(row) for row in of_kind)} |")
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exercises", nargs="*")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    known = programs.read_table()
    rows = [known[one] for one in programs.chosen(options.exercises, "*") if known[one]["points"]]
    text = table(rows)
    if options.write:
        FILE.write_text(text, encoding="utf-8")
    print(text if not options.write else summary(rows), end="")
    bad = [row for row in rows if breaks(row)]
    for row in bad:
        print("%s: %s, %.0f %%%s" % (row["program"], row["class"], percent(row),
                                    " (%s)" % row["short"] if row.get("short") else ""))
    return 1 if any(not row.get("short") for row in bad) else 0


if __name__ == "__main__":
    sys.exit(main())
