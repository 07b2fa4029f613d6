#!/usr/bin/python3
"""Grades the programs of this folder, and compares each verdict with what is expected of it.

    grade_all.py [--repeat N] [--core | --sample N] [--only PATTERN] [--jobs N] [--load] [--as-class | --both] [--from-traces]
                 [EXERCISE ...]
    grade_all.py --write ...      writes what was seen into the rows of expected.tsv

expected.tsv says of each program whether it is `right`, and must get all points, or has a `small slip` or a `wrong
algorithm`, or is `no attempt`, and must not; merit.py makes a table of that. Of a wrong one it has the points, the kinds of rules that it breaks, and in `reported` a
regular expression that some sentence of the report must match: the mistake, by its name. Where the report does not
name the mistake, `named` is "no", and the note says why. A note that begins with "by chance" is of a program that itself
differs from run to run: a tenth of a point is nothing there. `sight` is "yes" where the author had seen the grader. Each
repetition (with another seed) must come to the same. --core takes the fixed set of one right and some wrong programs
of each exercise, --sample the first N of it, spread over the exercises. --as-class grades with what the programs of a
class share (libraries, compiled headers); --both grades each in both ways, which must come to the same. --from-traces
keeps the traces of all runs and judges each program again from them: the two verdicts must be the same, word by word.
RANKSCOPE_BINARY names the command.
"""
import argparse
import concurrent.futures
import csv
import os
import re
import subprocess
import sys
import tempfile

import student_programs as programs


def write_table(table):
    with open(programs.TABLE, "w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, next(iter(table.values())), delimiter="\t", quoting=csv.QUOTE_NONE, escapechar=None,
                             quotechar=None, lineterminator="\n")
        out.writeheader()
        out.writerows(table[program] for program in sorted(table))


def spread(chosen, count):
    """The first of each exercise, then the second of each, and so on."""
    by_exercise = {}
    for program in chosen:
        by_exercise.setdefault(os.path.dirname(program), []).append(program)
    turns = max((len(group) for group in by_exercise.values()), default=0)
    mixed = [group[turn] for turn in range(turns) for group in by_exercise.values() if turn < len(group)]
    return mixed[:count]


def grade(program, seed, *options):
    return {"points": -1, "most": 0, "rules": [], **programs.exercise(program, "--seed", seed, *options, timeout=600)}


def grade_twice(program, seed, *options):
    """The verdict, and how the one that follows from its traces differs."""
    with tempfile.TemporaryDirectory() as folder:
        result = grade(program, seed, "--keep-traces", folder, *options)
        again = programs.exercise_says(program, folder, "--from-traces", timeout=600)
    return result, ["judged from its traces: %s = %.300s; in boxes: %.300s" % (key, again.get(key), result.get(key))
                    for key in sorted(result.keys() | again.keys())
                    if not key.startswith("trace") and again.get(key) != result.get(key)]


def sentences(result):
    out = [result.get("capped", ""), result.get("other_algorithm", "")] + [rule["first"]["says"] for rule in result["rules"] if rule.get("first")]
    return list(dict.fromkeys(one for one in out + [result.get("diagnostics", ""), result.get("trouble", "")] if one))


def broken_kinds(result):
    return ",".join(rule["kind"] for rule in result["rules"] if rule.get("first"))


def tolerance(row):
    return 0.1 if row["note"].startswith("by chance") else 0.006


def complaints(result, row):
    """What is not as expected; empty: nothing."""
    full = result["points"] >= result["most"] > 0
    if row["class"] == "right":
        return [] if full else ["a right program loses points"]
    out = ["a wrong program gets all points"] if full else []
    if not row["points"]:  # not written down yet
        return out
    if abs(result["points"] - float(row["points"])) > tolerance(row):
        out.append("%g points, expected are %s" % (result["points"], row["points"]))
    if broken_kinds(result) != row["broken"]:
        out.append("broken are [%s], expected are [%s]" % (broken_kinds(result), row["broken"]))
    if row["named"] == "yes" and not any(re.search(row["reported"], one) for one in sentences(result)):
        out.append("no sentence matches /%s/" % row["reported"])
    return out


