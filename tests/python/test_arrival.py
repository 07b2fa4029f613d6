"""Programs that receive from anybody: graded by another order of arrival than the one that there was."""
import json

import student_programs as programs
from programs import needs
from conftest import rule_of

needs("torch")


def graded(rankscope, program, *options):
    done = rankscope("--json", "exercise", "my-allgather", program, *options)
    return json.loads(done.output)


def test_blocks_placed_by_their_sender_are_right_in_any_order(rankscope, tmp_path):
    result = graded(rankscope, programs.expand("my-allgather/right_any_source", tmp_path))
    assert result["points"] == result["most"], result


def test_a_delay_of_ours_uses_up_nobodys_time(rankscope, tmp_path):
    """Many small messages: with 30 ms before each verb, one run would take longer than it may."""
    program = tmp_path / "my_allgather.py"
    text = programs.text_of("my-allgather/right_any_source")
    program.write_text(text.replace("def my_allgather(", "def honest(") + """

def my_allgather(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    note = torch.zeros(1)
    for _ in range(200):
        if rank > 0:
            dist.send(note, 0)
        else:
            for other in range(1, n):
                dist.recv(note, other)
    return honest(tensor)
""")
    result = graded(rankscope, program, "--timeout", "40")
    values = rule_of(result, "values")
    assert values["state"] == "kept", result


def test_blocks_in_their_order_of_arrival_are_right_with_two_ranks_only(rankscope, tmp_path):
    result = graded(rankscope, programs.expand("my-allgather/wrong_arrival", tmp_path))
    values = rule_of(result, "values")
    assert values["state"] == "partly" and "(right with 2 ranks only)" in values["first"]["says"], result
