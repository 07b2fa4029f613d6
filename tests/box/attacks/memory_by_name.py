# A process whose name is a line of /proc/PID/status.
import time
with open("/proc/self/comm", "w") as name:
    name.write("RssAnon:")
kept = bytearray(b"x") * (300 << 20)
time.sleep(30)
