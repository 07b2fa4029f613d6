"""Starts the ranks of a code exercise: loads their libraries once, then forks one process for each.

`python3 -m rankscope.ranks` starts or ends the ranks as the grader asks on a socket, and reports how
each one ended. No student code runs in this process, and in a rank only once it is in its box.
"""
import gc
import json
import os
import select
import signal
import socket
import sys

from . import _inner_box, _joined, _native, _other_users

_CONTROL = "RANKSCOPE_RANKS"   # the number of the grader's socket
_FILTER = "RANKSCOPE_FILTER"   # the number of the system-call filter; unset when the ranks run without boxes
_PROGRAM = "RANKSCOPE_RANK_PROGRAM"  # a compiled program that the ranks become; unset for files of Python
_AGENT = 3                     # a rank's own socket
_MOST_RANKS = 64
_KEPT = 600                    # bytes of a rank's last output
_MOST_OTHERS = 16              # other processes that are reported, at most
_ROUNDS = 16                   # reads from one rank in a row, so that a flood does not keep the others waiting


class Rank:
    """A rank: its process `program` and, in a box for this rank alone, the process `first`, with which all others there end."""

    def __init__(self, number, program, first, errors):
        self.number = number
        self.program = program
        self.first = first
        self.running = {os.pidfd_open(process): process for process in (program, first) if process}
        self.errors = errors
        self.said = b""
        self.status = 0

    def end(self):
        last = self.first or self.program
        if last in self.running.values():
            os.kill(last, signal.SIGKILL)


class Process:
    """A process, from its /proc/NUMBER/status."""

    def __init__(self, text):
        fields = dict(line.split(":\t", 1) for line in text.split("\n") if ":\t" in line)
        self.name = fields["Name"]
        self.parent = int(fields["PPid"])
        self.user = int(fields.get("Uid", "-1").split()[0])
        # Its other threads go on when only the first one has ended.
        self.ended = fields["State"][0] in "ZX" and int(fields.get("Threads", "1")) <= 1
        self.depth = len(fields["NSpid"].split())  # deeper than this process: among a rank's own


def processes():
    """The processes that this one sees, by number, the newest first as a rule; and whether one ended meanwhile."""
    seen, gone = {}, False
    for number in reversed(list(filter(str.isdigit, os.listdir("/proc")))):
        try:
            with open("/proc/%s/status" % number, encoding="utf-8", errors="replace") as file:
                seen[int(number)] = Process(file.read())
        except (FileNotFoundError, ProcessLookupError):
            gone = True
    return seen, gone


def others_among(ranks, seen, gone):
    """Processes beside the ranks' programs, as rows of rank and name. `seen` and `gone` are from processes(). One row of rank
    -1 when none is seen but one ended meanwhile, as when a program keeps replacing its process by a new one."""
    own = {process: rank.number for rank in ranks for process in rank.running.values()}
    first = {rank.first for rank in ranks}  # the processes that adopt orphans
    outside = min(process.depth for process in seen.values())
    out = []
    for number, process in seen.items():
        if number in own or process.depth == outside:
            continue
        if process.ended:  # an orphan is reaped at once; its children may be missing in the list
            gone = gone or process.parent in first
            continue
        above = process.parent
        for _ in seen:
            if above in own or above not in seen:
                break
            above = seen[above].parent
        if above in own:
            out.append([own[above], process.name])
        else:
            gone = True  # its parent
    if gone and not out:
        return [[-1, ""]]
    return out


def read_filter():
    number = os.environ.pop(_FILTER, None)
    if number is None:
        return None
    with open(int(number), "rb") as file:
        return file.read()


