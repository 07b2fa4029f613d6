# attack: writes into the memory of the interpreter and of the libraries, which all programs of a class have been given by
#   one process: the number 1, the name of a module, code. It spoils its own alone
# points: 0
# reason: .
import ctypes

import torch

libc = ctypes.CDLL(None, use_errno=True)


def over(address, count):
    page = address & -4096
    if libc.mprotect(ctypes.c_void_p(page), 8192, 7) == 0:
        ctypes.memset(address, 0x90, count)


def my_broadcast(tensor, src):
    torch.Tensor.copy_ = torch.Tensor.zero_
    torch.Tensor.contiguous = lambda one: torch.full_like(one, 7)
    for name in "write", "sendmsg", "recvmsg", "malloc":
        over(ctypes.cast(getattr(libc, name), ctypes.c_void_p).value, 64)
    ctypes.c_long.from_address(id(1) + 24).value = 2
    return tensor
