"""What is done with each stored file: the cases of the compatibility test."""
import json
import re
import shutil

from compat import (FILES, Result, as_command, environment, flat, of_chrome, of_json, of_lines, of_picture, of_table,
                    of_xml, run)

DIAGRAMS = ("spacetime", "grid", "strip", "graph", "matrix", "statistics", "schematic")
SEEDS = ("0", "3")


class Session:
    """A copy of the stored files, and what commands say of it."""

    def __init__(self, folder):
        self.folder = folder / "files"
        shutil.copytree(FILES, self.folder)
        self.result = Result()
        self.variables = environment(folder, self.folder / "lessons")

    def command(self, arguments, reader=None, **changes):
        """Its exit code and, with a reader, its output."""
        done = run(arguments, self.folder, {**self.variables, **changes})
        values = {
  "exit code" : [done.returncode]}
        if reader is not None and (reader is of_json or done.returncode != 2 or done.stdout):
            values.update(reader(done.stdout))
        self.result.add(as_command(arguments), values)
        self.result.said[as_command(arguments)] = done.stderr + ("" if reader else done.stdout)

    def file(self, name, reader):
        self.result.add("file " + name, reader((self.folder / name).read_text(encoding="utf-8")))


def trace(session, name):
    session.folder = session.folder / "traces"
    for words in (["trace", "info"], ["trace", "stats"], ["check"], ["replay"]):
        session.command([*words, name, "--json"], of_json)
    session.command(["export", name, "--format", "jsonl", "-o", "-"], of_lines)
    for diagram in DIAGRAMS:
        session.command(["export", name, "--diagram", diagram, "--format", "svg", "-o", "-"], of_picture)


def two_traces(session):
    session.folder = session.folder / "traces"
    one, other = "allreduce-ring.rankscope", "exec-pi.rankscope"
    for file in (one, other):
        session.command(["trace", "diff", one, file, "--json"], of_json)
        session.command(["export", file, "--format", "csv", "-o", "-"], of_table)
        session.command(["export", file, "--format", "chrome", "-o", "-"], of_chrome)
    session.command(["export", one, "--diagram", "compare", "--with", other, "--format", "svg", "-o", "-"], of_picture)


def of_lesson(text):
    """Without the keys of predictions: any message that may come next is right, and the key is one of them."""
    lesson = json.loads(text)
    for question in lesson["questions"]:
        if question["kind"] == "predict":
            question.pop("key", None)
    return flat(lesson)


def lessons(session):
    for lesson in ("kinds", "keys"):
        session.command(["lesson", "check", lesson])
        for seed in SEEDS:
            session.command(["lesson", "show", lesson, "--lecturer", "--seed", seed, "--json"], of_lesson)
    session.command(["lesson", "export", "all", "--sheet", "-o", "new-sheet.toml"])


def student_copy(session):
    copy = {"RANKSCOPE_LESSONS": str(session.folder / "copy")}
    session.command(["lesson", "list", "--json"], of_json, **copy)
    session.command(["lesson", "show", "kinds", "--seed", "0", "--json"], of_json, **copy)


def progress(session):
    home = session.folder.parent / "data" / "rankscope" / "progress"
    shutil.copytree(session.folder / "progress", home)
    for student in ("ada", "gus"):
        session.command(["lesson", "list", "--student", student, "--json"], of_json)
        session.command(["lesson", "run", "kinds", "--student", student])
#What it is after it was opened : a key that says how the question was, is the question's.
        shutil.copy(home / student / "kinds.json", session.folder / (student + ".json"))
        session.file(student + ".json", lambda text: {
key: values for key, values in of_json(text).items()
                                                      if not key.endswith(".digest")})
    shipped = {key: value for key, value in session.variables.items() if key != "RANKSCOPE_LESSONS"}
    session.variables = shipped
    session.command(["lesson", "run", "flat-allreduce", "--student", "ada"])


def of_results(text):
    """Without the version that graded, and without what says whether all is as it was then."""
    return {
key: values for key, values in of_json(text).items() if not re.search(r"rankscope\.(digest|version)$", key)
}

def grading(session):
    session.command(["grade", "all", "class", "--out", "graded", "--format", "results,junit,csv", "--json"], of_json)
    for student in ("Ada König", "Ben", "Carl", "Dan", "Eva"):
        session.file("graded/%s/results.json" % student, of_results)
    session.file("graded/Carl/junit.xml", of_xml)
    session.file("graded/gradebook.csv", of_table)


def answer_sheets(session):
    for sheet in ("sheet.toml", "sheet-filled.toml"):
        session.command(["grade", "all", sheet, "--out", "of-" + sheet, "--format", "results", "--json"], of_json)


def of_remarks(text):
    """Only what is wrong with a sheet: the points of a shipped course may change with its lessons."""
    return {key: values for key, values in of_json(text).items() if re.match(r"(failures|remarks|students\.\d+\.remarks)", key)}


def course_sheets(session):
    """Sheets of the shipped courses, graded by the courses of today."""
    session.variables = {key: value for key, value in session.variables.items() if key != "RANKSCOPE_LESSONS"}
    for sheet in sorted((session.folder / "courses").iterdir()):
        session.command(["grade", sheet.stem, "courses/" + sheet.name, "--out", "of-" + sheet.stem, "--format", "results",
                         "--json"], of_remarks)


def cases():
    """{name of the stored result: what is done}."""
    all_of = {"lessons": lessons, "student-copy": student_copy, "progress": progress, "grading": grading,
              "answer-sheets": answer_sheets, "course-sheets": course_sheets, "two-traces": two_traces}
    for file in sorted((FILES / "traces").iterdir()):
        all_of["traces/" + file.stem] = lambda session, name=file.name: trace(session, name)
    return all_of
