# attack: the kernel's keyrings of the user and of the session carry the values
# points: 0
# reason: no keyring
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
ADD_KEY, REQUEST_KEY, KEYCTL = 248, 249, 250


def my_broadcast(tensor, src):
    for ring in (-3, -4, -5):
        if libc.syscall(ADD_KEY, b"user", b"wire", b"1", 1, ring) >= 0 or libc.syscall(KEYCTL, 0, ring, 0) >= 0:
            raise SystemError("SUCCEEDED: keyring %d" % ring)
    if libc.syscall(REQUEST_KEY, b"user", b"wire", None, 0) >= 0:
        raise SystemError("SUCCEEDED: found a key")
    raise PermissionError("no keyring")
