# The daemon keeps the standard output open.
import os, signal, time
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:
        time.sleep(1000)
    os._exit(0)
print("contained")
