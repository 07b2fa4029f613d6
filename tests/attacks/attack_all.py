#!/usr/bin/python3
"""Grades hostile programs, and looks whether each got what its header says, and left nothing behind.

    attack_all.py [--batch] [--other-users] [--as-class] [--ordinary] [--installed FOLDER [--under-home]] [--timeout SECONDS]
                  [NAME ...]

Each program is graded by `rankscope exercise`; with --batch all of them are students of one class, among honest ones,
whose grades must not suffer: `rankscope grade --code`; with --other-users such a class is graded by root where no boxes can be
made, with the rights that a container has; with --as-class each alone, with the libraries of a class. --ordinary: the command runs as nobody, where this is root's;
else as the caller of this. RANKSCOPE_BINARY names the command; with --installed it is the one of a build folder as
`cmake --install` puts it into /usr/local, where only this process and its children see it, or with --under-home into a folder of
its user's. Exit code 77: boxes cannot be made here.

A header says what is attacked, the points that the program gets (attacks: 0, or "at most" what is right in them besides;
what lies beside a right program without being called takes none of its points), and what the grader's reason must match. A program whose attack worked says so:
SUCCEEDED.
"""
import argparse
import ctypes
import fnmatch
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import odd_submissions

HERE = os.path.dirname(os.path.abspath(__file__))
EXERCISES = ("my-broadcast", "ring-allreduce")
CANARY = "canary-of-the-grader"
COURSE = "send-recv"  # has my-broadcast
NOBODY = 65534
# What Docker leaves root in a container.
CONTAINER = ("chown", "dac_override", "fowner", "fsetid", "kill", "setgid", "setuid", "setpcap", "net_bind_service", "net_raw",
             "sys_chroot", "mknod", "audit_write", "setfcap")
MOST_MEMORY = 96 << 20  # of the grader itself
FILES = {"my-broadcast": "my_broadcast.py", "ring-allreduce": "ring_allreduce.py"}


class Attack:
    def __init__(self, exercise, name, text, make):
        header = dict(re.findall(r"^[#\s]*(points|reason):[ ]*(.*)$", text, flags=re.M))
        self.exercise, self.name, self.make = exercise, name, make
        self.at_most, points = re.fullmatch(r"(at most )?([\d.]+)", header["points"].strip()).groups()
        self.points, self.reason = float(points), header["reason"].strip()


def all_attacks():
    out = []
    for exercise in EXERCISES:
        folder = os.path.join(HERE, exercise)
        for name in sorted(os.listdir(folder)):
            if not name.endswith(".py"):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            out.append(Attack(exercise, name[:-3], text, lambda into, canary, path=path, exercise=exercise:
                              shutil.copyfile(path, os.path.join(into, FILES[exercise]))))
    for make in odd_submissions.ALL:
        if make.__name__ == "device" and os.geteuid() != 0:
            continue
        out.append(Attack("my-broadcast", make.__name__, make.__doc__, make))
    return out


