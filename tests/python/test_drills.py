"""Faulty programs made of right ones (rankscope.mutate), and the drills that are kept of them."""
import ast
import json
import pathlib

import pytest
from programs import needs
from rankscope.mutate import KINDS, mutants

DRILLS = pathlib.Path(__file__).resolve().parents[2] / "lessons" / "drills"
SOLUTIONS = sorted(DRILLS.glob("*/*.py"))
RAY_ERROR = '''

class Worker(Worker):
    def mst_all_reduce(self):
        if self.world_size == 3:
            raise ValueError("three")
        return super().mst_all_reduce()
'''


def test_each_kind_changes_some_program():
    made = {mutant["kind"] for file in SOLUTIONS for mutant in mutants(file.read_text())}
    assert made == set(KINDS) and len(KINDS) >= 20


@pytest.mark.parametrize("file", SOLUTIONS, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_mutants_differ_where_they_say(file):
    text = file.read_text()
    lines = text.splitlines()
    found = mutants(text)
    assert len({one["text"] for one in found} | {text}) == len(found) + 1
    for one in found:
        ast.parse(one["text"])
        first = one["line"] - 1
        changed = one["text"].splitlines()
        assert changed[:first] == lines[:first]
        after, before = one["after"].splitlines(), one["before"].splitlines()
        assert changed[first:first + len(after)] == after and lines[first:first + len(before)] == before
        assert changed[first + len(after):] == lines[first + len(before):]


def test_what_is_given_is_not_changed():
    text = (DRILLS / "mst-all-reduce" / "binomial.py").read_text()
    given = text[text.index("    def __init__"):text.index("    def mst_all_reduce")]
    assert "# given" in given and all(given in one["text"] for one in mutants(text))


def drills(rankscope, folder, *options):
    done = rankscope("lesson", "drills", "-o", folder, *options)
    assert done.code == 0, done.output
    return json.loads((folder / "key.json").read_text())["drills"]


def test_a_sheet_has_no_twins_and_comes_again_by_its_seed(rankscope, tmp_path):
    needs("torch")
    few = ("--exercise", "pass-it-on", "my-broadcast", "my-allgather")
    sheets = [drills(rankscope, tmp_path / name, "--sheet", "2", "--seed", seed, *few)
              for name, seed in (("a", "7"), ("b", "7"), ("c", "8"))]
    assert sheets[0] == sheets[1] != sheets[2]
    for sheet in sheets:
        for what in ("exercise", "kind"):
            assert len({one[what] for one in sheet}) == 2
    questions = (tmp_path / "a" / "questions" / "questions.md").read_text()
    for one in sheets[0]:
        program = (tmp_path / "a" / "questions" / one["file"]).read_text()
        assert program != one["right"] and one["finding"] not in questions
        assert one["points"] < one["most"]


def test_a_ray_program_that_fails_once_is_judged_in_later_runs(rankscope, tmp_path):
    needs("torch")
    program = tmp_path / "worker.py"
    program.write_text((DRILLS / "mst-all-reduce" / "binomial.py").read_text() + RAY_ERROR)
    done = rankscope("--json", "exercise", "mst-all-reduce", program, "--seed", "1")
    values = json.loads(done.output)["rules"][0]
    assert values["broken"] == 3 and values["kept"] >= 12


@pytest.mark.full
def test_two_hundred_drills_of_ten_exercises(rankscope, tmp_path):
    needs("torch")
    made = drills(rankscope, tmp_path / "bank", "--count", "200")
    assert len(made) == 200 and len({one["exercise"] for one in made}) >= 10
    assert len({one["kind"] for one in made}) >= 20
    programs = {(tmp_path / "bank" / "questions" / one["file"]).read_text() for one in made}
    assert len(programs) == 200
    assert all(one["points"] < one["most"] and one["finding"] for one in made)
    sheet = drills(rankscope, tmp_path / "exam", "--sheet", "10", "--seed", "7")
    assert len({one["exercise"] for one in sheet}) == len({one["kind"] for one in sheet}) == 10
