"""Programs of a class: zip files as learning systems make them, hostile ones among them; imports."""
import json
import pathlib
import stat
import zipfile

import student_programs as programs
import pytest
from programs import needs
from conftest import ROOT, rule_of

COURSE = "send-recv"  # has my-broadcast
PYTHON = programs.text_of("my-broadcast/right_flat")
CPP = programs.text_of("cpp/my-broadcast/right_binomial")
needs("torch")


def answers(name):
    return 'course = "%s"\nstudent = "%s"\n[answers]\n' % (COURSE, name)


def zip_of(path, **texts):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, text in texts.items():
            out.writestr(name, text)
    return path


def link(name, target):
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    entry.create_system = 3
    return entry, target


def of_class(rankscope, tmp_path, *submissions):
    """By folder: (points of my-broadcast, its words, remarks)."""
    out = tmp_path / "out"
    done = rankscope("--json", "grade", COURSE, *submissions, "--out", out, "--code", "--format", "results")
    assert done.code == 0, done.output
    result = {}
    for student in json.loads(done.output)["students"]:
        remarks = "\n".join(student["remarks"])
        tests = json.loads((out / student["folder"] / "results.json").read_text())["tests"]
        one = next(test for test in tests if "my_broadcast" in test["name"] or "my-broadcast" in test["name"])
        result[student["folder"]] = (one["score"], one.get("output", ""), remarks)
    return result


