"""The programs to repair of the lesson find-the-bug: each is judged wrong as it is, and right once repaired."""
import os
import pathlib
import pty
import subprocess

import pytest
from programs import WAIT_LIMIT, needs

LESSON = pathlib.Path(__file__).resolve().parents[2] / "lessons" / "content" / "20-find-the-bug"
FOLD_IN = """    core = 1 << (size.bit_length() - 1)
    if rank >= core:
        dist.send(total, dst=rank - core)
        dist.recv(total, src=rank - core)
        tensor.copy_(total)
        return tensor
    if rank + core < size:
        dist.recv(theirs, src=rank + core)
        total += theirs
    bit = 1
    while bit < core:"""
FOLD_OUT = """    if rank + core < size:
        dist.send(total, dst=rank + core)
    tensor.copy_(total)"""
# By program: pairs of what stands there and what should.
REPAIRS = {
    "relay": [("    if rank < world_size - 1:\n        dist.send(number, dst=rank + 1)\n    number += rank\n",
               "    number += rank\n    if rank < world_size - 1:\n        dist.send(number, dst=rank + 1)\n")],
    "two-workers": [("        return self.do_send(target)\n",
                     "        if self.rank == source:\n            return self.do_send(target)\n        return None\n")],
    "ring-of-sends": [("        dist.send(parts", "        request = dist.isend(parts"),
                      ("src=left)", "src=left)\n        request.wait()")],
    "any-root": [("(place + distance) % size", "(place + distance + src) % size"),
                 ("(place - distance) % size", "(place - distance + src) % size")],
    "first-come": [("source=MPI.ANY_SOURCE", "source=place")],
    "one-buffer": [("arrived = np.empty_like(total)", "arrived = [np.empty_like(total) for _ in range(size)]"),
                   ("comm.Irecv(arrived, source", "comm.Irecv(arrived[other], source"),
                   ("    for request in receives:\n        request.Wait()\n        total += arrived\n",
                    "    MPI.Request.Waitall(receives)\n    for other in range(size):\n        if other != rank:\n"
                    "            total += arrived[other]\n")],
    "own-block": [("comm.Sendrecv(own,", "comm.Sendrecv(parts[(rank - step + 1) % size],")],
    "last-elements": [("    length = flat.numel() // size\n", ""),
                      ("[flat[c * length:(c + 1) * length] for c in range(size)]", "torch.tensor_split(flat, size)")],
    "down-the-tree": [("        step = size // 2\n", "        step //= 2\n")],
    "six-ranks": [("    bit = 1\n    while bit < size:", FOLD_IN), ("    tensor.copy_(total)\n    return tensor\n",
                                                                    FOLD_OUT + "\n    return tensor\n")],
}
QUICK = ("first-come",)


def faulty(name):
    found = [file for file in LESSON.glob("*") if file.stem == name.replace("-", "_")]
    assert len(found) == 1
    return found[0]


def repaired(name):
    text = faulty(name).read_text()
    for old, new in reversed(REPAIRS[name]):
        assert old in text, old
        at = text.rindex(old)
        text = text[:at] + new + text[at + len(old):]
    return text


def repair(rankscope, name, text, tmp_path):
    file = tmp_path / ("mine" + faulty(name).suffix)
    file.write_text(text)
    return rankscope("lesson", "repair", "find-the-bug", name, "--file", file)


def check(rankscope, tmp_path, name):
    needs("torch")
    before = repair(rankscope, name, faulty(name).read_text(), tmp_path)
    assert before.code == 1 and "Not yet. First finding, with " in before.output, before.output
    after = repair(rankscope, name, repaired(name), tmp_path)
    assert after.code == 0 and "Repaired" in after.output, after.output


def test_each_program_has_its_repair():
    text = (LESSON / "lesson.toml").read_text()
    assert text.count("\nrepair = ") == len(REPAIRS) == 10


@pytest.mark.parametrize("name", QUICK)
def test_some_are_wrong_before_and_right_after(rankscope, tmp_path, name):
    check(rankscope, tmp_path, name)


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(set(REPAIRS) - set(QUICK)))
def test_all_are_wrong_before_and_right_after(rankscope, tmp_path, name):
    check(rankscope, tmp_path, name)


def test_without_a_terminal_a_file_has_to_be_named(rankscope):
    done = rankscope("lesson", "repair", "find-the-bug", "relay")
    assert done.code == 2 and "--file" in done.output
    done = rankscope("lesson", "repair", "find-the-bug", "relais", "--file", "x.py")
    assert done.code == 2 and "relay" in done.output
    done = rankscope("lesson", "repair", "ring-allreduce")
    assert done.code == 2 and "no program to repair" in done.output


def test_an_editor_repairs_the_copy_in_the_working_folder(tmp_path):
    needs("torch")
    binary = os.environ.get("RANKSCOPE_BINARY")
    if not binary:
        pytest.skip("RANKSCOPE_BINARY names no built rankscope")
    (tmp_path / "right.py").write_text(repaired("relay"))
    editor = tmp_path / "editor"  # the first time it only looks
    editor.write_text("#!/bin/sh\nif [ -e seen ]; then cp right.py \"$1\"; else touch seen; fi\n")
    editor.chmod(0o755)
    ours, theirs = pty.openpty()
    environment = {**os.environ, "EDITOR": str(editor), "VISUAL": "", "OMP_NUM_THREADS": "1"}
    run = subprocess.Popen([binary, "lesson", "repair", "find-the-bug", "relay"], cwd=tmp_path, env=environment,
                           stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    os.write(ours, b"h\n\n")
    output, _ = run.communicate(timeout=WAIT_LIMIT)
    os.close(ours)
    os.close(theirs)
    assert run.returncode == 0, output
    assert "Not yet. First finding" in output and "With three ranks and the value 100" in output
    assert "Repaired: all" in output
    assert (tmp_path / "relay.py").read_text() == repaired("relay")
    assert faulty("relay").read_text() != repaired("relay")
