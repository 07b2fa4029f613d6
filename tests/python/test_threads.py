"""Threads that a program leaves behind, in whatever state of their start they are looked at."""
import _thread
import sys
import threading
import time

import pytest

from rankscope import _threads


def test_nothing_is_left():
    _threads.await_end("f", _threads.kernel_threads())


def test_a_thread_that_ends_is_no_fault():
    before = _threads.kernel_threads()
    threading.Thread(target=time.sleep, args=(0.05,)).start()
    _thread.start_new_thread(time.sleep, (0.05,))
    _threads.await_end("f", before)


@pytest.mark.parametrize("first_run", [0, 0.05])
def test_a_thread_of_which_python_does_not_know_yet(first_run, monkeypatch):
    """One that waits for Python's lock, or for a processor, when the function returns."""
    before = _threads.kernel_threads()
    over = threading.Event()

    def go_on():
        while not over.is_set():
            time.sleep(0.001)

    frames, looks = sys._current_frames, []

    def blind_at_first():
        looks.append(1)
        known = {one.ident for one in threading.enumerate()}
        return {ident: frame for ident, frame in frames().items() if ident in known or len(looks) > 2}

    monkeypatch.setattr(sys, "_current_frames", blind_at_first)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(10)  # this thread keeps the lock until it sleeps
    try:
        _thread.start_new_thread(go_on, ())
        time.sleep(first_run)
        with pytest.raises(RuntimeError, match="f returned, and a thread that it started goes on"):
            _threads.await_end("f", before)
    finally:
        sys.setswitchinterval(interval)
        over.set()
