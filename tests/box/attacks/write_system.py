"""Tries to write to the system's files and settings."""

import os
places = ["/", "/usr", "/usr/lib", "/usr/local", "/bin", "/lib", "/etc", "/dev", "/proc", "/proc/sys/kernel",
          "/attacks", "/work"]
for place in places:
    try:
        open(place + "/planted", "w")
        print("wrote to", place)
    except OSError:
        pass
for name in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/sys/vm/drop_caches",
             "/proc/self/uid_map", "/etc/passwd", "/usr/bin/env"):
    try:
        with open(name, "wb", buffering=0) as file:
            file.write(b"1")
        print("wrote", name)
    except OSError:
        pass
for name in ("/usr/bin/env", "/etc/passwd"):
    for change in (lambda: os.chmod(name, 0o777), lambda: os.unlink(name), lambda: os.rename(name, "/tmp/x")):
        try:
            change()
            print("changed", name)
        except OSError:
            pass
try:
    os.mknod("/tmp/disk", 0o60666, os.makedev(254, 0))
    print("made a device")
except OSError:
    pass
print("contained")
