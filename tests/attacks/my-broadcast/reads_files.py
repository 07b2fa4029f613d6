# attack: reads the key, the course, the grader's files: whatever lies on the machine
# points: 0
# reason: found nothing|took longer than
import os

CANARY = b"canary" + b"-of-the-grader"


def my_broadcast(tensor, src):
    for root in ("/", "/home", "/root", "/tmp", "/var", "/etc", "/run", "/mnt", "/opt", "/srv", "/rankscope"):
        for folder, folders, files in os.walk(root):
            if folder.startswith(("/proc", "/sys", "/usr")):
                folders.clear()
                continue
            for name in files + folders:
                path = os.path.join(folder, name)
                if path == "/submission/answers.toml":  # its own, where a whole class is graded
                    continue
                if "lesson.toml" in name or "answers.toml" in name or "gradebook" in name or "canary" in name:
                    raise SystemError("SUCCEEDED: sees " + path)
                try:
                    if os.path.isfile(path) and CANARY in open(path, "rb").read(1 << 20):
                        raise SystemError("SUCCEEDED: read " + path)
                except OSError:
                    pass
    raise PermissionError("found nothing")
