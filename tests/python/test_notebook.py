"""Notebooks, cell by cell."""

import json
import sys

import notebook_from_text
import pytest
from programs import run


def write_notebook(folder, cells, name="work.ipynb"):
    book = {"cells": [{"cell_type": "markdown", "source": ["# Title\n", "words"]}]
            + [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells],
            "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / name).write_text(json.dumps(book))
    return str(folder / name)


def play(folder, cells, *options):
    path = write_notebook(folder, cells)
    return run([sys.executable, "-m", "rankscope.notebook", *options, path], folder)


def test_cells_share_a_namespace_and_show_their_last_value(tmp_path):
    code, out, err = play(tmp_path, ["x = 3\nx + 1", "print(x)\nx;", "", "assert __name__ == '__main__'\n_ * 2"])
    assert code == 0, err
    assert out == "--- cell 1 of 4 ---\n4\n--- cell 2 of 4 ---\n3\n--- cell 4 of 4 ---\n8\n"


def test_the_first_failing_cell_ends_it_with_its_line(tmp_path):
    cells = ["def f():\n    return 1 / 0", "\nf()", "print('after')"]
    code, out, err = play(tmp_path, cells)
    assert code == 1 and "after" not in out
    assert 'File "work.ipynb [cell 2]", line 2' in err and "    f()" in err
    assert 'File "work.ipynb [cell 1]", line 2, in f' in err and "return 1 / 0" in err
    assert "notebook.py" not in err and "ZeroDivisionError" in err and "cell 2 failed" in err
    code, out, err = play(tmp_path, cells, "--keep-going")
    assert code == 1 and "after" in out and "failed: 2" in err


def test_magics_are_left_out_and_lines_stay(tmp_path):
    code, out, err = play(tmp_path, [
        "%matplotlib inline\n!pip install \\\n  torch\nfiles = !ls\nif True:\n    %time x = 1\nprint(files)",
        "text = '''\n%d is kept\n!so is this\n'''\nprint(text % 7 if False else text)\n(7\n % 4)",
        "%%time\nprint('timed')", "%%bash\nexit 3", "%%writefile module.py\nvalue = 5\n", "import module\nmodule.value",
        "print?", "\n\n%magic\n1 / 0"])
    assert code == 1
    assert "None\n" in out and "%d is kept\n!so is this" in out and "\n3\n" in out and "timed" in out
    assert "[cell 1, line 1] left out: %matplotlib inline" in out and "[cell 4, line 1] the cell is left out" in out
    assert "wrote module.py" in out and "\n5\n" in out and "[cell 7, line 1] left out: print?" in out
    assert 'File "work.ipynb [cell 8]", line 4' in err


def test_run_keeps_what_a_file_defines(tmp_path):
    (tmp_path / "part.py").write_text("import sys\nword = sys.argv[1:]\ndef double(x):\n    return 2 * x\n"
                                      "print(__name__)\nif 'fail' in word:\n    sys.exit(3)\n")
    write_notebook(tmp_path, ["third = 3"], "other.ipynb")
    code, out, err = play(tmp_path, ["%run part.py 'a b' c", "print(word, double(4))", "%run part\n%run other.ipynb\nthird",
                                     "%run part.py fail", "print('after')"])
    assert code == 1 and "after" not in out
    assert "\n__main__\n" in out and "['a b', 'c'] 8" in out and "\n3\n" in out
    assert "part.py ended with exit code 3" in err and 'File "work.ipynb [cell 4]", line 1' in err


def test_syntax_errors_await_and_futures(tmp_path):
    code, out, err = play(tmp_path, ["from __future__ import annotations", "def f(x: Unknown): pass\nf.__annotations__",
                                     "import asyncio\nawait asyncio.sleep(0, 'waited')", "x = ("])
    assert code == 1
    assert "{'x': 'Unknown'}" in out and "'waited'" in out and 'File "work.ipynb [cell 4]", line 1' in err


def test_processes_have_the_functions_of_cells(tmp_path):
    code, out, err = play(tmp_path, [
        "import multiprocessing as mp\ndef work(n, queue):\n    queue.put(n * n)",
        "context = mp.get_context('spawn')\nqueue = context.Queue()\n"
        "p = context.Process(target=work, args=(3, queue))\np.start()\nprint(queue.get())\np.join()\np.exitcode"])
    assert code == 0, err
    assert out.endswith("9\n0\n") and "forked" in err


def test_actors_of_cells_name_their_lines(tmp_path):
    code, out, err = play(tmp_path, [
        "import ray\nray.init()\n@ray.remote\nclass Worker:\n    def f(self):\n        raise KeyError('k')",
        "w = Worker.remote()\nray.get(w.f.remote())"])
    assert code == 1
    assert 'File "work.ipynb [cell 1]", line 6, in f' in err and 'File "work.ipynb [cell 2]", line 2' in err
    assert "_hub.py" not in err


@pytest.mark.parametrize("text", ["{", "[]", "{\"a\": 1}"])
def test_what_is_no_notebook_is_told(tmp_path, text):
    (tmp_path / "bad.ipynb").write_text(text)
    code, out, err = run([sys.executable, "-m", "rankscope.notebook", "bad.ipynb"], tmp_path)
    assert code == 2 and "is no notebook" in err


def test_exit_codes_of_programs_are_kept(tmp_path):
    assert play(tmp_path, ["import sys\nsys.exit(5)", "print('after')"])[0] == 5


def test_texts_of_notebooks_become_cells():
    text = ("# Title\nwords and words\n\nIn [1]:\nimport os\n\nx = 1\n\n2 items shown\n0,1\n\n# More words\n"
            "In [2]:\nfor i in range(3):\n\n    x += i\nprint(x)\n\n4\n\n\nIn [ ]:\n# done\n")
    assert [cell.replace("\n", "|") for cell in notebook_from_text.cells_of(text)] == [
        "import os||x = 1", "for i in range(3):||    x += i|print(x)||4", "# done"]
