# attack: takes another student's program by its path, through links and "..", or from a folder above
# points: 0
# reason: found nothing|took longer than
import glob
import os


def my_broadcast(tensor, src):
    here = os.environ.get("RANKSCOPE_SUBMISSION", "/submission")
    for pattern in ("/*/my_broadcast.py", "/*/*/my_broadcast.py", here + "/../*/my_broadcast.py", "/tmp/**/*.py",
                    "/proc/*/root/submission/*.py", "/proc/*/cwd/*.py", "/var/tmp/**/*.py", "/home/**/*.py"):
        for path in glob.glob(pattern, recursive=True):
            if "an honest program, not to be" + " copied" in open(path, encoding="utf-8", errors="replace").read():
                raise SystemError("SUCCEEDED: read " + path)
    raise PermissionError("found nothing")
