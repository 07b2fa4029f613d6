#!/usr/bin/python3
"""Grades the programs of this folder, and compares each verdict with what its author says of it.

    grade_all.py [--repeat N] [--only PATTERN] [--load] [EXERCISE ...]

The programs were written without sight of the grader: `# verdict: right` must get all points, `# verdict: wrong` must
not, and each repetition (with another seed) must get the same points. RANKSCOPE_BINARY names the command.
"""
import argparse
import concurrent.futures
import fnmatch
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# Their author calls them debatable: nothing in the contract forbids what they do.
DEBATABLE = {"hello/wrong_ordered.py"}
# Exercises that no lesson has yet.
LATER = {"tensor-parallel", "ulysses"}


def folders():
    for name in sorted(os.listdir(HERE)):
        if name != "cpp" and name not in LATER and os.path.isdir(os.path.join(HERE, name)):
            yield name
    for name in sorted(os.listdir(os.path.join(HERE, "cpp"))):
        yield "cpp/" + name


def programs(exercises, pattern):
    for exercise in folders():
        # "cpp": all in C++
        if exercises and exercise not in exercises and exercise.split("/")[0] not in exercises:
            continue
        for name in sorted(os.listdir(os.path.join(HERE, exercise))):
            if name.endswith((".py", ".cpp")) and fnmatch.fnmatch(name, pattern):
                yield exercise, name


def grade(binary, exercise, name, seed):
    command = [binary, "--json", "exercise", os.path.basename(exercise), os.path.join(HERE, exercise, name), "--seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"points": -1, "most": 0, "rules": [], "capped": "", "trouble": done.stderr[-300:]}


def first_words(result):
    for rule in result["rules"]:
        if rule.get("first"):
            return result.get("capped") or rule["first"]["says"]
    return result.get("capped") or result.get("diagnostics") or result.get("trouble", "")


def judge(binary, exercise, name, repeat):
    with open(os.path.join(HERE, exercise, name), encoding="utf-8") as file:
        head = dict(re.findall(r"^(?:#|//) (\w+): (.*)$", file.read(), flags=re.M))
    right = head["verdict"] == "right"
    points, words, bad = set(), "", False
    for turn in range(repeat):
        result = grade(binary, exercise, name, 1 + 1000 * turn)
        full = result["points"] >= result["most"] > 0
        points.add(round(result["points"], 3))
        words = words or first_words(result)
        told = json.dumps(result, ensure_ascii=False)
        bad |= full != right or head.get("tells", "") not in told
    allowed = f"{exercise}/{name}" in DEBATABLE
    state = "ok" if (not bad or allowed) and len(points) == 1 else "varies" if len(points) > 1 else "BAD"
    return state, sorted(points), result["most"], head.get("mistake", ""), words


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exercises", nargs="*")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--only", default="*", help="of the programs' names")
    parser.add_argument("--load", action="store_true", help="keep a processor busy meanwhile")
    options = parser.parse_args()
    binary = os.environ.get("RANKSCOPE_BINARY", "rankscope")
    load = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if options.load else None
    counts = {"ok": 0, "BAD": 0, "varies": 0}
    runs = 0
    try:
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            chosen = list(programs(options.exercises, options.only))
            for (exercise, name), (state, points, most, mistake, words) in zip(
                    chosen, pool.map(lambda one: judge(binary, *one, options.repeat), chosen)):
                counts[state] += 1
                runs += options.repeat
                shown = ", ".join("%g" % one for one in points)
                print(f"{state:6} {exercise}/{name}: {shown} of {most:g}"
                      + (f"\n         mistake: {mistake}\n         told:    {words[:200]}" if mistake else ""), flush=True)
    finally:
        if load:
            load.kill()
            load.wait()
    print(f"{runs} runs of {sum(counts.values())} programs: {counts['ok']} as their author says, "
          f"{counts['BAD']} not, {counts['varies']} with points that differ from run to run")
    return 0 if counts["BAD"] == counts["varies"] == 0 and runs > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
