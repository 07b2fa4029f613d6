"""One communicator, two threads: one receives while the other sends."""
import threading

import rankscope

comm = rankscope.join()
rank, other = comm.rank, 1 - comm.rank
received = []


def receive():
    for _ in range(50):
        message = bytearray(4)
        comm.recv(message, other, tag=5)
        received.append(int(message))


thread = threading.Thread(target=receive)
thread.start()
for i in range(50):
    comm.send(b"%04d" % i, other, tag=5)
thread.join()
assert received == list(range(50))
print("rank %d of 2 is fine\n" % rank, end="")
