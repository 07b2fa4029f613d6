"""Where a grader overlooks small mistakes: messages to oneself, tags that differ, views with gaps."""
from programs import needs, under_exec

needs("torch")

PROGRAM = """
import torch
import torch.distributed as dist
from rankscope.torch_dist import overlooked
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
overlooked.begin(OVERLOOK)
came = [torch.zeros(2) for _ in range(size)]
requests = []
for peer in range(size):
    requests.append(dist.irecv(came[peer], peer))
    requests.append(dist.isend(torch.tensor([1.0 * rank, peer]), peer))
for request in requests:
    request.wait()
assert [one.tolist() for one in came] == [[peer, rank] for peer in range(size)], came
column = torch.arange(6.0).reshape(3, 2)[:, 1]
if rank == 0:
    dist.send(column, 1, tag=4)
elif rank == 1:
    column.zero_()
    assert dist.recv(column, tag=5) == 0
    assert column.tolist() == [1.0, 3.0, 5.0], column
print("right", rank)
"""


def test_small_mistakes_are_overlooked(tmp_path):
    code, out, err = under_exec(tmp_path, PROGRAM.replace("OVERLOOK", "True"), 3)
    assert code == 0, err
    assert sorted(line for line in out.split("\n") if line.startswith("right")) == ["right 0", "right 1", "right 2"]


def test_elsewhere_they_are_not(tmp_path):
    code, out, err = under_exec(tmp_path, PROGRAM.replace("OVERLOOK", "False"), 3)
    assert code != 0
    assert "is this rank itself" in out + err
