"""`rankscope profile --assignment --worker`: the table of the Ray task, measured on stored Worker programs."""
import ast
import json

import student_programs as programs
import pytest
from programs import needs

needs("torch")
ROWS = ["do_send_recv", "ray_all_reduce", "bde_all_reduce", "mst_all_reduce"]
SMALL = ("-n", 4, "--sizes", "4KiB", "--iterations", 3)


def worker_of(*stored):
    """One class Worker of several stored programs: the first one's, with the methods that it lacks of the others."""
    trees = [ast.parse(programs.text_of(program)) for program in stored]
    classes = [next(one for one in tree.body if isinstance(one, ast.ClassDef) and one.name == "Worker") for tree in trees]
    for other in classes[1:]:
        known = {one.name for one in classes[0].body if isinstance(one, ast.FunctionDef)}
        classes[0].body += [one for one in other.body if isinstance(one, ast.FunctionDef) and one.name not in known]
    body = [one for tree in trees[1:] for one in tree.body if one not in classes] + trees[0].body
    return ast.unparse(ast.Module(body, []))


@pytest.fixture
def measure(rankscope, tmp_path):
    def run(text, *options):
        file = tmp_path / "my worker.py"
        file.write_text(text, encoding="utf-8")
        return rankscope(*options, "profile", "--assignment", "--worker", file, *SMALL)
    return run


def test_right_methods_are_measured(measure):
    text = worker_of("mst-all-reduce/right_ray_remote", "bde-all-reduce/right_order", "ray-all-reduce/right_handout")
    done = measure(text, "--json")
    assert done.code == 0, done.output
    records = json.loads(done.output)
    assert [one["algorithm"] for one in records] == ROWS
    for one in records:
        assert one["np"] == 4 and one["bytes"] == 4096 and one["launches"] == 3 and one["iterations"] == 1
        assert 0 < one["min_s"] <= one["median_s"] <= one["max_s"] < 60 and "error" not in one


def test_what_is_wrong_is_named(measure):
    """A sum that is none, ranks that wait for each other, and a method that is missing; the fourth one is measured."""
    done = measure(worker_of("bde-all-reduce/wrong_returns_buf", "mst-all-reduce/wrong_both_send"))
    assert done.code == 2, done.output
    assert "P2P (send/recv): do_send_recv" in done.output and "BDE allreduce" not in done.output
    lines = done.output.splitlines()
    assert any("bde_all_reduce: " in line for line in lines), done.output
    assert any("mst_all_reduce: " in line and "wait" in line for line in lines), done.output
    assert any("ray_all_reduce: " in line and "Worker has no ray_all_reduce" in line for line in lines), done.output


def test_a_built_in_behind_another_name_is_said(measure):
    text = worker_of("bde-all-reduce/wrong_builtin", "mst-all-reduce/right_binomial", "ray-all-reduce/right_positional")
    done = measure(text)
    assert done.code == 0, done.output
    assert "bde_all_reduce has the right result, but not by its own algorithm" in done.output
    assert "mst_all_reduce has the right result" not in done.output


def test_a_file_without_the_class_is_refused_once(measure):
    done = measure("import torch\n")
    assert done.code == 2, done.output
    assert ", ".join(ROWS) + ": " in done.output and done.output.count("has no Worker") == 1


@pytest.mark.parametrize("arguments, words", [
    (("--worker", "none.py", "--assignment"), "none.py is neither a file nor a folder"),
    (("--worker", "none.py"), "give --assignment"),
    (("--no-sandbox", "--assignment"), "give --worker"),
    (("--assignment", "-n", "2,4"), "--np"),
    (("--assignment", "--sizes", "6"), "multiple of 4 bytes"),
    (("--assignment", "--iterations", "0"), "one trial"),
])
def test_what_makes_no_table_is_refused(rankscope, arguments, words):
    done = rankscope("profile", *arguments)
    assert done.code == 2 and words in done.output, done.output
