#!/usr/bin/python3
"""Grades the programs of this folder, and compares each verdict with what is expected of it.

    grade_all.py [--repeat N] [--core | --sample N] [--only PATTERN] [--jobs N] [--load] [EXERCISE ...]
    grade_all.py --write ...      writes what was seen into expected.tsv, for programs that are not in it

`# verdict: right` must get all points, `# verdict: wrong` must not. expected.tsv says more of each wrong program: its
points, the kinds of rules that it breaks, and a regular expression that some sentence of the report must match: the
mistake, by its name. Where the report does not name the mistake, `named` is "no", and the note says why. Each
repetition (with another seed) must come to the same. --core takes the fixed set of one right and some wrong programs
of each exercise, --sample the first N of it, spread over the exercises. RANKSCOPE_BINARY names the command.
"""
import argparse
import concurrent.futures
import csv
import fnmatch
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "expected.tsv")
COLUMNS = ["program", "points", "of", "broken", "told", "named", "core", "note"]


def read_table():
    if not os.path.isfile(TABLE):
        return {}
    with open(TABLE, encoding="utf-8", newline="") as file:
        return {row["program"]: row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}


def write_table(table):
    with open(TABLE, "w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, COLUMNS, delimiter="\t", quoting=csv.QUOTE_NONE, escapechar=None,
                             quotechar=None, lineterminator="\n")
        out.writeheader()
        for program in sorted(table):
            out.writerow(table[program])


def file_of(program):
    return os.path.join(HERE, program if program.endswith(".cpp") else program + ".py")


def head_of(program):
    with open(file_of(program), encoding="utf-8") as file:
        return dict(re.findall(r"^(?:#|//) (\w+): (.*)$", file.read(), flags=re.M))


def folders():
    for name in sorted(os.listdir(HERE)):
        if name != "cpp" and not name.startswith("_") and os.path.isdir(os.path.join(HERE, name)):
            yield name
    for name in sorted(os.listdir(os.path.join(HERE, "cpp"))):
        yield "cpp/" + name


def programs(exercises, pattern):
    for exercise in folders():
        # "cpp": all in C++
        if exercises and exercise not in exercises and exercise.split("/")[0] not in exercises:
            continue
        for name in sorted(os.listdir(os.path.join(HERE, exercise))):
            stem, ending = os.path.splitext(name)
            if ending in (".py", ".cpp") and fnmatch.fnmatch(stem, pattern):
                yield f"{exercise}/{stem if ending == '.py' else name}"


def spread(chosen, count):
    """The first of each exercise, then the second of each, and so on."""
    by_exercise = {}
    for program in chosen:
        by_exercise.setdefault(os.path.dirname(program), []).append(program)
    turns = max((len(group) for group in by_exercise.values()), default=0)
    mixed = [group[turn] for turn in range(turns) for group in by_exercise.values() if turn < len(group)]
    return mixed[:count]


def grade(binary, program, seed):
    exercise = os.path.basename(os.path.dirname(program))
    command = [binary, "--json", "exercise", exercise, file_of(program), "--seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"points": -1, "most": 0, "rules": [], "trouble": done.stderr[-300:]}


def sentences(result):
    out = [result.get("capped", "")] + [rule["first"]["says"] for rule in result["rules"] if rule.get("first")]
    return list(dict.fromkeys(one for one in out + [result.get("diagnostics", ""), result.get("trouble", "")] if one))


def broken_kinds(result):
    return ",".join(rule["kind"] for rule in result["rules"] if rule.get("first"))


def complaints(program, result, head, row):
    """What is not as expected; empty: nothing."""
    full = result["points"] >= result["most"] > 0
    if head["verdict"] == "right":
        return [] if full else ["a right program loses points"]
    out = ["a wrong program gets all points"] if full and (row is None or row["named"] != "undetected") else []
    if program.endswith(".cpp"):  # what is told of it stands in its file
        told = " ".join(sentences(result))
        return out + (["nothing told says: " + head["tells"]] if head.get("tells", "") not in told else [])
    if row is None:  # not written down yet
        return out
    if abs(result["points"] - float(row["points"])) > 0.006:
        out.append("%g points, expected are %s" % (result["points"], row["points"]))
    if broken_kinds(result) != row["broken"]:
        out.append("broken are [%s], expected are [%s]" % (broken_kinds(result), row["broken"]))
    if row["named"] == "yes" and not any(re.search(row["told"], one) for one in sentences(result)):
        out.append("nothing told matches /%s/" % row["told"])
    return out


def judge(binary, program, repeat, table):
    head, row = head_of(program), table.get(program)
    bad, points = [], set()
    first = None
    for turn in range(repeat):
        result = grade(binary, program, 1 + 1000 * turn)
        first = first or result
        points.add(round(result["points"], 3))
        bad += [one for one in complaints(program, result, head, row) if one not in bad]
    if len(points) > 1:
        bad.append("points differ from run to run: %s" % sorted(points))
    return head, first, bad


def seen(program, head, result, old):
    row = {"program": program, "points": "%g" % round(result["points"], 2), "of": "%g" % result["most"],
           "broken": broken_kinds(result), "told": "", "named": "?", "core": "", "note": ""}
    row["told"] = re.sub(r"[\t\n]", " ", " | ".join(sentences(result)))
    if old:
        row.update({key: old[key] for key in ("told", "named", "core", "note")})
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exercises", nargs="*")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--core", action="store_true", help="the fixed set of all exercises")
    parser.add_argument("--sample", type=int, metavar="N", help="so many of the fixed set")
    parser.add_argument("--only", default="*", help="of the programs' names")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--load", action="store_true", help="keep a processor busy meanwhile")
    parser.add_argument("--write", action="store_true", help="put what was seen into the table")
    options = parser.parse_args()
    binary = os.environ.get("RANKSCOPE_BINARY", "rankscope")
    table = read_table()
    chosen = list(programs(options.exercises, options.only))
    if options.core or options.sample:
        chosen = [one for one in chosen if table.get(one, {}).get("core") == "core"]
        chosen = spread(chosen, options.sample or len(chosen))
    load = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if options.load else None
    failed, named, wrong, unlisted = [], 0, 0, 0
    try:
        with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
            outcomes = pool.map(lambda one: judge(binary, one, options.repeat, table), chosen)
            for program, (head, result, bad) in zip(chosen, outcomes):
                if options.write and (head["verdict"] == "wrong" or program in table):
                    table[program] = seen(program, head, result, table.get(program))
                    write_table(table)
                wrong += head["verdict"] == "wrong"
                named += head["verdict"] == "wrong" and table.get(program, {}).get("named") == "yes"
                unlisted += head["verdict"] == "wrong" and program not in table and not program.endswith(".cpp")
                failed += [program] if bad else []
                print(f"{'BAD' if bad else 'ok':4} {program}: {result['points']:g} of {result['most']:g}", flush=True)
                if bad:
                    print("".join(f"     {one}\n" for one in bad) + f"     mistake: {head.get('mistake', '')}\n"
                          + "".join(f"     told: {one[:200]}\n" for one in sentences(result)), end="", flush=True)
    finally:
        if load:
            load.kill()
            load.wait()
    runs = options.repeat * len(chosen)
    print(f"{runs} runs of {len(chosen)} programs: {len(chosen) - len(failed)} as expected, {len(failed)} not; "
          f"of {wrong} wrong programs {named} have their mistake named, "
          f"{unlisted} are not in expected.tsv")
    return 0 if chosen and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
