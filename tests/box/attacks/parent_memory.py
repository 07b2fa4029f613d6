# Every process that it can see, except for the box's own first one (see first_process.py).
import os, sys
for pid in {os.getppid(), 1, 2} | {int(text) for text in sys.argv[1:]}:
    if pid in (1, os.getpid()):
        continue
    for name in ("mem", "maps", "environ", "root", "fd"):
        if os.path.exists("/proc/%d/%s" % (pid, name)):
            print("there is", pid, name)
others = [name for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid())]
if others:
    print("sees", others)
print("contained")
