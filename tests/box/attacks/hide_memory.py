# Memory that is no process's: files in memory, segments and semaphores of System V, queues, shared mappings that are
# forgotten again.
import ctypes, mmap, os, socket
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
if libc.semget(0, 32000, 0o1600) != -1:
    print("made semaphores")
for file in -1, "/dev/zero":
    try:
        number = file if file == -1 else os.open(file, os.O_RDWR)
        mmap.mmap(number, 1 << 20)[0] = 1
        print("made shared memory of", file)
    except OSError:
        pass
end, _ = socket.socketpair()
try:
    end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)
    print("made room in a socket")
except OSError:
    pass
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
