"""The source places that the Python package names for a call."""

import functools
import os

from rankscope import _places


def read(stack):
    return [(place.file.decode(), place.function.decode(), place.line) for place in stack.place[:stack.depth]]


def innermost():
    return _places.here()


def outer():
    return innermost()


def line_of(function, offset):
    return function.__code__.co_firstlineno + offset


def test_calls_are_named_innermost_first():
    places = read(outer())
    assert places[0][1:] == ("innermost", line_of(innermost, 1))
    assert places[1][1:] == ("outer", line_of(outer, 1))
    assert places[2][1] == "test_calls_are_named_innermost_first"


def test_frames_of_python_itself_and_of_packages_are_left_out():
    # functools lies in Python's own library, pytest among the installed packages.
    places = read(functools.reduce(lambda _, __: _places.here(), [1, 2]))
    functions = [function for _, function, _ in places]
    assert functions == ["<lambda>", "test_frames_of_python_itself_and_of_packages_are_left_out"]


def test_a_stack_has_four_places_at_most():
    def deep(n):
        return _places.here() if n == 0 else deep(n - 1)
    places = read(deep(10))
    assert len(places) == 4
    assert {function for _, function, _ in places} == {"deep"}


def test_the_same_call_gives_the_same_stack_and_another_line_another():
    stacks = [_places.here() for _ in range(2)]
    other = _places.here()
    assert stacks[0] is stacks[1]
    assert read(other)[0][2] == read(stacks[0])[-1][2] + 1


def test_two_calls_on_one_line_are_two_places_with_one_line():
    first, second = _places.here(), _places.here()
    assert first is not second
    assert read(first) == read(second)


def test_code_without_a_file_keeps_its_name():
    names = {"here": _places.here}
    exec(compile("def f():\n    return here()\nstack = f()", "<cell 3>", "exec"), names)
    assert read(names["stack"])[:2] == [("<cell 3>", "f", 2), ("<cell 3>", "<module>", 3)]


def test_files_are_relative_to_the_start_folder_when_they_lie_in_it(monkeypatch):
    monkeypatch.setattr(_places, "_start_folder", os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    inside = os.path.abspath(__file__)
    assert _places.shown_file(inside) == os.path.join("python", "test_places.py")
    assert _places.shown_file("/elsewhere/solution.py") == "/elsewhere/solution.py"
    assert _places.shown_file("<stdin>") == "<stdin>"


def test_what_starts_a_spawned_process_is_no_place():
    start = compile("from multiprocessing.spawn import spawn_main; spawn_main()", "<string>", "exec")
    own = compile("x = 1", "<string>", "exec")
    assert _places._is_foreign(start)
    assert not _places._is_foreign(own)


def test_the_innermost_line_of_an_error():
    def fails():
        raise ValueError("no")
    try:
        functools.reduce(lambda a, b: fails(), [1, 2])
    except ValueError as error:
        file, line, function = _places.of_traceback(error.__traceback__)
    assert (line, function) == (line_of(fails, 1), "fails")
    assert file.endswith("test_places.py")
