"""Each part of torch.distributed once: prints the same with rankscope as with gloo. Parts that a release lacks are left
out. A part is chosen by its name, all without one."""
import datetime
import sys
import tempfile
import warnings

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

PARTS = []
MISSING = (ImportError, ValueError)  # the latter of torch 1.13 on Python 3.11
warnings.filterwarnings("ignore")


def part(function):
    PARTS.append(function)
    return function


def numbers(tensor):
    return [round(float(one), 4) for one in tensor.detach().reshape(-1)]


def folder():
    """A folder of all ranks."""
    named = [tempfile.mkdtemp() if rank == 0 else None]
    dist.broadcast_object_list(named, src=0)
    return named[0]


@part
def messages():
    mine, theirs = torch.full((3,), float(rank)), torch.empty(3)
    if rank % 2 == 0:
        dist.send(mine, right)
        dist.recv(theirs, left)
    else:
        dist.recv(theirs, left)
        dist.send(mine, right)
    first, second = torch.empty(2), torch.empty(2)
    batch = [dist.P2POp(dist.irecv, second, left, tag=2), dist.P2POp(dist.irecv, first, left, tag=1),
             dist.P2POp(dist.isend, torch.tensor([1.0, rank]), right, tag=1),
             dist.P2POp(dist.isend, torch.tensor([2.0, rank]), right, tag=2)]
    for work in dist.batch_isend_irecv(batch):
        work.wait()
    return numbers(theirs), numbers(first), numbers(second)


@part
def collectives():
    total, most = torch.ones(4) * (rank + 1), torch.tensor([rank, -rank])
    dist.all_reduce(total)
    dist.all_reduce(most, op=dist.ReduceOp.MAX)
    root = torch.ones(2) * rank
    dist.reduce(root, 0)
    cast = torch.tensor([float(rank)])
    dist.broadcast(cast, size - 1)
    every = [torch.zeros(2) for _ in range(size)]
    dist.all_gather(every, torch.tensor([rank, rank + 0.5]))
    gathered = [torch.zeros(1) for _ in range(size)] if rank == 0 else None
    dist.gather(torch.tensor([float(rank)]), gathered, 0)
    share = torch.zeros(1)
    dist.scatter(share, [torch.tensor([10.0 + r]) for r in range(size)] if rank == 0 else None, 0)
    dist.barrier()
    dist.monitored_barrier(timeout=datetime.timedelta(seconds=60))
    work = dist.all_reduce(later := torch.ones(1000), async_op=True)
    work.wait()
    return (numbers(total), most.tolist(), numbers(root) if rank == 0 else None, numbers(cast),
            [numbers(one) for one in every], gathered and [numbers(one) for one in gathered], numbers(share),
            later[-1].item())


@part
def methods():
    """The group's own methods, which hooks call, and lists of tensors of several sizes."""
    group = dist.distributed_c10d._get_default_group()
    total, most, cast = (torch.ones(2) * rank for _ in range(3))
    group.allreduce([total]).wait()
    group.allreduce(most, dist.ReduceOp.MAX).wait()
    group.broadcast(cast, 1).wait()
    every = [torch.zeros(1) for _ in range(size)]
    group.allgather(every, torch.tensor([float(rank)])).wait()
    lists = [[torch.zeros(1), torch.zeros(2)] for _ in range(size)]
    dist.all_gather_coalesced(lists, [torch.ones(1) * rank, torch.ones(2) * (rank + 0.5)])
    return [numbers(one) for one in (total, most, cast, *every)], [[numbers(one) for one in each] for each in lists]


@part
def rows():
    """Forms with one tensor for all ranks."""
    if not hasattr(dist.distributed_c10d, "_is_barrier_after_init"):
        return None  # gloo had them not in 1.13
    row = torch.zeros(2 * size)
    dist.all_gather_into_tensor(row, torch.tensor([rank, rank + 0.5]))
    part_of_sum = torch.zeros(2)
    dist.reduce_scatter_tensor(part_of_sum, torch.arange(2.0 * size) + rank)
    exchanged = torch.zeros(2 * size)
    dist.all_to_all_single(exchanged, torch.arange(2.0 * size) + 100 * rank)
    return numbers(row), numbers(part_of_sum), numbers(exchanged)


