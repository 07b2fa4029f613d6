#!/usr/bin/python3
"""Grades a class of the stored programs by `rankscope grade --code`, and compares each verdict with the table.

    grade_class.py [--students N] [--right PERCENT] [--again N] [--seed N] [--keep FOLDER]

Each student hands in a program for each of eight exercises, some in C++: mostly right ones, otherwise small slips and
wrong algorithms in equal parts, drawn by the seed. A comment with the student's name makes them differ, so that none is
graded in place of another. Prints how long the class takes, and each verdict that is not as stored in expected.tsv;
--again grades the same class once more, without what is kept of the results. RANKSCOPE_BINARY names the command.
"""
import argparse
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

import student_programs as programs

COURSE = "eight-programs"
EXERCISES = {  # in a class: its lesson's exercise and the file handed in
    "pass-it-on": ("point-to-point/pass-it-on", "pass_it_on"),
    "my-broadcast": ("broadcast/my-broadcast", "my_broadcast"),
    "my-allreduce": ("flat-allreduce/my-allreduce", "my_allreduce"),
    "my-allgather": ("allgather/my-allgather", "my_allgather"),
    "my-reduce-scatter": ("reduce-scatter/my-reduce-scatter", "my_reduce_scatter"),
    "my-all-to-all": ("all-to-all/my-all-to-all", "my_all_to_all"),
    "tree-allreduce": ("tree-allreduce/tree-allreduce", "tree_allreduce"),
    "ring-allreduce": ("ring-allreduce/ring-allreduce", "ring_allreduce"),
}
POINTS = 10


def course_text():
    items = "".join(f'[[part.item]]\nexercise = "{exercise}"\npoints = {POINTS}\n\n' for exercise, _ in EXERCISES.values())
    return f'title = "Eight programs"\nsummary = "Each counts the same."\n\n[[part]]\ntitle = "Programs"\npoints = {POINTS * len(EXERCISES)}\n\n{items}'


def candidates(table):
    """The programs by (exercise, right or not); without those that themselves differ from run to run."""
    out = {}
    for program, row in table.items():
        exercise = programs.exercise_of(program)
        if exercise in EXERCISES and not row["note"].startswith("by chance") and row["class"] != "no attempt":
            out.setdefault((exercise, row["class"]), []).append(program)
    return out


def drawn(groups, exercise, right, numbers):
    if numbers.random() < right:
        return numbers.choice(groups[exercise, "right"])
    return numbers.choice(groups[exercise, numbers.choice(["small slip", "wrong algorithm"])])


def hand_in(folder, student, chosen):
    place = folder / student
    place.mkdir(parents=True)
    (place / "answers.toml").write_text(f'course = "{COURSE}"\nstudent = "{student}"\n[answers]\n')
    for exercise, program in chosen.items():
        ending = programs.ending(program)
        remark = f"{'//' if ending == '.cpp' else '#'} {student}\n"
        (place / (EXERCISES[exercise][1] + ending)).write_text(programs.text_of(program) + remark, encoding="utf-8")


def verdicts(out, student):
    """The share of the points by exercise."""
    tests = json.loads((out / student / "results.json").read_text())["tests"]
    shares = {one["extra_data"]["exercise"]: one["score"] / one["max_score"] for one in tests}
    return {exercise: shares[name] for exercise, (name, _) in EXERCISES.items()}


def unlike(found, row):
    share = float(row["points"] or row["of"]) / float(row["of"])
    return abs(found - share) > 0.006


def processor_time():
    """Seconds, of all processes that have ended below this one."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def grade(course, subs, out, turn):
    began, used = time.monotonic(), processor_time()
    done = subprocess.run([os.environ.get("RANKSCOPE_BINARY", "rankscope"), "grade", course, subs, "--out", out, "--code",
                           "--format", "results", *(["--again"] if turn else [])], stdout=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"rankscope grade ended with {done.returncode}")
    return time.monotonic() - began, processor_time() - used


def compare(out, classroom, table):
    """The number of verdicts that are not as stored."""
    wrong = 0
    for student, chosen in classroom.items():
        for exercise, found in verdicts(out, student).items():
            row = table[chosen[exercise]]
            if unlike(found, row):
                wrong += 1
                print(f"BAD {student} {chosen[exercise]}: {found} of the points, stored are {row['points']} of {row['of']}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--right", type=float, default=80, metavar="PERCENT", help="of the programs are right ones")
    parser.add_argument("--again", type=int, default=0, metavar="N", help="grade the same class N times more")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="leave the class and its results there")
    options = parser.parse_args()
    table, numbers = programs.read_table(), random.Random(options.seed)
    groups = candidates(table)
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or pathlib.Path(scratch)
        subs, out, course = folder / "subs", folder / "out", folder / f"{COURSE}.toml"
        folder.mkdir(parents=True, exist_ok=True)
        course.write_text(course_text(), encoding="utf-8")
        classroom = {f"student-{i:03}": {exercise: drawn(groups, exercise, options.right / 100, numbers) for exercise in EXERCISES}
                     for i in range(1, options.students + 1)}
        for student, chosen in classroom.items():
            hand_in(subs, student, chosen)
        wrong, count = 0, len(classroom) * len(EXERCISES)
        for turn in range(1 + options.again):
            took, used = grade(course, subs, out, turn)
            differ = compare(out, classroom, table)
            wrong += differ
            print(f"{count} programs in {took / 60:.1f} minutes, {count / took * 60:.0f} a minute ({used / count:.2f} s of processor "
                  f"each); {differ} verdicts are not as stored", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