def unlike(alone, in_class):
    """Of the verdicts on one program in both ways; empty: none."""
    if abs(alone["points"] - in_class["points"]) > 1e-9 or broken_kinds(alone) != broken_kinds(in_class):
        return ["alone %g points, broken [%s]; in a class %g points, broken [%s]"
                % (alone["points"], broken_kinds(alone), in_class["points"], broken_kinds(in_class))]
    return []


def judge(program, options, row):
    bad, points = [], set()
    first = None
    for turn in range(options.repeat):
        of_class = ["--as-class"] if options.as_class or options.both else []
        if options.from_traces:
            result, unlike_runs = grade_twice(program, 1 + 1000 * turn, *of_class)
            bad += unlike_runs
        else:
            result = grade(program, 1 + 1000 * turn, *of_class)
        if options.both and not row["note"].startswith("by chance"):
            bad += unlike(grade(program, 1 + 1000 * turn), result)
        first = first or result
        points.add(round(result["points"], 3))
        bad += [one for one in complaints(result, row) if one not in bad]
    if max(points) - min(points) > tolerance(row):
        bad.append("points differ from run to run: %s" % sorted(points))
    return first, bad


def write_down(row, result):
    row.update(points="%g" % round(result["points"], 2), of="%g" % result["most"], broken=broken_kinds(result),
               cause=re.sub(r"\s+", " ", result.get("other_algorithm") or result.get("root_cause") or result.get("capped", "")))
    if row["class"] != "right" and not row["reported"]:
        row.update(reported=re.sub(r"[\t\n]", " ", " | ".join(sentences(result))), named="?")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exercises", nargs="*", help="cpp: all in C++")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--core", action="store_true", help="the fixed set of all exercises")
    parser.add_argument("--sample", type=int, metavar="N", help="so many of the fixed set")
    parser.add_argument("--only", default="*", help="of the programs' names")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--load", action="store_true", help="keep a processor busy meanwhile")
    parser.add_argument("--as-class", action="store_true", help="as a program of a class is graded")
    parser.add_argument("--both", action="store_true", help="as one of a class, and alone: the same must come of it")
    parser.add_argument("--from-traces", action="store_true", help="judge each again from the traces of its runs")
    parser.add_argument("--write", action="store_true", help="put what was seen into the table")
    options = parser.parse_args()
    table = programs.read_table()
    chosen = programs.chosen(options.exercises, options.only)
    if options.core or options.sample:
        chosen = [one for one in chosen if table[one]["core"] == "core"]
        chosen = spread(chosen, options.sample or len(chosen))
    load = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if options.load else None
    failed = []
    try:
        with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
            outcomes = pool.map(lambda one: judge(one, options, table[one]), chosen)
            for program, (result, bad) in zip(chosen, outcomes):
                if options.write:
                    write_down(table[program], result)
                    write_table(table)
                failed += [program] if bad else []
                print(f"{'BAD' if bad else 'ok':4} {program}: {result['points']:g} of {result['most']:g}", flush=True)
                if bad:
                    print("".join(f"     {one}\n" for one in bad) + f"     mistake: {table[program]['mistake']}\n"
                          + "".join(f"     reported: {one[:200]}\n" for one in sentences(result)), end="", flush=True)
    finally:
        if load:
            load.kill()
            load.wait()
    wrong = [one for one in chosen if table[one]["class"] != "right"]
    named = sum(table[one]["named"] == "yes" for one in wrong)
    print(f"{options.repeat * len(chosen)} runs of {len(chosen)} programs: {len(chosen) - len(failed)} as expected, "
          f"{len(failed)} not; of {len(wrong)} wrong programs {named} have their mistake named")
    return 0 if chosen and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
