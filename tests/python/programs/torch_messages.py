"""Point-to-point calls of torch.distributed, on two or more ranks (torchrun's variables)."""
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
left, right = (rank - 1) % size, (rank + 1) % size

# Even ranks send first: with rendezvous sends, any other order of two ranks hangs.
mine, theirs = torch.full((3,), float(rank)), torch.empty(3)
if rank % 2 == 0:
    dist.send(mine, dst=right)
    assert dist.recv(theirs, src=left) == left
else:
    assert dist.recv(theirs, left) == left
    dist.send(mine, right)
assert theirs.tolist() == [left] * 3

# Into a slice, a row of a matrix, and a tensor of another shape with as many bytes.
table = torch.full((3, 4), -1.0)
works = [dist.irecv(table[1], src=left), dist.isend(torch.arange(4.0) + rank, dst=right)]
for work in works:
    assert work.wait() is True
    assert work.is_completed() and work.is_success()
assert table.tolist() == [[-1.0] * 4, [left + i for i in range(4)], [-1.0] * 4]
assert works[0].source_rank() == left
column = torch.empty(6, 1)
works = [dist.irecv(column, left), dist.isend(torch.ones(1, 6) * rank, right)]
[work.wait() for work in works]
assert column.tolist() == [[left]] * 6

# From any rank; tags; a batch.
if rank == 0:
    seen = {dist.recv(theirs) for _ in range(size - 1)}
    assert seen == set(range(1, size))
else:
    dist.send(mine, 0)
dist.barrier()
batch = [dist.P2POp(dist.isend, mine, right, tag=7), dist.P2POp(dist.irecv, theirs, left, tag=7)]
for work in dist.batch_isend_irecv(batch):
    work.wait()
assert theirs.tolist() == [left] * 3

# Types that the engine has no arithmetic for travel as bytes.
for dtype in (torch.bool, torch.int8, torch.int16, torch.float16, torch.bfloat16, torch.complex64, torch.uint8,
              torch.int32, torch.int64, torch.float64):
    sent, received = torch.tensor([1, 0, rank]).to(dtype), torch.zeros(3, dtype=dtype)
    works = [dist.irecv(received, left), dist.isend(sent, right)]
    [work.wait() for work in works]
    assert received.equal(torch.tensor([1, 0, left]).to(dtype)), dtype

future = dist.irecv(theirs, left)
dist.isend(mine, right).wait()
assert future.get_future().then(lambda f: f.value()[0].sum().item()).wait() == 3.0 * left

dist.destroy_process_group()
assert not dist.is_initialized()
print("rank %d of %d is fine\n" % (rank, size), end="")