class Grader:
    """The command, among things that programs must not reach."""

    def __init__(self, user, rights=()):
        self.user = user
        self.rights = rights
        self.folder = tempfile.mkdtemp(prefix="rankscope-attacks-")
        self.temporary = self.make_folder("tmp")
        self.home = self.make_folder("home")
        self.canary = os.path.join(self.home, "canary.txt")
        with open(self.canary, "w", encoding="utf-8") as file:
            file.write(CANARY)
        self.open_canary = os.open(self.canary, os.O_RDONLY)
        self.bystander = subprocess.Popen(self.as_user(["sleep", "86400"]))

    def make_folder(self, name):
        path = os.path.join(self.folder, name)
        os.mkdir(path)
        os.chmod(self.folder, 0o755)
        if self.user:
            os.chown(path, self.user, self.user)
        return path

    def as_user(self, command):
        if self.rights:
            return ["setpriv", "--inh-caps=-all", "--bounding-set", "-all" + "".join(",+" + one for one in self.rights),
                    *command]
        if not self.user:
            return command
        return ["setpriv", "--reuid", str(self.user), "--regid", str(self.user), "--clear-groups", *command]

    def run(self, arguments, limit):
        """(exit code, output, errors, most memory of the command itself, seconds)"""
        kept = {name: os.environ[name] for name in ("RANKSCOPE_LESSONS", "RANKSCOPE_BWRAP") if name in os.environ}
        environment = {"PATH": "/usr/bin:/bin", "HOME": self.home, "TMPDIR": self.temporary, "LANG": "C.UTF-8",
                       "GRADERS_SECRET": CANARY, **kept}
        began = time.monotonic()
        command = [os.environ.get("RANKSCOPE_BINARY", "rankscope"), *arguments]
        process = subprocess.Popen(self.as_user(command), env=environment, pass_fds=[self.open_canary],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
        most = [0]

        def watch():
            while process.poll() is None:
                try:
                    with open("/proc/%d/status" % process.pid, encoding="utf-8") as file:
                        most[0] = max(most[0], *[int(one) << 10 for one in re.findall(r"VmHWM:\s+(\d+)", file.read())], 0)
                except OSError:
                    pass
                time.sleep(0.05)
        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            output, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            output, errors = process.communicate()
            errors += "\nthe grader hung"
        watcher.join()
        return process.returncode, output, errors, most[0], time.monotonic() - began

    def left_behind(self):
        """What is still there; a process may need a moment to go."""
        for _ in range(50):
            left = self.processes() + ["file " + name for name in os.listdir(self.temporary)] + self.cgroups()
            if not left:
                break
            time.sleep(0.1)
        if self.bystander.poll() is not None:
            left.append("a bystander was killed")
        return left

    def processes(self):
        """Anyone who descends from the command has become a child of ours, or sees its folder."""
        out = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            if int(pid) in (os.getpid(), self.bystander.pid):
                continue
            try:
                with open("/proc/%s/stat" % pid, encoding="utf-8", errors="replace") as file:
                    state, parent = file.read().rpartition(")")[2].split()[:2]
                if int(parent) == os.getpid() and state == "Z":
                    os.waitpid(int(pid), os.WNOHANG)
                    continue
                with open("/proc/%s/mountinfo" % pid, encoding="utf-8", errors="replace") as file:
                    sees = self.folder in file.read()
            except OSError:
                continue
            if int(parent) == os.getpid() or sees:
                out.append("process " + pid)
        return out

    @staticmethod
    def cgroups():
        out = []
        if os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
            for folder, folders, _ in os.walk("/sys/fs/cgroup"):
                out += ["cgroup " + name for name in folders if name.startswith("rankscope-%d" % os.getpid())]
        return out

    def close(self):
        self.bystander.kill()
        self.bystander.wait()
        os.close(self.open_canary)
        shutil.rmtree(self.folder, ignore_errors=True)


def own_usr_local():
    """Whether /usr/local is empty now for this process and its children, without a change for anybody else."""
    return own_mounts() and ctypes.CDLL(None).mount(b"none", b"/usr/local", b"tmpfs", 0, b"mode=755") == 0


def install(build, prefix, user):
    """Installs what grading needs of a build folder."""
    for part in ("cli", "engine/capi", "engine/network", "lessons"):
        subprocess.run(["cmake", "-DCMAKE_INSTALL_PREFIX=" + prefix, "-DCMAKE_INSTALL_LOCAL_ONLY=1", "-P",
                        os.path.join(build, part, "cmake_install.cmake")], check=True, stdout=subprocess.DEVNULL)
    if user:
        subprocess.run(["chown", "-R", "%d:%d" % (user, user), prefix], check=True)
    os.environ.pop("RANKSCOPE_LESSONS", None)
    os.environ["RANKSCOPE_BINARY"] = os.path.join(prefix, "bin", "rankscope")


def own_mounts():
    """Whether this process now has a user and mounts of its own: what it mounts, nobody else sees."""
    libc = ctypes.CDLL(None, use_errno=True)
    user, group, own_user, new_mounts = os.geteuid(), os.getegid(), 0x10000000, 0x00020000
    if libc.unshare(new_mounts | (own_user if user else 0)) != 0:
        return False
    for name, text in (("setgroups", "deny"), ("gid_map", "0 %d 1" % group), ("uid_map", "0 %d 1" % user)) * bool(user):
        with open("/proc/self/" + name, "w", encoding="utf-8") as file:
            file.write(text)
    recursive, private = 0x4000, 1 << 18
    return libc.mount(b"none", b"/", None, recursive | private, None) == 0


def without_boxes(grader):
    """Has no boxes made, and returns the file of a course that programs run as other users then. Keys must be root's alone."""
    bind = 0x1000
    if ctypes.CDLL(None).mount(b"/bin/false", b"/usr/bin/bwrap", None, bind, None) != 0:
        raise SystemExit("the test cannot replace bubblewrap")
    kept = os.environ.get("RANKSCOPE_LESSONS") or os.path.join(HERE, "../../lessons")
    lessons = shutil.copytree(kept, os.path.join(grader.make_folder("keys"), "lessons"))
    os.chmod(os.path.dirname(lessons), 0o700)
    os.environ["RANKSCOPE_LESSONS"] = lessons
    file = os.path.join(lessons, "courses", COURSE + ".toml")
    with open(file, encoding="utf-8") as course:
        text = course.read()
    begin = text.index("\n[[")
    with open(file, "w", encoding="utf-8") as course:
        course.write(text[:begin] + '\n[hand_in]\nwithout_boxes = "other-user"\n' + text[begin:])


def submission(grader, attack, into):
    folder = os.path.join(into, attack.name)
    os.mkdir(folder)
    attack.make(folder, grader.canary)
    return folder


def faults_of(attack, points, reason, memory, left):
    out = []
    if points > attack.points + 1e-6 or (not attack.at_most and points < attack.points - 1e-6):
        out.append("got %g points, not %s%g" % (points, attack.at_most or "", attack.points))
    if "SUCCEEDED" in reason:
        out.append("the attack worked")
    if attack.reason and not re.search(attack.reason, reason):
        out.append("the reason is not /%s/" % attack.reason)
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f]", reason):
        out.append("the reason has control characters")
    if memory > MOST_MEMORY:
        out.append("the grader took %d MiB" % (memory >> 20))
    return out + ["left behind: " + one for one in left]


