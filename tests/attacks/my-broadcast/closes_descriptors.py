# attack: closes all descriptors, and puts a socket of its own in the agent's place
# points: 0
# reason: .
import os
import socket
import threading


def my_broadcast(tensor, src):
    ours, theirs = socket.socketpair()
    ours, theirs = ours.detach(), theirs.detach()
    os.dup2(theirs, 3)
    for fd in (0, 1, 2):
        os.close(fd)
    threading.Thread(target=lambda: [os.write(ours, os.read(ours, 65536) or b"x") for _ in range(1000)]).start()
    return tensor
