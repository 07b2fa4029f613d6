# attack: reads lessons, keys and stored solutions where rankscope is installed in a folder of the system, and asks the
#   installed program for them
# points: 0
# reason: found nothing
import os
import shutil
import subprocess
import sys


def my_broadcast(tensor, src):
    mounts = [line.split()[4] for line in open("/proc/self/mountinfo")]
    prefixes = {"/usr", "/usr/local", "/opt", "/opt/rankscope", sys.prefix, sys.base_prefix} | set(mounts)
    for prefix in sorted(prefixes):
        for inside in ("share/rankscope", "lib/rankscope", "lesson-files", "share/rankscope/lessons"):
            for found in ("lessons", "content", "courses", "drills", "topologies"):
                if os.path.exists(os.path.join(prefix, inside, found)):
                    raise SystemError("SUCCEEDED: sees " + os.path.join(prefix, inside, found))
    for root in ("/usr/local", "/opt", "/rankscope"):
        for folder, _, files in os.walk(root):
            if "lesson.toml" in files or "lessons" in os.path.basename(folder):
                raise SystemError("SUCCEEDED: sees " + folder)
    for program in (shutil.which("rankscope"), "/usr/local/bin/rankscope", "/usr/bin/rankscope"):
        try:
            said = subprocess.run([program, "lesson", "list"], capture_output=True, timeout=2)
            raise SystemError("SUCCEEDED: the program says %r" % said.stdout[:200])
        except (OSError, TypeError):
            pass
    raise PermissionError("found nothing")
