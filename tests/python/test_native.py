"""The structures of ctypes are those of the header."""
import ctypes
import pathlib
import re
import shutil
import subprocess

import pytest

from rankscope import _native

HEADER = pathlib.Path(__file__).resolve().parents[2] / "engine" / "capi" / "rankscope.h"
STRUCTURES = {"rs_place": _native.Place, "rs_stack": _native.Stack, "rs_memory": _native.Memory,
              "rs_status": _native.Status, "rs_join_options": _native.JoinOptions, "rs_call": _native.Call}
C_NAMES = {"input": "in", "output": "out"}


def test_structures_have_the_headers_layout(tmp_path):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    lines = ["#include <stddef.h>", "#include <stdio.h>", '#include "%s"' % HEADER, "int main(void) {"]
    expected = []
    for name, structure in STRUCTURES.items():
        lines.append('printf("%%zu\\n", sizeof(%s));' % name)
        expected.append(ctypes.sizeof(structure))
        for field, _ in structure._fields_:
            lines.append('printf("%%zu\\n", offsetof(%s, %s));' % (name, C_NAMES.get(field, field)))
            expected.append(getattr(structure, field).offset)
    source = tmp_path / "layout.c"
    source.write_text("\n".join(lines + ["return 0; }"]))
    subprocess.run([compiler, "-o", tmp_path / "layout", source], check=True)
    printed = subprocess.run([tmp_path / "layout"], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert [int(line) for line in printed.split()] == expected


def test_every_function_of_the_header_is_bound():
    declared = set(re.findall(r"RS_API [^;(]*?\b(rs_\w+)\(", HEADER.read_text()))
    for_cpp = {"rs_report_end", "rs_watch_values"}
    assert declared - for_cpp == set(_native._FUNCTIONS)
    assert int(re.search(r"#define RS_VERSION (\d+)", HEADER.read_text()).group(1)) == _native.VERSION


def test_without_a_library_the_error_says_how_to_start(monkeypatch, tmp_path):
    monkeypatch.setattr(_native, "_library", None)
    monkeypatch.setenv("RANKSCOPE_LIBRARY", str(tmp_path / "nothing.so"))
    with pytest.raises(_native.NoRun, match="rankscope exec"):
        _native.library()
