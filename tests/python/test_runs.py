"""Programs under `rankscope exec`."""
import os
import sys

import pytest
import torch_releases
from programs import needs


def fine(ranks):
    return sorted("rank %d of %d is fine" % (rank, ranks) for rank in range(ranks))


def complaints(outcome):
    """The report's errors and warnings; a correct program has none."""
    return [line for line in outcome.output.splitlines() if line.startswith(("error:", "warning:"))]


@pytest.mark.parametrize("arguments", [(), ("numpy",)])
def test_the_package_itself(run_ranks, arguments):
    if arguments:
        needs("numpy")
    outcome = run_ranks("native.py", 3, *arguments, options=("--no-findings",))
    assert outcome.lines() == fine(3), outcome.output
    assert outcome.code == 0, outcome.output


def torch_program(run_ranks, program, ranks, *arguments, **more):
    needs("torch")
    outcome = run_ranks(program, ranks, *arguments, **more)
    return outcome


def full(*row):
    """A row that takes long, and says little more than the others."""
    return pytest.param(*row, marks=pytest.mark.full)


@pytest.mark.parametrize("program, ranks", [("torch_messages.py", 2), full("torch_messages.py", 4),
                                            full("torch_collectives.py", 2), ("torch_collectives.py", 3),
                                            full("torch_collectives.py", 4), ("torch_groups.py", 4),
                                            ("torch_errors.py", 2), full("torch_ddp.py", 2), ("torch_ddp.py", 3)])
def test_torch(run_ranks, rankscope, program, ranks):
    # The errors are in the program on purpose, so its findings are, too.
    options = ["-o", "run.rankscope"] + ["--no-findings"] * ("errors" in program)
    more = {"TORCH_DISTRIBUTED_DEBUG": "DETAIL"} if program == "torch_groups.py" else {}
    outcome = torch_program(run_ranks, program, ranks, options=options, **more)
    assert outcome.lines() == fine(ranks), outcome.output
    assert outcome.code == 0, outcome.output
    assert not complaints(outcome)
    if program == "torch_messages.py":  # its lines and names are in the trace
        events = rankscope("export", "run.rankscope", "--format", "jsonl", "-o", "-").output
        assert '"table"' in events and '"theirs"' in events
        assert "torch_messages.py" in events and "rankscope/torch_dist" not in events


def test_all_parts_of_torch_print_what_they_print_with_gloo(rankscope, tmp_path):
    needs("torch")
    assert torch_releases.tried(os.environ["RANKSCOPE_BINARY"], sys.executable, 2, str(tmp_path))


def test_a_group_that_some_ranks_do_not_make(run_ranks):
    needs("torch")
    outcome = run_ranks("torch_leaders.py", 4)
    if "ended well" in outcome.output:  # newer releases do not wait for all ranks
        assert "rank 1 2: one at torch_leaders.py:10 is missing there" in outcome.output
        assert outcome.code == 0
    else:
        assert "waits for rank 1 in new_group at torch_leaders.py:10" in outcome.output
        assert outcome.code == 1


@pytest.mark.parametrize("kind, expected", [("spawn", fine(3)), ("twice", sorted(fine(2) * 2)),
                                            full("fork", fine(3)), full("forkserver", fine(3))])
def test_ranks_that_a_program_makes_itself(run_ranks, kind, expected):
    outcome = torch_program(run_ranks, "torch_spawn.py", None, kind)
    assert outcome.lines() == expected, outcome.output
    assert outcome.code == 0, outcome.output


@pytest.mark.parametrize("kind", ["spawn", "fork"])
def test_copies_of_a_program_that_makes_its_ranks_itself_are_refused(run_ranks, kind):
    outcome = torch_program(run_ranks, "torch_spawn.py", 3, kind)
    assert outcome.code == 2, outcome.output
    assert "the program starts its ranks itself, and -n 3 starts 3 copies of it: leave out -n" in outcome.output
    assert "ranks came" not in outcome.output


@pytest.mark.parametrize("words, variables, says", [
    (("-n", "4", "--", "mpirun", "-n", "3", "python3", "ring.py"), {}, "exec -n 3 -- python3 ring.py"),
    (("--", "srun", "--ntasks", "2", "ring.py"), {}, "exec -n 2 -- ring.py"),
    (("--", "python3", "ring.py"), {"OMPI_COMM_WORLD_SIZE": "4"}, "exec -n 4 -- python3 ring.py"),
    (("-n", "4", "ring.c"), {}, "programs in C are not supported yet"),
    (("-n", "4", "ring.f90"), {}, "programs in Fortran are not supported yet")])
def test_other_ways_to_start_ranks_are_refused(rankscope, words, variables, says):
    outcome = rankscope("exec", *words, **variables)
    assert outcome.code == 2 and says in outcome.output, outcome.output


@pytest.mark.parametrize("program", ["threads.py", "torch_children.py"])
def test_threads_and_children_of_ranks(run_ranks, program):
    if program.startswith("torch"):
        needs("torch")
    outcome = run_ranks(program, 2, options=("--no-findings",))
    assert outcome.lines() == fine(2), outcome.output
    assert outcome.code == 0, outcome.output


def test_a_failing_rank_is_named_with_its_error(run_ranks):
    outcome = run_ranks("fails.py", 2, "raise")
    assert outcome.code != 0
    assert "ValueError: the wrong shape" in outcome.output
    assert "in compute)" in outcome.output  # the run's report, not only Python's


def test_an_error_in_a_thread_counts(run_ranks):
    outcome = run_ranks("fails.py", 2, "thread")
    assert "in compute)" in outcome.output, outcome.output


def test_a_deadlock_ends_with_an_error_in_every_rank(run_ranks):
    outcome = run_ranks("fails.py", 2, "deadlock")
    assert outcome.code != 0
    assert "deadlock" in outcome.output.lower()
    assert "fails.py:25" in outcome.output and "fails.py:27" in outcome.output
    assert "Traceback" not in outcome.output  # of ranks that were only stopped