@part
def lists():
    if not hasattr(dist, "all_gather_single"):
        return None  # older releases' gloo had not all of them
    outputs = [torch.zeros(2) for _ in range(size)]
    dist.all_to_all(outputs, [torch.tensor([rank, r], dtype=torch.float32) for r in range(size)])
    with dist.distributed_c10d._coalescing_manager(async_ops=True) as coalesced:
        ones = [torch.ones(2) * (rank + i) for i in range(3)]
        for one in ones:
            dist.all_reduce(one)
    coalesced.wait()
    return [numbers(one) for one in outputs], [numbers(one) for one in ones]


@part
def objects():
    things = [{"of": 0}] if rank == 0 else [None]
    dist.broadcast_object_list(things, src=0)
    every = [None] * size
    dist.all_gather_object(every, {"rank": rank, "text": "y" * rank})
    gathered = [None] * size if rank == 1 else None
    dist.gather_object((rank,), gathered, dst=1)
    mine = [None]
    dist.scatter_object_list(mine, [("for", r) for r in range(size)] if rank == 0 else None, src=0)
    return things, every, gathered, mine


@part
def groups():
    odd, even = dist.new_group(list(range(1, size, 2))), dist.new_group(list(range(0, size, 2)))
    group = odd if rank % 2 else even
    dist.all_reduce(total := torch.ones(1) * rank, group=group)
    first = dist.new_group([0, 1])
    if rank < 2:
        dist.all_reduce(total, group=first)
    names = dist.get_backend(group), dist.get_world_size(group), dist.get_rank(group), dist.get_rank(first)
    dist.destroy_process_group(group)
    return numbers(total), names


def model_of(seed):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))


def trained(model, steps=2, data=None):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    torch.manual_seed(100 + rank)
    for _ in range(steps):
        optimizer.zero_grad()
        (model(torch.randn(6, 8) if data is None else data) ** 2).mean().backward()
        optimizer.step()
    return model


@part
def ddp():
    plain = trained(DDP(model_of(rank), bucket_cap_mb=0.0005))
    unused = DDP(model_of(rank), find_unused_parameters=True)
    trained(unused)
    return [numbers(one)[:4] for model in (plain, unused) for one in model.parameters()]


@part
def ddp_hooks():
    from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
    compressed = DDP(model_of(rank))
    compressed.register_comm_hook(None, default_hooks.fp16_compress_hook)
    own = DDP(model_of(rank))

    def halve(state, bucket):
        future = dist.all_reduce(bucket.buffer(), async_op=True).get_future()
        return future.then(lambda done: done.value()[0] / (2 * size))

    own.register_comm_hook(None, halve)
    return [numbers(one)[:4] for model in (trained(compressed), trained(own)) for one in model.parameters()]


@part
def ddp_join():
    model = DDP(model_of(rank))
    with model.join():
        for step in range(rank + 1):
            torch.manual_seed(step)
            model(torch.randn(2, 8)).sum().backward()
    return [numbers(one.grad)[:3] for one in model.parameters()] if rank == size - 1 else None


@part
def stores():
    where = folder()
    out = []
    shared = dist.FileStore(where + "/file", size)
    shared.set("of%d" % rank, str(rank))
    out.append(shared.get("of%d" % right).decode())
    port = [dist.TCPStore("127.0.0.1", 0, size, True, wait_for_workers=False)] if rank == 0 else []
    number = [port[0].port if rank == 0 else None]
    dist.broadcast_object_list(number, src=0)
    client = port[0] if rank == 0 else dist.TCPStore("127.0.0.1", number[0], size, False)
    client.add("count", rank)
    dist.barrier()
    out.append(client.add("count", 0))
    alone = dist.HashStore()
    alone.set("key", "value")
    out.append(alone.get("key").decode())
    dist.barrier()
    return out


@part
def futures():
    work = dist.all_reduce(tensor := torch.ones(4), async_op=True)
    doubled = work.get_future().then(lambda done: done.value()[0] * 2)
    return numbers(doubled.wait()), numbers(tensor)


