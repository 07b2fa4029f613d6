# exercise: my-allreduce
# verdict: wrong
# mistake: delegates to another library's built-in: mpi4py's Allreduce
# expect: the built-in allreduce of mpi4py is called
# hangs: no
# worlds: 1,2,3,4,5,8
# sight: yes
import torch
from mpi4py import MPI


def my_allreduce(tensor):
    whole = tensor.contiguous().numpy()
    MPI.COMM_WORLD.Allreduce(MPI.IN_PLACE, whole)
    tensor.copy_(torch.from_numpy(whole))
    return tensor
