# Every process but this one and its parent, and the ones that it was told of.
import os, signal, sys
for pid in list(range(1, 70000)) + [int(text) for text in sys.argv[1:]]:
    if pid in (os.getpid(), 1):
        continue
    for number in (signal.SIGSTOP, signal.SIGKILL):
        try:
            os.kill(pid, number)
            print("reached process", pid)
        except ProcessLookupError:
            pass
os.kill(1, signal.SIGKILL)  # the box's own first process ignores it
os.kill(1, signal.SIGSTOP)
print("contained")
