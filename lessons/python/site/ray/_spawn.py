"""A new worker process. It is forked from the program, as a class of a notebook's cell cannot be imported elsewhere."""

import ctypes
import gc
import os
import random
import signal
import sys
import threading
import time
import traceback

_kParentDeathSignal = 1  # PR_SET_PDEATHSIG


def child(strangers, payloads, info, work):
    """Runs the forked child, which does `work`. Does not return."""
    code = 1
    try:
        for other in strangers:  # otherwise nobody would see that their owners are gone
            other.close()
        for payload in payloads:  # they are the hub's; this process is sent what it needs
            payload.close()
        gc.freeze()
        _end_with_the_parent()
        _be_a_worker(info)
        work()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


def _end_with_the_parent():
    parent = os.getppid()
    if _forked_by_the_main_thread():
        try:
            ctypes.CDLL(None, use_errno=True).prctl(_kParentDeathSignal, signal.SIGKILL)
        except (OSError, AttributeError):
            pass
    # The signal comes when the forking *thread* ends, so other threads' workers watch their parent.
    else:
        watch = threading.Thread(target=_watch, args=(parent,), daemon=True)
        watch.rankscope_own = True
        watch.start()
    if os.getppid() != parent:
        os._exit(1)


_main_thread = threading.main_thread().ident


def _forked_by_the_main_thread():
    return threading.get_ident() == _main_thread


def _watch(parent):
    while os.getppid() == parent:
        time.sleep(0.25)
    os._exit(1)


def _be_a_worker(info):
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver hears Ctrl-C, and ends us
    signal.signal(signal.SIGTERM, _asked_to_end)
    signal.signal(kDriverFailed, _asked_to_end)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # Ray's workers are fresh processes: each has random numbers of its own.
    random.seed()
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)  # OpenMP's threads did not survive the fork
        torch.seed()
    prefix = f"({info['class']} pid={os.getpid()}) "
    sys.stdout = sys.__stdout__ = PrefixedLines(1, prefix)
    sys.stderr = sys.__stderr__ = PrefixedLines(2, prefix)


kDriverFailed = signal.SIGUSR2  # as SIGTERM, but the driver's end is an error


class Ended(BaseException):
    """Raised in a busy worker when it should end."""

    def __init__(self, driver_failed):
        super().__init__()
        self.driver_failed = driver_failed


def _asked_to_end(number, frame):
    for asked in (signal.SIGTERM, kDriverFailed):  # asked twice, it still says goodbye; one that does not is killed
        signal.signal(asked, signal.SIG_IGN)
    raise Ended(number == kDriverFailed)


class PrefixedLines:
    """A text stream that writes whole lines, each behind the worker's name."""

    encoding, errors, newlines, closed = "utf-8", "replace", None, False

    def __init__(self, fd, prefix):
        self.fd, self.prefix, self.line = fd, prefix, ""

    def write(self, text):
        self.line += str(text)
        *lines, self.line = self.line.split("\n")
        if lines:
            self._out("".join(f"{self.prefix}{line}\n" for line in lines))
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        """Does nothing: lines are written when they are complete, since other workers write, too."""

    def finish(self):
        if self.line:
            self.write("\n")

    def _out(self, text):
        data = text.encode("utf-8", "replace")
        try:
            while data:
                data = data[os.write(self.fd, data):]
        except OSError:
            pass  # the reader is gone

    def isatty(self):
        return False

    def writable(self):
        return True

    def readable(self):
        return False

    def fileno(self):
        return self.fd


def how_it_ended(pid):
    """Reaps a child that closed its link, and says how it ended; None if it is not ours."""
    for _ in range(200 if pid else 0):
        try:
            got, status = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            break
        if got == pid:
            if os.WIFSIGNALED(status):
                number = os.WTERMSIG(status)
                return f"its process {pid} was ended by signal {number} ({signal.Signals(number).name})."
            return f"its process {pid} ended with exit code {os.WEXITSTATUS(status)}."
        time.sleep(0.005)
    return "its process is gone."
