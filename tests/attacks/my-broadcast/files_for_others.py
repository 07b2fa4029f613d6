# attack: one rank leaves files, pipes, rights and times where the others may look: in folders open to everybody, its own, and
#   beside the program
# points: 0
# reason: nothing found
import os
import time

import torch.distributed as dist

FOLDERS = ["/tmp", "/var/tmp", "/dev/shm", "/run/lock", "/run/shm", "/var/lock", "/dev/mqueue", "/run", "/var/crash",
           os.environ.get("TMPDIR", "/tmp"), os.environ.get("HOME", "/tmp"), os.getcwd(), os.path.dirname(__file__)]
KINDS = {"file": lambda path: os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o666)),
         "folder": lambda path: os.mkdir(path, 0o777), "pipe": lambda path: os.mkfifo(path, 0o666),
         "link": lambda path: os.symlink("the-value", path)}
NAME = "left-by-the-root"


def there(path):
    try:
        os.lstat(path)
        return True
    except OSError:
        return False


def my_broadcast(tensor, src):
    if dist.get_world_size() < 2:
        return tensor
    places = [os.path.join(folder, NAME + kind) for folder in dict.fromkeys(FOLDERS) for kind in KINDS]
    if dist.get_rank() == src:
        for folder in FOLDERS:
            try:
                os.chmod(folder, 0o777)
            except OSError:
                pass
        for place in places:
            try:
                KINDS[place.rpartition("root")[2]](place)
            except OSError:
                pass
        time.sleep(0.6)
        raise PermissionError("nothing found")
    time.sleep(0.3)
    # The root's own folder is named as this rank's, but for its user.
    around = [os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(folder))), str(user), "tmp", NAME + "file")
              for folder in FOLDERS if folder.endswith("/tmp") for user in range(os.getuid() - 8, os.getuid() + 9)]
    for place in places + around:
        if there(place) and os.lstat(place).st_uid != os.getuid():
            raise SystemError("SUCCEEDED: %s is there" % place)
    raise PermissionError("nothing found")
