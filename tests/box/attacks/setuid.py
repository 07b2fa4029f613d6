"""Tries to become another user or to gain capabilities."""

import ctypes, os, subprocess
for change in (lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setresuid(0, 0, 0),
               lambda: os.setgroups([0]), lambda: os.seteuid(0)):
    try:
        change()
        print("became another user")
    except OSError:
        pass
status = dict(line.split(":\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\t" in line)
if status["NoNewPrivs"] != "1" or status["Seccomp"] != "2":
    print("not locked:", status["NoNewPrivs"], status["Seccomp"])
for name in ("CapEff", "CapPrm", "CapInh", "CapAmb"):
    if int(status[name], 16) != 0:
        print("has capabilities", name, status[name])
for program in (["/usr/bin/su", "-c", "id -u"], ["/usr/bin/passwd", "-d", "root"], ["/usr/bin/sudo", "-n", "id", "-u"],
                ["/usr/bin/mount", "-t", "tmpfs", "none", "/tmp"]):
    try:
        result = subprocess.run(program, stdin=subprocess.DEVNULL, capture_output=True, timeout=5)
        if result.returncode == 0:
            print("ran", program, result.stdout)
    except (OSError, subprocess.TimeoutExpired):
        pass
print("contained")
