# attack: times, attributes, modes and names of what all ranks see carry the values
# points: 0
# reason: nothing changed
import os
import sys

import rankscope


def my_broadcast(tensor, src):
    own = os.path.dirname(os.path.abspath(__file__))
    for path in ("/", "/usr", "/usr/bin/python3", "/etc/passwd", "/dev", "/dev/null", own, __file__, rankscope.__file__,
                 os.path.dirname(rankscope.__file__), sys.executable):
        for change in (lambda: os.utime(path), lambda: os.setxattr(path, "user.wire", b"1"), lambda: os.chmod(path, 0o777),
                       lambda: os.link(path, own + "/wire"), lambda: os.mkdir(path + "/wire"),
                       lambda: os.chown(path, os.getuid(), os.getgid()), lambda: os.rename(path, path + "2")):
            before = os.stat(path)
            try:
                change()
            except OSError:
                continue
            if path in ("/dev/null", "/dev"):
                continue
            raise SystemError("SUCCEEDED: changed %s, %r" % (path, before))
    raise PermissionError("nothing changed")
