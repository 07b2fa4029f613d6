# Paths outside of the box, by themselves and by ways around.
import os, sys
for path in sys.argv[1:]:
    for way in (path, "/proc/1/root" + path, "/proc/self/root" + path, "/proc/self/cwd/.." + path,
                "/tmp/../.." + path):
        try:
            open(way).read()
            print("read", way)
        except OSError:
            pass
        try:
            print("listed", way, os.listdir(os.path.dirname(way)))
        except OSError:
            pass
for path in ("/root", "/home", "/var", "/run", "/etc/shadow", "/sys", "/mnt", "/srv", "/boot"):
    if os.path.exists(path):
        print("there is", path)
print("contained")
