"""A course's Ray notebook runs cell by cell. RANKSCOPE_ASSIGNMENTS names the folder with its text."""

import glob
import json
import os

import notebook_from_text
import pytest
from programs import rankscope, run

kFolder = os.environ.get("RANKSCOPE_ASSIGNMENTS")


def notebooks():
    """Texts with cells of a notebook that uses Ray's collectives."""
    found = []
    for path in sorted(glob.glob(os.path.join(kFolder or "", "*.txt"))) if kFolder else ():
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if "In [1]:" in text and "ray.util.collective" in text:
            found.append((path, text))
    return found


@pytest.mark.skipif(not kFolder, reason="RANKSCOPE_ASSIGNMENTS names no folder")
def test_every_cell_runs(tmp_path):
    books = notebooks()
    assert books, f"no Ray notebook in {kFolder}"
    for path, text in books:
        book = notebook_from_text.notebook_of(text)
        (tmp_path / "work.ipynb").write_text(json.dumps(book))
        code, out, err = run([rankscope(), "exec", "work.ipynb"], tmp_path)
        assert code == 0, out + err
        assert f"--- cell {len(book['cells'])} of {len(book['cells'])} ---" in out
        assert out.count("test passed") == sum("test_" in c["source"].split("(")[0] and "def " not in c["source"]
                                               for c in book["cells"])
