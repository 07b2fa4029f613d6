"""Every collective of torch.distributed, with exact results."""
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
ranks = range(size)
total = sum(r + 1 for r in ranks)


def mine(count=4, dtype=torch.float32):
    return torch.full((count,), rank + 1).to(dtype)


for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.int16, torch.int32,
              torch.int64, torch.uint8):
    tensor = mine(dtype=dtype)
    assert dist.all_reduce(tensor) is None
    assert tensor.dtype == dtype and tensor.tolist() == [total] * 4, (dtype, tensor)
for op, value in ((dist.ReduceOp.MAX, size), (dist.ReduceOp.MIN, 1), (dist.ReduceOp.SUM, total)):
    tensor = mine()
    dist.all_reduce(tensor, op)
    assert tensor.tolist() == [value] * 4
product = 1
for r in ranks:
    product *= r + 1
tensor = mine()
dist.all_reduce(tensor, op=dist.ReduceOp.PRODUCT)
assert tensor.tolist() == [product] * 4
average = torch.tensor([float(4 * rank)])
dist.all_reduce(average, op=dist.ReduceOp.AVG)
assert average.item() == 4 * (size - 1) / 2
bits = torch.tensor([1 << rank])
dist.all_reduce(bits, op=dist.ReduceOp.BOR)
assert bits.item() == (1 << size) - 1
flags = torch.tensor([rank == 0, True, False])
dist.all_reduce(flags, op=dist.ReduceOp.MAX)
assert flags.tolist() == [True, True, False]
z = torch.tensor([complex(rank, 1)])
dist.all_reduce(z)
assert z.item() == complex(total - size, size)
square = (torch.arange(4.0).reshape(2, 2) * (rank + 1)).t()  # dense, but not contiguous
dist.all_reduce(square)
assert square.tolist() == [[0, 2 * total], [total, 3 * total]]

work = dist.all_reduce(tensor := mine(), async_op=True)
assert work.wait() and work.is_completed() and tensor.tolist() == [total] * 4
half = mine(dtype=torch.float16)
works = [dist.all_reduce(half, async_op=True), dist.all_reduce(other := mine(7), async_op=True)]
[work.wait() for work in works]
assert half.tolist() == [total] * 4 and other.tolist() == [total] * 7

for root in ranks:
    tensor = mine()
    dist.reduce(tensor, dst=root)
    assert rank != root or tensor.tolist() == [total] * 4
    tensor = mine()
    dist.broadcast(tensor, root)
    assert tensor.tolist() == [root + 1] * 4
    parts = [torch.zeros(2) for _ in ranks] if rank == root else None
    dist.gather(mine(2), parts, dst=root)
    assert rank != root or [part.tolist() for part in parts] == [[r + 1] * 2 for r in ranks]
    given = [torch.full((2,), float(r + root)) for r in ranks] if rank == root else None
    dist.scatter(part := torch.zeros(2), given, src=root)
    assert part.tolist() == [rank + root] * 2

parts = [torch.zeros(2, 2) for _ in ranks]
dist.all_gather(parts, torch.tensor([[1.0, 2.0], [3.0, rank]]).t())  # not contiguous: gloo copies it, too
assert [part.tolist() for part in parts] == [[[1, 3], [2, r]] for r in ranks]
row = torch.zeros(size, 3)
dist.all_gather(list(row.unbind()), mine(3))
assert row.tolist() == [[r + 1] * 3 for r in ranks]
dist.all_gather_into_tensor(flat := torch.zeros(2 * size), mine(2))
assert flat.tolist() == [r + 1 for r in ranks for _ in range(2)]

dist.reduce_scatter(out := torch.zeros(2), [torch.full((2,), float(r)) for r in ranks])
assert out.tolist() == [rank * size] * 2
dist.reduce_scatter_tensor(out := torch.zeros(2), torch.arange(2.0 * size))
assert out.tolist() == [2 * rank * size, (2 * rank + 1) * size]
dist.reduce_scatter_tensor(out := torch.zeros(2, dtype=torch.int16), torch.arange(2 * size, dtype=torch.int16))
assert out.tolist() == [2 * rank * size, (2 * rank + 1) * size]

dist.all_to_all_single(out := torch.zeros(size), torch.arange(float(size)) + 10 * rank)
assert out.tolist() == [10 * r + rank for r in ranks]
sizes = [r + 1 for r in ranks]  # rank r gets r+1 rows of everybody
dist.all_to_all_single(out := torch.zeros(size * (rank + 1)), torch.full((sum(sizes),), float(rank)),
                       [rank + 1] * size, sizes)
assert out.tolist() == [r for r in ranks for _ in range(rank + 1)]

things = [{"from": 0}, "x" * 1000] if rank == 0 else [None, None]
dist.broadcast_object_list(things, src=0)
assert things == [{"from": 0}, "x" * 1000]
things = [None] * size
dist.all_gather_object(things, {"rank": rank, "text": "y" * rank})
assert things == [{"rank": r, "text": "y" * r} for r in ranks]
things = [None] * size if rank == 1 else None
dist.gather_object((rank,), things, dst=1)
assert rank != 1 or things == [(r,) for r in ranks]
out = [None]
dist.scatter_object_list(out, [("for", r) for r in ranks] if rank == 0 else None, src=0)
assert out == [("for", rank)]

dist.barrier()
dist.monitored_barrier()
assert dist.barrier(async_op=True).wait()
print("rank %d of %d is fine\n" % (rank, size), end="")
