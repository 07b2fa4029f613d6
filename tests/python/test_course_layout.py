"""Submissions as an assignment lays them out: a repository in many wrappings, packages with imports, notebooks."""
import io
import json
import pathlib
import tarfile
import zipfile

import student_programs as programs
from programs import needs

needs("torch")

COLLECTIVES = ("my-broadcast/right_binomial", "my-allreduce/right_flat", "my-allgather/right_ring",
               "my-reduce-scatter/right_pairs", "my-all-to-all/right_parity")
COURSE = """
title = "Two files"
[[file]]
path = "src/collectives.py"
holds = ["broadcast/my-broadcast"]
[[file]]
path = "src/transformer.py"
holds = ["parallel-transformer/ulysses"]
[[part]]
title = "All"
points = 30
[[part.item]]
exercise = "broadcast/my-broadcast"
points = 10
[[part.item]]
exercise = "parallel-transformer/ulysses"
points = 20
"""
NOTEBOOK_COURSE = """
title = "A notebook"
[[file]]
path = "*.ipynb"
holds = ["broadcast/my-broadcast", "flat-allreduce/my-allreduce"]
[[part]]
title = "All"
points = 20
[[part.item]]
exercise = "broadcast/my-broadcast"
points = 10
[[part.item]]
exercise = "flat-allreduce/my-allreduce"
points = 10
"""


def collectives():
    """The five functions in one file."""
    return "\n\n".join(programs.text_of(name) for name in COLLECTIVES)


def transformer(line):
    """The block, whose all-to-all is that of the student's other file."""
    text = programs.text_of("tensor-parallel/right_all_reduce")
    head, _, rest = text.partition("def my_allreduce(")
    return head + line + "\n\n\nclass Basic" + rest.partition("class Basic")[2]


def repository(line="from src.collectives import my_all_to_all", folder="src/"):
    """A submission by path."""
    return {folder + "__init__.py": "", folder + "collectives.py": collectives(),
            folder + "transformer.py": transformer(line), "tests/__init__.py": "",
            "tests/utils.py": "import torch.multiprocessing as mp\n", "README.md": "Mine.\n",
            "pyproject.toml": "[project]\nname = 'x'\n"}


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def zipped(files, below=""):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(below + name, text)
    return out.getvalue()


