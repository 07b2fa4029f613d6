"""Python runs this at its start when `rankscope exec` has put this folder on its path.

Nothing heavy is imported here: a program that never uses torch.distributed pays for nothing. When it does, our process
group takes gloo's place right after the module was loaded, before anybody can have taken hold of the real one.
"""
import atexit
import os
import sys
from importlib.machinery import PathFinder

_HERE = os.path.realpath(os.path.dirname(os.path.abspath(__file__)))
# This folder may be on the path under several names, or in several copies; the first one counts.
_ran = sys.__dict__.setdefault("_rankscope_sitecustomize", set())
_IS_FIRST = not _ran
_ran.add(_HERE)


def _end_at_once():
    """A process whose run was ended has nothing more to say, and to unload torch takes a third of a second of computing."""
    tracebacks = sys.modules.get("rankscope._tracebacks")
    if tracebacks is None or not tracebacks.run_was_ended:
        return
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):  # closed, or without a reader
            pass
    os._exit(1)


if _IS_FIRST:
    atexit.register(_end_at_once)  # registered before all others, so called after them


def _install(ours):
    """Lets one of our modules change the module that was loaded."""
    def install(module):
        __import__(ours, fromlist=["install"]).install(module)
    return install


def _report_failure(error):
    """Reports a process that fails before it is a rank: its parent may still exit successfully."""
    if isinstance(error, SystemExit) and error.code in (None, 0):
        return
    from rankscope import _advice, _process
    _advice.note(error)
    _report(_process.describe(error))


def _report(text):
    import json
    import socket
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as host:
            host.connect(os.environ["RANKSCOPE_EXEC"])
            host.send(json.dumps({"version": 1, "copy": int(os.environ.get("RANKSCOPE_COPY") or -1),
                                  "failed": text[:1000]}).encode())
    except OSError:  # in virtual time nobody listens there
        pass


def _watch_exit():
    """Reports a copy that calls sys.exit() before it is a rank, as argparse does, with its message."""
    real, words = sys.exit, []

    def exit(*code):
        caller = sys._getframe(1)
        if code and code[0] not in (None, 0):
            text = code[0] if isinstance(code[0], str) else caller.f_locals.get("message") or ""
            file = caller.f_code.co_filename
            words[:] = ["exit code %s%s" % (1 if isinstance(code[0], str) else code[0], ": " + " ".join(str(text).split()) if text
                                            else " (%s:%d)" % (os.path.basename(file), caller.f_lineno))]
        return real(*code)

    def at_end():
        notes = sys.modules.get("rankscope._notes")
        if words and (notes is None or notes._joined is None):
            _report(words[0])
    atexit.register(at_end)
    sys.exit = exit


def _watch_multiprocessing(module):
    """A process of multiprocessing catches what ends it; the run that it has joined hears of it first."""
    bootstrap = module.BaseProcess._bootstrap

    def watched_bootstrap(self, *args, **kwargs):
        run = self.run

        def watched_run():
            try:
                run()
            except BaseException as error:
                joined = sys.modules.get("rankscope._process")
                if joined is None:
                    _report_failure(error)
                    raise
                joined.process_failed(error)
                if not isinstance(error, Exception):
                    raise
                raise SystemExit(1) from error  # multiprocessing would print it once more
        self.run = watched_run
        return bootstrap(self, *args, **kwargs)

    module.BaseProcess._bootstrap = watched_bootstrap


# module -> the function that changes it after it was loaded
_AFTER_IMPORT = {
    "torch.distributed.distributed_c10d": _install("rankscope.torch_dist"),
    "multiprocessing.process": _watch_multiprocessing,
}


class _AfterImport:
    """A finder that uses the other finders, and has some modules changed after they were loaded."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        change = _AFTER_IMPORT.get(name)
        if change is None:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def load_and_change(module):
            load(module)
            change(module)

        spec.loader.exec_module = load_and_change
        return spec


def _run_next_sitecustomize():
    """Another one further down the path (a distribution's, a user's) would have run without us."""
    others = [folder for folder in sys.path if os.path.realpath(folder or ".") not in _ran]
    spec = PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None and spec.origin:
        from importlib.util import module_from_spec
        spec.loader.exec_module(module_from_spec(spec))


def _write_whole_lines():
    """Several ranks share one screen: print() writes a text and its end of line at once."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(line_buffering=True, write_through=False)


def _show(kind, error, trace):
    """Shows the error that ends a copy of the program, with its rank before each line."""
    from rankscope import _process, _tracebacks
    if not _process.is_watching() and (kind.__name__ != "Stopped" or not kind.__module__.startswith("rankscope")):
        _report_failure(error.with_traceback(trace))
    _tracebacks.show(kind, error, trace)


if _IS_FIRST and os.environ.get("RANKSCOPE_EXEC"):
    _write_whole_lines()
    sys.excepthook = _show
    sys.meta_path.insert(0, _AfterImport)
    if os.environ.get("RANKSCOPE_STEM"):
        __import__("_stem").grow()
    if os.environ.get("RANKSCOPE_COPY"):
        _watch_exit()
    if os.environ.get("RANKSCOPE_NOTES"):
        __import__("_printed_bytes").install()
    if os.environ.get("RANKSCOPE_AS"):
        __import__("rankscope._observed", fromlist=["install"]).install()
_run_next_sitecustomize()