class Starter:
    def __init__(self, control, boxes, program):
        self.control = control
        self.boxes = boxes
        self.program = program
        self.ranks = {}

    def say(self, **words):
        self.control.send(json.dumps(words).encode())

    def serve(self):
        """Serves the grader until it is gone."""
        while True:
            waited = [self.control.fileno()]
            for rank in self.ranks.values():
                waited += rank.running
                if rank.errors >= 0:
                    waited.append(rank.errors)
            ready, _, _ = select.select(waited, [], [])
            for rank in list(self.ranks.values()):
                if rank.errors in ready:
                    self.pass_on(rank)
                for ended in [one for one in rank.running if one in ready]:
                    self.collect(rank, ended)
            if self.control.fileno() in ready and not self.handle_request():
                return

    def handle_request(self):
        """Carries out one order. Returns False if there will be no more."""
        text, sockets, _, _ = socket.recv_fds(self.control, 4096, _MOST_RANKS)
        if not text:
            return False
        order = json.loads(text)
        if order["do"] == "start":
            for number, agent in enumerate(sockets):
                self.start(number, agent)
        for agent in sockets:
            os.close(agent)
        if order["do"] == "end":
            for rank in self.ranks.values():
                rank.end()
        elif order["do"] == "look":
            self.say(look=order["number"], others=self.others() if self.boxes else [])
        return True

    def others(self):
        ranks = self.ranks.values()
        if isinstance(self.boxes, _other_users.OtherUsers):
            return self.boxes.others(ranks, processes)[:_MOST_OTHERS]
        return others_among(ranks, *processes())[:_MOST_OTHERS]

    def start(self, number, agent):
        errors, theirs = os.pipe()
        os.set_blocking(errors, False)
        sys.stdout.flush()
        program, first = self.boxes.fork() if self.boxes else (os.fork(), None)
        if program == 0:
            code = 1
            try:
                # Shares no open file with another rank: all who share one see whether it waits.
                os.dup2(theirs, 1)
                os.dup2(theirs, 2)
                nothing = os.open("/dev/null", os.O_RDONLY)
                os.dup2(nothing, 0)
                code = self.be_rank(number, agent)
            except BaseException as error:
                print("%s: %s" % (type(error).__name__, error), file=sys.stderr, flush=True)
            finally:
                sys.stdout.flush()
                os._exit(code)
        os.close(theirs)
        self.ranks[number] = Rank(number, program, first, errors)

    def be_rank(self, number, agent):
        """Becomes the rank, in the child; returns its exit code."""
        if self.boxes:
            self.boxes.enter(number)
        else:
            os.setsid()
        os.dup2(agent, _AGENT)
        os.closerange(_AGENT + 1, os.sysconf("SC_OPEN_MAX"))
        self.control.detach()
        if self.program:
            os.execv(self.program, [self.program])
        from . import contract
        return contract.run()

    def pass_on(self, rank):
        """Copies a rank's standard error to ours, and keeps its end."""
        for _ in range(_ROUNDS):
            if rank.errors < 0:
                return
            try:
                text = os.read(rank.errors, 1 << 16)
            except BlockingIOError:
                return
            if not text:
                os.close(rank.errors)
                rank.errors = -1
                return
            rank.said = (rank.said + text)[-_KEPT:]
            os.write(2, text)

    def collect(self, rank, ended):
        """Collects an ended process of a rank, which has ended once all have."""
        process = rank.running.pop(ended)
        os.close(ended)
        _, status = os.waitpid(process, 0)
        if process == rank.program:
            rank.status = status
            rank.end()
        if rank.running:
            return
        self.pass_on(rank)
        if rank.errors >= 0:
            os.close(rank.errors)
        del self.ranks[rank.number]
        code = os.waitstatus_to_exitcode(rank.status)
        lines = rank.said.decode("utf-8", "replace").strip().split("\n")
        self.say(ended=rank.number, code=max(code, 0), signal=max(-code, 0), said=lines[-1][-400:])


def load_libraries():
    """Loads what the ranks need, before the clock runs."""
    import numpy  # noqa: F401
    import torch
    import torch.distributed  # noqa: F401
    from . import _comm, contract, ray_collective, torch_dist  # noqa: F401
    torch.set_num_threads(1)


def main():
    if _joined.HOST in os.environ:
        _joined.serve(load_libraries)
    control = socket.socket(fileno=int(os.environ.pop(_CONTROL)))
    system_calls = read_filter()
    program = os.environ.pop(_PROGRAM, None)
    if not program:
        load_libraries()
        _native.library()
    boxes = None
    if system_calls is not None:
        shared = _inner_box.shared_memory_of_this_process()
        if shared:
            raise SystemExit("the ranks would share memory: %s" % shared[0])
        users = os.environ.pop(_other_users.USERS, None)
        if users:
            boxes = _other_users.OtherUsers(system_calls, users, program)
        else:
            boxes = _inner_box.InnerBoxes(system_calls)
    gc.collect()
    gc.freeze()  # otherwise the first collection in each rank would copy all of it
    starter = Starter(control, boxes, program)
    starter.say(up=True)
    starter.serve()


if __name__ == "__main__":
    main()