@part
def functional():
    if not hasattr(dist.distributed_c10d, "_is_barrier_after_init"):
        return None
    import torch.distributed._functional_collectives as functional
    total = functional.all_reduce(torch.ones(3) * rank, "sum", dist.group.WORLD)
    row = functional.all_gather_tensor(torch.ones(2) * rank, 0, dist.group.WORLD)
    piece = functional.reduce_scatter_tensor(torch.arange(2.0 * size), "sum", 0, dist.group.WORLD)
    return numbers(total * 1), numbers(row * 1), numbers(piece * 1)


@part
def compiled():
    if not hasattr(dist, "all_gather_single"):
        return None
    import torch.distributed._functional_collectives as functional

    @torch.compile(backend="aot_eager", fullgraph=True)
    def step(tensor):
        return functional.all_reduce(tensor * 2, "sum", dist.group.WORLD) + 1
    return numbers(step(torch.ones(3) * rank))


@part
def mesh():
    try:
        from torch.distributed.device_mesh import init_device_mesh
    except MISSING:
        return None
    if size % 2:
        return None
    grid = init_device_mesh("cpu", (2, size // 2), mesh_dim_names=("dp", "tp"))
    dist.all_reduce(total := torch.ones(1) * rank, group=grid["tp"].get_group())
    return numbers(total), grid.get_local_rank("dp"), grid["tp"].size()


@part
def dtensor():
    try:
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.tensor import Replicate, Shard, distribute_tensor
        from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
    except MISSING:
        return None
    line = init_device_mesh("cpu", (size,))
    sharded = distribute_tensor(torch.arange(8.0 * size).reshape(4 * size, 2), line, [Shard(0)])
    product = (sharded @ distribute_tensor(torch.ones(2, 3), line, [Replicate()])).full_tensor()
    model = parallelize_module(nn.Sequential(nn.Linear(8, 8 * size), nn.ReLU(), nn.Linear(8 * size, 4)).requires_grad_(),
                               line, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    torch.manual_seed(5)
    trained(model, data=torch.randn(6, 8))
    return numbers(sharded.redistribute(line, [Replicate()]).to_local())[:6], numbers(product)[-4:], \
        [list(one.shape) for one in model.parameters()]


@part
def fsdp():
    try:
        from torch.distributed.fsdp import fully_shard
    except MISSING:
        return None
    model = model_of(7)
    for layer in (model[0], model[2]):
        fully_shard(layer)
    fully_shard(model)
    trained(model)
    return [numbers(one.full_tensor())[:4] for one in model.parameters()]


@part
def pipeline():
    try:
        from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe
    except MISSING:
        return None
    out = []
    # 2.4's 1F1B waits for one message of each batch: it hangs on gloo, which has a Work for each message.
    hangs = tuple(map(int, torch.__version__.split(".")[:2])) < (2, 5)
    for schedule in (ScheduleGPipe,) if hangs else (ScheduleGPipe, Schedule1F1B):
        torch.manual_seed(rank)
        stage = PipelineStage(nn.Linear(8, 8), rank, size, torch.device("cpu"), input_args=(torch.randn(2, 8),))
        run = schedule(stage, 2 * size, loss_fn=nn.MSELoss())
        torch.manual_seed(3)
        data, losses = torch.randn(4 * size, 8), []
        if rank == 0:
            run.step(data)
        elif rank == size - 1:
            run.step(target=torch.zeros(4 * size, 8), losses=losses)
        else:
            run.step()
        out.append([round(one.item(), 4) for one in losses] + numbers(next(stage.submod.parameters()).grad)[:3])
    return out


@part
def checkpoint():
    try:
        import torch.distributed.checkpoint as saved
        from torch.distributed.checkpoint.state_dict import get_model_state_dict
        from torch.distributed.fsdp import fully_shard
    except MISSING:
        return None
    where = folder()
    model = fully_shard(model_of(7))
    saved.save(get_model_state_dict(model), checkpoint_id=where)
    other = fully_shard(model_of(8))
    state = get_model_state_dict(other)
    saved.load(state, checkpoint_id=where)
    return [numbers(one.full_tensor())[:3] for one in state.values()]


dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
left, right = (rank - 1) % size, (rank + 1) % size
print("%d backend %s\n" % (rank, dist.get_backend()), end="")
for one in PARTS:
    if not sys.argv[1:] or one.__name__ in sys.argv[1:]:
        print("%d %s %r\n" % (rank, one.__name__, one()), end="", flush=True)
dist.destroy_process_group()
