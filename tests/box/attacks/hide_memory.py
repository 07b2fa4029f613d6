# Memory that is no process's: files in memory, segments of System V, queues.
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
try:
    os.memfd_create("hidden")
    print("made a file in memory")
except OSError:
    pass
if libc.shmget(0, 1 << 20, 0o1600) != -1:
    print("made a segment")
if libc.msgget(0, 0o1600) != -1:
    print("made a queue")
# Buffers of sockets: as much as the number of descriptors allows.
total = 0
kept = []
try:
    while True:
        pair = socket.socketpair()
        kept.append(pair)
        for end in pair:
            end.setblocking(False)
            try:
                while True:
                    total += end.send(b"x" * 65536)
            except BlockingIOError:
                pass
except OSError:
    pass
print("contained" if total < 128 << 20 else total)
