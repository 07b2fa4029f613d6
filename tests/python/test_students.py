"""The students' programs: each expands, compiles and has a row in the table; a patch fits its base alone."""
import merit
import student_programs as programs
import pytest


def test_each_program_has_a_row_and_each_row_a_program():
    assert programs.stored() == sorted(programs.read_table())
    assert len(programs.stored()) >= 340


def test_each_program_expands_and_compiles():
    for program in programs.stored():
        text = programs.text_of(program)
        if programs.ending(program) == ".py":
            compile(text, program, "exec")


def test_rows_are_complete():
    for program, row in programs.read_table().items():
        right = row["class"] == "right"
        assert row["class"] in merit.RANGES, program
        assert right == program.split("/")[-1].startswith("right_"), program
        assert right == (float(row["points"]) == float(row["of"])), program
        assert right or (row["mistake"] and row["reported"] + row["note"] and row["named"] in ("yes", "no")), program


def test_points_follow_merit():
    """As last graded; the full tests grade them again. A row that does not says in `short` why."""
    rows = programs.read_table().values()
    assert [row["program"] for row in rows if merit.breaks(row) and not row["short"]] == []


BASE = ["a", "b", "c", "d"]


@pytest.mark.parametrize("changed", [["x", "a", "b", "c", "d"], ["a", "x", "d"], ["a", "b", "c", "d", "x"], ["b"], []])
def test_a_patch_makes_the_program_that_it_was_made_of(changed):
    assert programs.patched(BASE, programs.difference(BASE, changed)) == changed


@pytest.mark.parametrize("other", [["a", "y", "c", "d"], ["y", "a", "b", "c", "d"], ["b", "c", "d"]])
def test_a_patch_of_a_changed_base_is_refused(other):
    for changed in (["a", "x", "c", "d"], ["a", "b", "x", "c", "d"]):
        with pytest.raises(ValueError):
            programs.patched(other, programs.difference(BASE, changed))
