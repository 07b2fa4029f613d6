"""Tries to write outside the box through links."""

import os, sys
targets = sys.argv[1:] + ["/usr/lib/planted", "/etc/planted", "/work/planted"]
for number, target in enumerate(targets):
    link = "/tmp/link%d" % number
    os.symlink(target, link)
    try:
        open(link, "w").close()
        print("wrote", target)
    except OSError:
        pass
    try:
        os.link("/usr/bin/env", "/tmp/hard%d" % number)
        print("made a hard link out of the box")
    except OSError:
        pass
print("contained")
