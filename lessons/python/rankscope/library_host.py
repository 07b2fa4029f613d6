"""Holds the libraries of the ranks of a class: a process outside of all boxes that has loaded them, and forks one process
for each submission, which enters that one's box (_joined.py) and becomes `rankscope.ranks` there.

The grader runs this file. No line of a student's runs in this process, nor does it read any. What is loaded has the
paths that it has in a box, since more of it is loaded there later.
"""
import ctypes
import importlib.machinery
import importlib.util
import os
import runpy
import sys

_IN_BOX = "/rankscope/python"
_PR_SET_THP_DISABLE = 41


class InBox:
    """Finds modules of ours outside of the boxes, as if they lay where they are seen in one."""

    def __init__(self, outside):
        self.outside = outside

    def place(self, path):
        return self.outside + path[len(_IN_BOX):] if path.startswith(_IN_BOX) else path

    def find_spec(self, name, path=None, target=None):
        del target
        for folder in sys.path if path is None else path:
            if not folder.startswith(_IN_BOX):
                continue
            inside = os.path.join(folder, name.rpartition(".")[2])
            for file, parts in ((inside + "/__init__.py", [inside]), (inside + ".py", None)):
                if os.path.isfile(self.place(file)):
                    return importlib.util.spec_from_file_location(name, file, loader=Loader(name, file, self),
                                                                  submodule_search_locations=parts)
        return None


class Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name, file, finder):
        super().__init__(name, file)
        self.finder = finder

    def get_data(self, path):
        return super().get_data(self.finder.place(path))

    def path_stats(self, path):
        return super().path_stats(self.finder.place(path))


def use_small_pages():
    """Turns huge pages off, as in each box (engine/box/spawn.cpp); forks inherit it."""
    one, zero = ctypes.c_ulong(1), ctypes.c_ulong(0)
    ctypes.CDLL(None).prctl(_PR_SET_THP_DISABLE, one, zero, zero, zero)


def main():
    use_small_pages()
    here = os.path.dirname(os.path.abspath(__file__))
    finder = InBox(os.path.dirname(here))
    # The path as PYTHONPATH sets it in a box; modules loaded before are Python's own.
    sys.path[0:1] = ["/", _IN_BOX + "/site", _IN_BOX]
    os.chdir("/")
    sys.meta_path.insert(0, finder)
    sys.modules.pop("sitecustomize", None)
    import sitecustomize  # noqa: F401
    sys.modules["rankscope_in_box"] = finder  # removed in a box
    runpy._run_module_as_main("rankscope.ranks")


if __name__ == "__main__":
    main()