def test_zip_files_of_a_class(rankscope, tmp_path):
    folder = tmp_path / "subs"
    folder.mkdir()
    zip_of(folder / "anna.zip", **{"ex1/answers.toml": answers("Anna"), "ex1/my_broadcast.py": PYTHON})
    zip_of(folder / "ben.zip", **{"ben-ex1/my_broadcast.cpp": CPP})
    with zipfile.ZipFile(folder / "carl.zip", "w") as out:
        out.writestr("answers.toml", answers("Carl"))
        out.writestr(*link("my_broadcast.py", "/etc/passwd"))
    with zipfile.ZipFile(folder / "dora.zip", "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("answers.toml", answers("Dora"))
        out.writestr("my_broadcast.py", PYTHON)
        out.writestr("../escaped.py", "x")
        out.writestr("/absolute.py", "x")
        out.writestr("zeros.bin", b"\0" * (100 << 20))
    got = of_class(rankscope, tmp_path, folder)
    assert got["Anna"][0] == 6 and got["ben"][0] == 6.5, got
    assert got["Carl"][0] == 0
    assert "my_broadcast.py is a symbolic link" in got["Carl"][2]
    assert got["Dora"][0] == 6
    assert "'../escaped.py' leads out of the zip file" in got["Dora"][2]
    assert "zeros.bin has more than" in got["Dora"][2]
    assert not list(tmp_path.rglob("*escaped*")) and not pathlib.Path("/absolute.py").exists()


def test_zip_files_in_the_zip_file_of_a_class(rankscope, tmp_path):
    inner = zip_of(tmp_path / "inner.zip", **{"work/answers.toml": answers("Emil"), "work/my_broadcast.py": PYTHON})
    outer = zip_of(tmp_path / "class.zip", **{"emil/emil.zip": inner.read_bytes(),
                                              "fine/answers.toml": answers("Fine"), "fine/my_broadcast.cpp": CPP})
    got = of_class(rankscope, tmp_path, outer)
    assert {name: one[0] for name, one in got.items()} == {"Emil": 6, "Fine": 6.5}, got


def few_of(*rows):
    """Two rows; the rest takes long."""
    return [*rows[:2], *(pytest.param(*row, marks=pytest.mark.full) for row in rows[2:])]


@pytest.mark.parametrize("line, told", few_of(
    ("import helper", "helper.py, line 2: import mmap"),
    ("import torch; torch.ctypes.CDLL(None)", "line 1: torch.ctypes"),
    ("import ctypes", "line 1: import ctypes. Allowed are"),
    ("from socket import socket as plain", "line 1: from socket import socket"),
    ("import subprocess, math", "line 1: import subprocess"),
    ("wanted = __import__('ctypes')", "line 1: __import__ can import or run"),
    ("exec('import ctypes')", "line 1: exec can import or run"),
    ("import importlib", "line 1: import importlib"),
    ("import sys; sys.modules['torch']", "line 1: sys.modules can import"),
    ("import torch.utils.cpp_extension", "line 1: import torch.utils.cpp_extension"),
    ("from torch.distributed import distributed_c10d", "line 1: from torch.distributed import distributed_c10d"),
))
def test_imports_are_told_with_their_line(rankscope, tmp_path, line, told):
    (tmp_path / "helper.py").write_text("x = 1\nimport mmap\n")
    (tmp_path / "my_broadcast.py").write_text(line + "\n" + PYTHON)
    done = json.loads(rankscope("--json", "exercise", "my-broadcast", tmp_path).output)
    rule = rule_of(done, "imports")
    assert rule["state"] == "broken" and told in rule["first"]["says"]
    assert done["points"] == done["most"] - rule["most"]


HELLO = """
import torch.distributed as dist

def hello(rank, world_size, name):
    print(f"Rank {rank}: Hello, {name}!")
"""


@pytest.mark.parametrize("line, told", few_of(
    ("import time; time.sleep(0)", "hello.py, line 1: sleep is not for this exercise"),
    ("sleep = 'time.sleep'; sleep = sleep.upper()", None),
    ("import time as t; nap = t.sleep", "hello.py, line 1: sleep"),
    ("from time import sleep as nap; nap(0)", "hello.py, line 1: time.sleep"),
    ("import helper", "helper.py, line 2: time.sleep"),
))
def test_calls_are_told_with_their_line(rankscope, tmp_path, line, told):
    (tmp_path / "helper.py").write_text("from time import sleep\nsleep(0)\n")
    (tmp_path / "hello.py").write_text(line + "\n" + HELLO)
    done = json.loads(rankscope("--json", "exercise", "hello", tmp_path).output)
    rule = rule_of(done, "calls")
    assert rule["state"] == ("kept" if told is None else "broken")
    assert done["points"] == done["most"] - (0 if told is None else rule["most"])
    assert told is None or told in rule["first"]["says"]


def test_programs_are_judged_again_from_their_traces(rankscope, tmp_path):
    folder = tmp_path / "subs" / "anna"
    folder.mkdir(parents=True)
    (folder / "answers.toml").write_text(answers("Anna"))
    (folder / "my_broadcast.py").write_text(programs.text_of("my-broadcast/wrong_flattened"))
    kept = tmp_path / "kept"

    def grade(out, *options):
        done = rankscope("--json", "grade", COURSE, folder.parent, "--out", tmp_path / out, "--code", "--format",
                         "results", *options)
        assert done.code == 0, done.output
        student = json.loads(done.output)["students"][0]
        tests = json.loads((tmp_path / out / student["folder"] / "results.json").read_text())["tests"]
        return student["folder"], [(one.get("score"), one.get("output")) for one in tests]

    student, made = grade("made", "--keep-traces", kept)
    assert grade("judged", "--from-traces", kept) == (student, made)

    runs = kept / student / "my-broadcast"
    again = rankscope("--json", "exercise", "my-broadcast", runs, "--from-traces")
    assert again.code == 1 and 0 < json.loads(again.output)["points"] < json.loads(again.output)["most"]
    for other in (("--seed", 1), ("--timeout", 10), ("--no-sandbox",), ("--no-ask",), ("--as-class",)):
        refused = rankscope("exercise", "my-broadcast", runs, "--from-traces", *other)
        assert refused.code == 2 and "--from-traces runs nothing" in refused.output

    old = next((ROOT / "tests" / "compat" / "files" / "traces").rglob("*.rankscope"))
    refused = rankscope("exercise", "my-broadcast", old, "--from-traces")
    assert refused.code == 2 and "cannot be judged again" in refused.output


def test_headers_are_told_with_their_line(rankscope, tmp_path):
    program = tmp_path / "my_broadcast.cpp"
    program.write_text("#include <sys/socket.h>\n" + CPP)
    done = json.loads(rankscope("--json", "exercise", "my-broadcast", program).output)
    rule = rule_of(done, "imports")
    assert "my_broadcast.cpp, line 1: #include <sys/socket.h>" in rule["first"]["says"]


def test_the_compiler_sees_nothing_outside_of_its_box(rankscope, tmp_path):
    secret = tmp_path / "secret.h"
    secret.write_text("the_secret_word;\n")
    program = tmp_path / "my_broadcast.cpp"
    for include in (str(secret), "/etc/shadow", "/proc/1/environ"):
        program.write_text('#include "%s"\n' % include + CPP)
        output = rankscope("--json", "exercise", "my-broadcast", program, OF_THE_GRADER="the_secret_word").output
        done = json.loads(output)
        assert "the_secret_word" not in output and "root:" not in output
        # In the box that file is there, and empty.
        assert include == "/proc/1/environ" or "No such file" in done["diagnostics"]


def test_an_exercise_for_python_says_so(rankscope, tmp_path):
    program = tmp_path / "worker.cpp"
    program.write_text(CPP)
    done = rankscope("exercise", "bde-all-reduce", program)
    assert done.code != 0 and "is for Python: hand in worker.py" in done.output


@pytest.mark.parametrize("name", ["collectives.py", "torch.py"])
def test_messages_name_the_students_own_file(rankscope, tmp_path, name):
    program = tmp_path / name
    program.write_text(PYTHON)
    assert "6 of 6 points" in rankscope("exercise", "my-broadcast", program).output
    program.write_text("def my_broadcast(tensor, src):\n    raise ValueError('not today')\n")
    output = rankscope("exercise", "my-broadcast", program).output
    assert "(%s, line 2)" % name in output and "my_broadcast.py" not in output


def test_a_run_that_takes_too_long_tells_who_is_busy(rankscope, tmp_path):
    program = tmp_path / "my_broadcast.py"
    program.write_text(PYTHON.replace("def my_broadcast", "def honest") + """

def my_broadcast(tensor, src):
    result = honest(tensor, src)
    while dist.get_rank() == 1:
        pass
    return result
""")
    done = rankscope("exercise", "my-broadcast", program, "--timeout", "2")
    assert ("rank 1 computes, or waits for something other than a message; "
            "the last call of rank 1 is the one at my_broadcast.py:") in done.output, done.output
    program.write_text("def my_broadcast(tensor, src):\n    while True:\n        pass\n")
    done = rankscope("exercise", "my-broadcast", program, "--timeout", "2")
    assert ("ranks 0 and 1 compute, or wait for something other than a message, and have sent and received nothing"
            in done.output), done.output


def test_a_comment_runs_no_program_again(rankscope, tmp_path):
    student, out = tmp_path / "subs" / "anna", tmp_path / "out"
    student.mkdir(parents=True)
    (student / "my_broadcast.py").write_text(PYTHON)
    (student / "answers.toml").write_text(answers("Anna"))

    def grade(*more):
        done = rankscope("--json", "grade", COURSE, tmp_path / "subs", "--out", out, "--code", "--format", "results",
                         *more)
        assert done.code == 0, done.output
        return json.loads(done.output)

    assert grade()["programs_kept"] == 0
    (out / "marks.toml").write_text('[Anna]\ncomment = "Well done."\n')
    commented = grade()
    assert (commented["kept"], commented["programs_kept"]) == (0, 1)
    assert commented["students"][0]["points"] == 6
    assert "Well done." in (out / "Anna" / "results.json").read_text()
    # Without --code nothing is run, and nothing is lost.
    plain = rankscope("--json", "grade", COURSE, tmp_path / "subs", "--out", out, "--format", "results")
    assert plain.code == 0, plain.output
    assert json.loads(plain.output)["students"][0]["points"] == 6
    assert "earlier grading with --code" in (out / "Anna" / "results.json").read_text()
    assert grade()["programs_kept"] == 1
    assert grade("--again")["programs_kept"] == 0
    results = out / "Anna" / "results.json"
    results.write_text(results.read_text()[:500])
    damaged = grade()
    assert damaged["programs_kept"] == 0
    assert any("results.json is damaged" in line and "Anna" in line for line in damaged["remarks"]), damaged
    edited = json.loads(results.read_text())
    edited["extra_data"]["rankscope"]["row"]["points"] = edited["score"] = 99
    results.write_text(json.dumps(edited))
    again = grade()
    assert again["programs_kept"] == 0 and again["students"][0]["points"] == 6, again
    assert any("results.json was edited" in line and "Anna" in line for line in again["remarks"]), again


def test_programs_that_changed_are_named_where_none_is_run(rankscope, tmp_path):
    student, out = tmp_path / "subs" / "anna", tmp_path / "out"
    student.mkdir(parents=True)
    (student / "my_broadcast.py").write_text(PYTHON)
    (student / "helper.py").write_text("x = 1\n")

    def grade(*more):
        done = rankscope("--json", "grade", COURSE, tmp_path / "subs", "--out", out, "--format", "results", *more)
        assert done.code == 0, done.output
        return json.loads(done.output)["students"][0]

    assert grade("--code")["points"] == 6
    assert grade()["points"] == 6
    (student / "helper.py").write_text("x = 2\n")
    changed = grade()
    assert changed["points"] == 0
    assert any("changed since it was graded (6 of 6 points then)" in line for line in changed["remarks"]), changed


def test_a_sheet_names_nobody_else(rankscope, tmp_path):
    """A submission is its folder's, whatever its answer sheet says; a TA may say otherwise."""
    subs, out, roster = tmp_path / "subs", tmp_path / "out", tmp_path / "roster.csv"
    for folder, name in ("anna", "Anna"), ("mallory", "Anna"):
        (subs / folder).mkdir(parents=True)
        (subs / folder / "answers.toml").write_text(answers(name))
    roster.write_text("Name,Email\nAnna,anna@example.org\nMallory,mallory@example.org\n")

    def grade(*more):
        done = rankscope("--json", "grade", COURSE, subs, "--out", out, "--format", "results", *more)
        assert done.code == 0, done.output
        return {one["folder"]: one for one in json.loads(done.output)["students"]}

    for more in ((), ("--roster", roster)):
        students = grade(*more)
        assert {name.lower() for name in students} == {"anna", "mallory"}, students
        mallory, = [one for name, one in students.items() if name.lower() == "mallory"]
        assert any("the answer sheet says 'Anna'" in line for line in mallory["remarks"]), mallory
    (out / "marks.toml").write_text('["Mallory"]\nstudent = "Anna"\n')
    assert all(one["student"] == "Anna" for one in grade("--roster", roster).values())


def test_alike_lists_a_renamed_copy_and_gives_no_verdict(rankscope, tmp_path):
    """Dora and Emil both have the solution that drills are made of, which is nobody's own."""
    subs, out = tmp_path / "subs", tmp_path / "out"
    chain, stored = programs.text_of("my-broadcast/right_chain"), (ROOT / "lessons/drills/my-broadcast/flat.py").read_text()
    for name, text in ("anna", chain), ("cem", PYTHON), ("dora", stored), ("emil", stored):
        (subs / name).mkdir(parents=True)
        (subs / name / "my_broadcast.py").write_text(text)
    renamed = chain.replace("tensor", "data").replace("rank", "me").replace("\n    ", "\n    # mine\n    ")
    zip_of(subs / "ben.zip", **{"ben/my_broadcast.py": renamed})
    done = rankscope("--json", "grade", COURSE, subs, "--out", out, "--alike", "--alike-words", "30")
    assert done.code == 0, done.output
    result = json.loads(done.output)
    pair, = result["alike"]
    assert {one["folder"] for one in pair["programs"]} == {"anna", "ben"}
    assert pair["passages"] and all(one["share"] > 0.8 for one in pair["programs"]), pair
    assert all(student["points"] == 0 for student in result["students"])  # nothing was run
    assert "no verdict" in (out / "alike.html").read_text()
    text = rankscope("grade", COURSE, subs, "--out", out, "--alike", "--alike-words", "30").output
    assert "1 pair to look at" in text and "! 5 programs" not in text
    assert rankscope("grade", COURSE, subs, "--out", out, "--alike", "--alike-share", "101").code == 2


def test_a_report_shows_what_the_ranks_printed(rankscope, tmp_path):
    student, out = tmp_path / "subs" / "anna", tmp_path / "out"
    student.mkdir(parents=True)
    (student / "answers.toml").write_text(answers("Anna"))
    says = "    for number in range(40):\n        print('<b> step', number)\n"
    (student / "my_broadcast.py").write_text(PYTHON.replace("    rank, n =", says + "    rank, n =", 1))
    done = rankscope("grade", COURSE, tmp_path / "subs", "--out", out, "--code", "--format", "results,html")
    assert done.code == 0, done.output
    page, results = (out / "Anna" / "report.html").read_text(), (out / "Anna" / "results.json").read_text()
    shown = page[page.index("<dt>Printed</dt>"):]
    shown = shown[:shown.index("</pre>")]
    assert "rank 1: &lt;b&gt; step 0\n" in shown and "more lines" in shown
    assert 20 <= shown.count("step") <= 50
    assert "rank 0: <b> step 0\\n" in results


def test_an_item_is_hidden_until_its_date(rankscope, tmp_path):
    subs, course = tmp_path / "subs", tmp_path / "send-recv.toml"
    subs.mkdir()
    (subs / "anna.toml").write_text(answers("Anna") + '"flat-allreduce/final-values" = "1, 2"\n"allgather/shape" = "(4, 2)"\n')
    text = (ROOT / "lessons" / "courses" / "send-recv.toml").read_text()
    item = 'exercise = "flat-allreduce/final-values"\n'

    def graded(date):
        course.write_text(text.replace(item, item + ("hidden_until = %s\n" % date if date else "")))
        done = rankscope("grade", course, subs, "--out", tmp_path / "out", "--format", "results,html,junit")
        assert done.code == 0, done.output
        tests = json.loads((tmp_path / "out" / "Anna" / "results.json").read_text())["tests"]
        one = next(one for one in tests if one["extra_data"].get("exercise") == "flat-allreduce/final-values")
        return one, (tmp_path / "out" / "Anna" / "report.html").read_text()

    open_one, open_page = graded("")
    assert open_one["visibility"] == "visible" and "shown from" not in open_page
    one, page = graded("2999-01-01T00:00:00Z")
    assert one == {**open_one, "visibility": "hidden"}
    assert page.count("shown from 2999-01-01T00:00:00Z") == 2 and "do not count here yet" in page
    assert graded("2020-01-01T00:00:00Z") == (open_one, open_page)
