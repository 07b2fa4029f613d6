"""For pytest under `rankscope exec`: runs are named by the test that makes them, and failures name their traces.

exec loads it (PYTEST_PLUGINS). Processes that a test starts inherit RANKSCOPE_TEST; exec writes the traces into the
folder RANKSCOPE_TRACES, or into the one in which it was started."""

import os

import pytest

kTest = "RANKSCOPE_TEST"
kFolder = os.environ.get("RANKSCOPE_TRACES") or os.getcwd()


def _traces():
    """The files in the folder of traces with the times at which they were written."""
    try:
        with os.scandir(kFolder) as entries:
            return {entry.path: entry.stat().st_mtime_ns for entry in entries if entry.name.endswith(".rankscope")}
    except OSError:
        return {}


class _Watch:
    """Matches traces with failed tests. A trace may be finished a little after its test."""

    def __init__(self):
        self.failed = []  # (node id, [traces])
        self.current = None
        self.before = {}

    def begin(self, test):
        self.end()
        self.current, self.before = test, _traces()

    def fails(self):
        if self.current is not None and (not self.failed or self.failed[-1][0] != self.current):
            self.failed.append((self.current, []))

    def end(self):
        if self.current is not None and self.failed and self.failed[-1][0] == self.current:
            self.failed[-1] = (self.current, sorted(path for path, time in _traces().items()
                                                    if self.before.get(path) != time))
        self.current = None


_watch = _Watch()


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    _watch.begin(item.nodeid)
    outer = os.environ.get(kTest)
    os.environ[kTest] = item.nodeid
    try:
        yield
    finally:
        if outer is None:
            os.environ.pop(kTest, None)
        else:
            os.environ[kTest] = outer


def pytest_runtest_logreport(report):
    if report.failed:
        _watch.fails()


def pytest_terminal_summary(terminalreporter):
    _watch.end()
    named = [(test, paths) for test, paths in _watch.failed if paths]
    if not named:
        return
    terminalreporter.section("rankscope: traces of failed tests")
    for test, paths in named:
        for path in paths:
            terminalreporter.line(f"{test}: {path}")
