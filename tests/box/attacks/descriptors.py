# argv: the descriptors that it should have.
import os, sys
want = sorted({0, 1, 2} | {int(text) for text in sys.argv[1:]})
for fd in range(4096):
    try:
        os.fstat(fd)
        if fd not in want:
            print("has", fd, os.readlink("/proc/self/fd/%d" % fd))
    except OSError:
        if fd in want:
            print("lacks", fd)
# Opened again, a descriptor may get other rights.
for fd in want[3:]:
    for mode in (os.O_RDWR, os.O_RDONLY, os.O_WRONLY):
        try:
            os.open("/proc/self/fd/%d" % fd, mode)
            print("opened anew", fd)
        except OSError:
            pass
print("contained")