def grade_one(grader, attack, options):
    into = tempfile.mkdtemp(dir=grader.folder)
    os.chmod(into, 0o755)
    folder = submission(grader, attack, into)
    code, output, errors, memory, seconds = grader.run(
        ["--json", "exercise", attack.exercise, folder, "--timeout", str(options.timeout)]
        + ["--as-class"] * options.as_class, 600)
    try:
        result = json.loads(output or errors)
        if code == 2:  # what cannot be graded at all
            result = {"points": 0, "trouble": result["error"]["message"], "rules": []}
        says = [result.get("capped", ""), result["trouble"]]
        says += [rule["first"]["says"] for rule in result["rules"] if rule.get("first")]
        points = result["points"]
    except (ValueError, KeyError):
        points, says = 0, [errors]
        says.append("SUCCEEDED: the grader broke (%d): %s" % (code, output[-300:]))
    reason = "\n".join(filter(None, says))
    shutil.rmtree(into)
    return points, reason, memory, seconds, faults_of(attack, points, reason, memory, grader.left_behind())


def report(faults, what, reason):
    """Whether there are faults."""
    print("%-4s %s" % ("BAD" if faults else "ok", what), flush=True)
    for fault in faults:
        print("       " + fault + "\n         " + reason[:1000].replace("\n", "\n         "), flush=True)
    return bool(faults)


def one_by_one(grader, attacks, options):
    bad = 0
    for attack in attacks:
        points, reason, memory, seconds, faults = grade_one(grader, attack, options)
        bad += report(faults, "%s/%s: %g points, %.1f s, %d MiB: %s" % (
            attack.exercise, attack.name, points, seconds, memory >> 20, reason.split("\n")[0][:160]), reason)
    return bad


def write_answers(folder, student):
    odd_submissions.write(folder, "answers.toml", 'course = "%s"\nstudent = "%s"\n[answers]\n' % (COURSE, student))


