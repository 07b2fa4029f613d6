# exercise: my-allreduce
# verdict: wrong
# mistake: calls all_reduce in a string given to exec
# expect: the built-in all_reduce is called, hidden in exec
# hangs: no
# worlds: 1,2,3,4,5,8
# values: right
import torch
import torch.distributed as dist

PROGRAM = "import torch.distributed as d; d.all_" + "reduce(x)"


def my_allreduce(tensor):
    exec(PROGRAM, {"x": tensor})
    return tensor