def tarred(files, below=""):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(below + name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return out.getvalue()


def notebook(*cells):
    return json.dumps({"cells": [{"cell_type": "code", "source": source, "outputs": [], "execution_count": None}
                                 for source in cells], "metadata": {"kernel": None}, "nbformat": 4})


def graded(rankscope, tmp_path, course, *submissions):
    """By student: (points of each item, all that the report says)."""
    out = tmp_path / "out"
    if course.startswith("\n"):
        (tmp_path / "course.toml").write_text(course)
        course = tmp_path / "course.toml"
    done = rankscope("--json", "grade", course, *submissions, "--out", out, "--code", "--format", "results")
    assert done.code == 0, done.output
    result = {}
    for student in json.loads(done.output)["students"]:
        tests = json.loads((out / student["folder"] / "results.json").read_text())["tests"]
        words = "\n".join(student["remarks"] + [test.get("output", "") for test in tests])
        result[student["folder"]] = ([test["score"] for test in tests if "score" in test], words)
    return result


def test_every_wrapping_of_the_courses_repository(rankscope, tmp_path):
    subs = tmp_path / "subs"
    write(subs / "plain", repository())
    write(subs / "relative/merged_assignment", repository("from .collectives import my_all_to_all"))
    write(subs / "flat", repository("from src.collectives import my_all_to_all", ""))
    write(subs / "flat-relative", repository("from .collectives import my_all_to_all", ""))
    write(subs / "beside", repository("from collectives import my_all_to_all"))
    write(subs / "package", {**repository("import src.collectives\nmy_all_to_all = src.collectives.my_all_to_all")})
    (subs / "zip.zip").write_bytes(zipped(repository(), "merged_assignment/"))
    (subs / "zipzip.zip").write_bytes(zipped({"hand-in.zip": zipped(repository(), "x/y/")}))
    (subs / "tar.tar.gz").write_bytes(tarred(repository(), "./"))
    got = graded(rankscope, tmp_path, COURSE, subs)
    assert len(got) == 9, got
    for student, (points, words) in got.items():
        assert points == [10, 20], (student, points, words)
    assert "src/collectives.py" in got["plain"][1]


def test_one_repository_is_one_student(rankscope, tmp_path):
    write(tmp_path / "mine", repository())
    got = graded(rankscope, tmp_path, COURSE, tmp_path / "mine")
    assert {name: one[0] for name, one in got.items()} == {"mine": [10, 20]}


def test_helper_modules_travel_along(rankscope, tmp_path):
    files = repository("from src.ways.exchange import my_all_to_all")
    files["src/ways/__init__.py"] = ""
    files["src/ways/exchange.py"] = "from ..collectives import my_all_to_all\nfrom . import names\n"
    files["src/ways/names.py"] = ""
    write(tmp_path / "subs/anna", files)
    files["src/collectives.py"] += "\nfrom src.ways import names\n"
    write(tmp_path / "subs/ben", {**files, "src/ways/names.py": "import socket\n"})
    got = graded(rankscope, tmp_path, COURSE, tmp_path / "subs")
    assert got["anna"][0] == [10, 20]
    assert "src/ways/names.py, line 1: import socket" in got["ben"][1]


def test_what_is_missing_or_not_written_is_said(rankscope, tmp_path):
    starter = "import torch\n\n\ndef my_broadcast(tensor, src=0):\n    \"\"\"TODO\n    return it\"\"\"\n    raise NotImplementedError\n"
    subs = tmp_path / "subs"
    write(subs / "anna", {"src/collectives.py": starter, "src/transfomer.py": transformer("from .collectives import x")})
    write(subs / "ben", {"src/collectives.py": "def my_brodcast(tensor, src=0):\n    return tensor\n"})
    got = graded(rankscope, tmp_path, COURSE, subs)
    assert got["anna"][0] == [0, 0] and got["ben"][0] == [0, 0], got
    assert "my_broadcast in src/collectives.py is not written yet" in got["anna"][1]
    assert "Is it 'src/transfomer.py'?" in got["anna"][1]
    assert "has no my_broadcast; did you mean my_brodcast? Rename it to my_broadcast" in got["ben"][1]


def test_a_notebook_is_graded_by_its_functions(rankscope, tmp_path):
    broadcast, allreduce = (programs.text_of(name) for name in COLLECTIVES[:2])
    first = "%pip install torch\nimport os, torch\nimport torch.distributed as dist\nscale = 2\nworkers = start(scale)"
    stop = "raise SystemExit\nwhile True: pass"
    others = "import no_such_module as plt\nclass Plot(plt.Figure):\n    def show(self): import socket"
    subs = tmp_path / "subs"
    write(subs / "anna", {"hw.ipynb": notebook(first, others, broadcast, "!ls\n" + stop, allreduce)})
    write(subs / "ben", {"work/hw (1).ipynb": notebook(
        first, broadcast.replace("def my_broadcast(tensor, src=0):", "def my_broadcast(tensor, src=0):\n    workers"),
        "def my_allreduce(tensor):\n    # here\n    raise NotImplementedError")})
    write(subs / "carl", {"hw.ipynb": notebook("def my_broadcast(tensor, src)\n    pass", allreduce)})
    got = graded(rankscope, tmp_path, NOTEBOOK_COURSE, subs)
    assert got["anna"][0] == [10, 10], got["anna"]
    assert got["ben"][0] == [0, 0]
    assert "cell 1 creates it, but only definitions are read from a notebook" in got["ben"][1]
    assert "my_allreduce in work/hw (1).ipynb is not written yet" in got["ben"][1]
    assert got["carl"][0] == [0, 10]
    # A function that is another's name, or a lambda, is there, too.
    (subs / "dora").mkdir()
    write(subs / "dora", {"torch.ipynb": notebook(  # which stands in no module's way
        first, broadcast.replace("def my_broadcast(", "def spread("), "my_broadcast = lambda *given: spread(*given)")})
    # By itself it is a submission, and nothing beside it is its student's.
    (subs / "erin.ipynb").write_text(notebook(allreduce))
    got = graded(rankscope, tmp_path, NOTEBOOK_COURSE, subs)
    assert got["dora"][0] == [10, 0], got["dora"]
    assert got["erin"][0] == [0, 10], got["erin"]
    # With lessons of one's own, as a student's copy is, what runs programs is that of the installation.
    (tmp_path / "own").mkdir()
    (tmp_path / "own/content").symlink_to(pathlib.Path(__file__).resolve().parents[2] / "lessons/content")
    done = rankscope("exercise", "my-broadcast", subs / "anna/hw.ipynb", RANKSCOPE_LESSONS=str(tmp_path / "own"))
    assert done.code == 0, done.output
    # A starter: there is no run to look at.
    write(subs / "emma", {"hw.ipynb": notebook("def my_broadcast(tensor, src=0):\n    raise NotImplementedError")})
    done = rankscope("exercise", "my-broadcast", subs / "emma/hw.ipynb", "--trace", tmp_path / "traces", "--no-ask")
    assert "rank 0 calls what is not written yet: NotImplementedError (hw.ipynb" in done.output
    assert "rankscope-gui" not in done.output


def test_the_whole_assignment_in_its_own_layout(rankscope, tmp_path):
    answers = {"written_answers_task1.md": "Q1: 20", "all_to_all_schematic.png": "?", "resources/ring.png": "?"}
    write(tmp_path / "anna", {**repository(), **answers})
    got = graded(rankscope, tmp_path, "send-recv", tmp_path / "anna")
    assert "'all_to_all_schematic.png', 'written_answers_task1.md' may hold answers: look at them" in got["anna"][1]
    points = got["anna"][0]
    assert points[:5] == [6.5, 6, 6.5, 6, 6] and 20 in points, got["anna"]