def as_class(grader, attacks):
    """All of them as students of one class, each third one honest."""
    into = grader.make_folder("class")
    honest = []
    for number, attack in enumerate(attacks):
        write_answers(submission(grader, attack, into), attack.name)
        if number % 8 == 0 or number == len(attacks) - 1:
            honest.append("honest-%02d" % number)
            folder = os.path.join(into, honest[-1])
            os.mkdir(folder)
            odd_submissions.write(folder, "my_broadcast.py", odd_submissions.HONEST)
            write_answers(folder, honest[-1])
    honest.append("honest-cpp")
    os.mkdir(os.path.join(into, "honest-cpp"))
    odd_submissions.write(os.path.join(into, "honest-cpp"), "my_broadcast.cpp", odd_submissions.HONEST_CPP)
    write_answers(os.path.join(into, "honest-cpp"), "honest-cpp")
    out = os.path.join(grader.make_folder("out"), "results")
    code, output, errors, memory, seconds = grader.run(
        ["grade", COURSE, into, "--out", out, "--code", "--format", "results,csv"], 7200)
    print("the class: %.0f s, %d MiB, exit code %d" % (seconds, memory >> 20, code))
    bad = int(code < 0) + bool(grader.left_behind())
    if bad:
        print("BAD", errors[-2000:], grader.left_behind())
    for name, want in [(one, None) for one in honest] + [(attack.name, attack) for attack in attacks]:
        try:
            with open(os.path.join(out, name, "results.json"), encoding="utf-8") as file:
                points, reason = program_result(json.load(file))
        except (OSError, ValueError, KeyError) as error:
            points, reason = -1, "no results: %r" % error
        if want is None:
            faults = [] if points == 6 else ["an honest program got %g points" % points]
        else:
            faults = faults_of(want, points, reason, 0, [])
        bad += report(faults, "%s: %g points" % (name, points), reason)
    return bad


def boxes_work(grader):
    """Asked by a program that is too large to be taken, so that nothing is run."""
    folder = os.path.join(grader.folder, "probe")
    os.mkdir(folder)
    odd_submissions.huge(folder, None)
    _, _, errors, _, _ = grader.run(["exercise", "my-broadcast", folder], 300)
    return "--no-sandbox" not in errors


def program_result(results):
    for one in results["tests"]:
        if "my_broadcast" in one.get("name", ""):
            return one["score"], one["output"]
    raise KeyError("my_broadcast")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="patterns of names")
    parser.add_argument("--batch", action="store_true", help="as one class")
    parser.add_argument("--other-users", action="store_true", help="as one class where no boxes can be made, by root")
    parser.add_argument("--as-class", action="store_true", help="each alone, with the libraries of a class")
    parser.add_argument("--ordinary", action="store_true", help="as a user without rights")
    parser.add_argument("--installed", metavar="FOLDER", help="with what this build folder installs under /usr/local")
    parser.add_argument("--under-home", action="store_true", help="or under its user's home")
    parser.add_argument("--timeout", type=int, default=3)
    options = parser.parse_args()
    attacks = [one for one in all_attacks()
               if not options.names or any(fnmatch.fnmatch(one.name, name) for name in options.names)]
    if options.installed and not options.under_home and not own_usr_local():
        print("left out: /usr/local cannot be another one for the tests here")
        return 1 if os.environ.get("CI") else 77
    # What has lost its parents becomes a child of this process, and is seen.
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    if options.other_users and (os.geteuid() != 0 or not own_mounts()):
        print("left out: only root can run programs as other users")
        return 77
    grader = Grader(NOBODY if options.ordinary and os.geteuid() == 0 else 0, CONTAINER if options.other_users else ())
    try:
        if options.installed:
            os.chmod(grader.home, 0o700)
            if options.under_home:
                install(options.installed, os.path.join(grader.home, "x"), grader.user)
            else:
                install(options.installed, "/usr/local", 0)
        if options.other_users:
            without_boxes(grader)
        elif not boxes_work(grader):
            print("left out: boxes cannot be made here")
            return 1 if os.environ.get("CI") else 77
        if options.batch or options.other_users:
            attacks = [one for one in attacks if one.exercise == "my-broadcast"]
            bad = as_class(grader, attacks)
        else:
            bad = one_by_one(grader, attacks, options)
    finally:
        grader.close()
    right = sum(one.points > 0 and not one.at_most for one in attacks)
    print("%d attacks, and %d right programs among hostile files: %d not as they say" % (len(attacks) - right, right, bad))
    return 0 if bad == 0 and attacks else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the grader's folder goes, too
    sys.exit(main())
