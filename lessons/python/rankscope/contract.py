"""Calls a student's function inside of a box, as its exercise says, once for each task.

A rank (see ranks.py) asks its agent for tasks. A task names the file, the function and its arguments; the returned
value, the arguments afterwards and the printed text are handed in. Nothing here decides about points: the agent,
outside of the box, sees every message, and the results are judged there.
"""
import __future__
import ast
import ctypes
import difflib
import errno
import importlib.machinery
import importlib.util
import json
import linecache
import os
import subprocess
import sys
import tempfile
import threading
import traceback
import types

from . import _cells, _native, _session, _threads

_KINDS = {"uint8": _native.UINT8, "int32": _native.INT32, "int64": _native.INT64,
          "float32": _native.FLOAT32, "float64": _native.FLOAT64}
# Python errors without an errno, and the errno they correspond to.
_NUMBERS = {MemoryError: errno.ENOMEM, BlockingIOError: errno.EAGAIN, ConnectionResetError: errno.ECONNRESET,
            ConnectionRefusedError: errno.ECONNREFUSED, TimeoutError: errno.ETIMEDOUT,
            subprocess.TimeoutExpired: errno.ETIMEDOUT}
# Errors that mean a lack of resources or a lost connection.
_LACKS = (errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENOSPC, errno.ETIMEDOUT, errno.ECONNRESET, errno.ECONNREFUSED)
_CARRIER = {"bool": "uint8", "int8": "int64", "int16": "int64", "float16": "float64", "bfloat16": "float64"}

_notebook = []  # the cells of the notebook that was loaded last


class Tasks:
    """The session that gives tasks and takes results."""

    def __init__(self):
        self.library = _native.library()
        self.handle = _session.join_handle(-1, 0, None, "native", "contract")

    def next(self):
        text = ctypes.c_void_p()
        _native.check(self.library.rs_next_task(self.handle, ctypes.byref(text)))
        if not text:
            return None
        task = json.loads(ctypes.string_at(text).decode())
        self.library.rs_free(text)
        return task

    def input(self, index, tensor):
        _native.check(self.library.rs_task_input(self.handle, index, memory_of(tensor)))

    def result(self, name, tensor):
        self._hand_in(memory_of(tensor, name))

    def text(self, name, words):
        data = words.encode("utf-8", "replace")[:60000]
        memory = _native.Memory(data=ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), count=len(data),
                                dtype=_native.UINT8, dims=1, name=name.encode())
        memory.shape[0] = len(data)
        memory.array = memory.data
        self._hand_in(memory)

    def failed(self, words, error):
        """Hands in an error: words for people, and in the name its class and errno for decisions."""
        about = "%s %d" % (type(error).__name__, number_of(error))
        memory = _native.Memory(dtype=_native.UINT8, dims=1, name=about.encode("utf-8", "replace"))
        self._hand_in(memory, words.encode("utf-8", "replace")[:6000])

    def _hand_in(self, memory, error=None):
        _native.check(self.library.rs_task_result(self.handle, memory, error))


def memory_of(tensor, name=None):
    kind = str(tensor.dtype).replace("torch.", "")
    memory = _native.Memory(data=tensor.data_ptr() if tensor.numel() else None, count=tensor.numel(),
                            dtype=_KINDS[kind], dims=tensor.dim(), name=name.encode() if name else None)
    memory.array = memory.data
    for at, extent in enumerate(tensor.shape):
        memory.shape[at] = extent
    return memory


def given(tasks, described):
    """An argument as the task describes it: a tensor from an input, or the value itself."""
    if not isinstance(described, dict):
        return described
    import torch
    kind = described["dtype"]
    carrier = torch.empty(described["shape"], dtype=getattr(torch, _CARRIER.get(kind, kind)))
    tasks.input(described["input"], carrier)
    tensor = carrier.to(getattr(torch, kind))
    if described.get("view"):  # a part of a larger tensor, with gaps between its rows
        wide = torch.zeros(*tensor.shape[:-1], tensor.shape[-1] * 2, dtype=tensor.dtype)
        view = wide[..., ::2]
        view.copy_(tensor)
        tensor = view
    if "pieces" in described:  # a list of tensors, one after the other in the input
        shapes = [torch.Size(shape) for shape in described["pieces"]]
        parts = tensor.split([shape.numel() for shape in shapes])
        return [part.clone().reshape(shape) for part, shape in zip(parts, shapes)]
    return tensor


def joined(value):
    """Returns what to hand in for an argument; a list of tensors becomes one."""
    import torch
    if isinstance(value, list) and value and all(isinstance(one, torch.Tensor) for one in value):
        return torch.cat([one.reshape(-1) for one in value])
    return value


def computing(tensors):
    """Returns compute(i), which fills tensor i; until then it is zero. The trace shows it as a phase."""
    from .torch_dist import groups
    comm = groups.world().comm
    kept = [one.clone() for one in tensors]
    for one in tensors:
        one.zero_()

    def compute(i):
        with comm.phase("compute"):
            tensors[i].copy_(kept[i])
    return compute


def hand_in(tasks, name, value):
    """Hands in a tensor with its contents, another value as text. The name carries the type."""
    import torch
    if isinstance(value, torch.Tensor):
        kind = str(value.dtype).replace("torch.", "")
        carrier = value.detach().to(getattr(torch, _CARRIER.get(kind, kind))).contiguous()
        tasks.result("%s|%s" % (name, kind), carrier)
    elif isinstance(value, bool) or value is None:
        tasks.text("%s|%s" % (name, type(value).__name__), repr(value))
    elif isinstance(value, (int, float)):
        tasks.result("%s|%s" % (name, type(value).__name__), torch.tensor([value], dtype=torch.float64))
    else:
        tasks.text("%s|%s" % (name, type(value).__name__), repr(value)[:2000])


class Source(importlib.machinery.SourceFileLoader):
    """Loads a source file and caches its bytecode in memory, since the box has no bytecode cache."""
    compiled = {}

    def get_data(self, path):
        return _cells.utf8(super().get_data(path))

    def source_to_code(self, data, path, *more, **options):
        key = path, bytes(data)
        if key not in self.compiled:
            self.compiled[key] = super().source_to_code(data, path, *more, **options)
        return self.compiled[key]


def load(name, wanted=None, function=""):
    """Loads the student's file afresh for each task, as a new process would.

    `wanted` is the name by which the course's files import this one ("src.transformer"). The import works whether or
    not the file lies in `src`."""
    folder = os.environ.get("RANKSCOPE_SUBMISSION", "/submission")
    path = os.path.join(folder, name)
    if not os.path.isfile(path):
        raise FileNotFoundError("the file %s was not handed in" % name)
    for one in [key for key, module in sys.modules.items() if is_own(module, folder)]:
        del sys.modules[one]
    here = os.path.dirname(path)
    stem, ending = os.path.splitext(os.path.basename(name))
    # A notebook is no module: ray.ipynb does not stand in the way of `import ray`.
    parts = wanted.split(".") if wanted else [stem + "_notebook" if ending == ".ipynb" else stem]
    sys.path[:] = [one for one in sys.path if one != folder and not one.startswith(folder + os.sep)]
    sys.path += dict.fromkeys([folder, here])
    before = in_group()
    try:
        enter_packages(parts[:-1], here)
        module = module_of(parts, path, function)
    except BaseException as error:
        error.at_load = True
        raise
    if not before and in_group():
        raise RuntimeError("%s joins a process group when the file is loaded: move the code that starts the program "
                           "under if __name__ == \"__main__\":" % os.path.basename(name))
    return module


def is_own(module, folder):
    """Returns whether a module is from the submission: its file, or its package's folder, is there."""
    file = getattr(module, "__file__", None)
    places = [file] if file else list(getattr(module, "__path__", None) or ())
    return any(isinstance(one, str) and one.startswith(folder + os.sep) or one == folder for one in places)


def enter_packages(parts, here):
    """Makes the file's packages importable, with stand-ins where the folders have other names."""
    real = here.split(os.sep)[-len(parts):] == parts
    for level in range(1, len(parts) + 1):
        name = ".".join(parts[:level])
        place = here
        for _ in range(len(parts) - level if real else 0):
            place = os.path.dirname(place)
        package = types.ModuleType(name)
        package.__path__ = [place]
        sys.modules[name] = package
        if level > 1:
            setattr(sys.modules[".".join(parts[:level - 1])], parts[level - 1], package)
        first = os.path.join(place, "__init__.py")
        if os.path.isfile(first):
            package.__file__, package.__package__ = first, name
            Source(name, first).exec_module(package)


def module_of(parts, path, function):
    """Returns a file as a module; of a notebook, only the definitions that the function uses are executed."""
    name = ".".join(parts)
    spec = importlib.util.spec_from_file_location(name, path, loader=Source(name, path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    if len(parts) > 1:
        setattr(sys.modules[".".join(parts[:-1])], parts[-1], module)
    _notebook.clear()
    if path.endswith(".ipynb"):
        _notebook.extend(_cells.definitions(path, function))
        for cell in _notebook:
            define(cell, vars(module))
    else:
        spec.loader.exec_module(module)
    return module


def define(cell, space):
    """Executes the definitions of a notebook cell."""
    linecache.cache[cell.name] = (len(cell.source), None, cell.source.splitlines(True), cell.name)
    flags = 0
    for node in cell.tree.body if cell.tree else ():
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            flags |= sum(getattr(__future__, one.name).compiler_flag for one in node.names)
        try:
            exec(compile(ast.Module([node], []), cell.name, "exec", flags, True), space)
        except Exception:
            # A constant may depend on a statement that was skipped.
            if not isinstance(node, (ast.Assign, ast.AnnAssign)):
                raise
            cell.left_out.update(one.id for one in ast.walk(node) if isinstance(one, ast.Name))


def in_group():
    """Returns whether torch.distributed is initialized, perhaps by an earlier run that failed."""
    distributed = sys.modules.get("torch.distributed")
    return distributed is not None and distributed.is_initialized()


def member(holder, name, file):
    if hasattr(holder, name):
        return getattr(holder, name)
    words = "%s has no %s" % (file, name)
    near = difflib.get_close_matches(name, [one for one in dir(holder) if not one.startswith("_")], 1)
    if near:
        words += "; did you mean %s? Rename it to %s" % (near[0], name)
    faults = [cell.fault for cell in _notebook if cell.fault]
    if faults:
        words += "; " + faults[0]
    raise AttributeError(words)


def begin_mpi(task):
    """Prepares COMM_WORLD, which is joined at its first use, perhaps while the file is loaded."""
    os.environ["RANK"], os.environ["WORLD_SIZE"] = str(task["rank"]), str(task["size"])
    from mpi4py import _world
    _world.leave()  # the world of a failed run


def call_mpi(function, arguments):
    """Calls a function for mpi4py, with the communicator first and NumPy arrays instead of tensors."""
    import torch
    from mpi4py import MPI, _world
    returned = function(MPI.COMM_WORLD, *(one.numpy() if isinstance(one, torch.Tensor) else one for one in arguments))
    MPI.COMM_WORLD.Get_rank()  # a program that sends nothing still joins
    _world.leave()
    return torch.from_numpy(returned) if type(returned).__name__ == "ndarray" else returned


def call_function(tasks, task, module):
    arguments = [given(tasks, one) for one in task["args"]]
    function = member(module, task["function"], task["file"])
    if task.get("platform") == "mpi":
        hand_in_all(tasks, task, call_mpi(function, arguments), arguments)
        return
    import torch.distributed as dist
    dist.init_process_group("gloo", rank=task["rank"], world_size=task["size"])
    more = [computing(arguments[0])] if task.get("computes") else []
    returned = function(*arguments, *more)
    dist.destroy_process_group()
    hand_in_all(tasks, task, returned, arguments)


def hand_in_all(tasks, task, returned, arguments):
    hand_in(tasks, "return", returned)
    for at, argument in enumerate(arguments):
        if isinstance(task["args"][at], dict):
            hand_in(tasks, "argument %d" % at, joined(argument))


def call_worker(tasks, task, module):
    from . import worker_calls
    tools = types.SimpleNamespace(member=member, given=given, hand_in=hand_in)
    (worker_calls.call_timed if "trials" in task else worker_calls.call_once)(tools, tasks, task, module)


def load_parameters(tasks, task, model):
    import torch
    own = dict(model.named_parameters())
    for name, described in task["parameters"]:
        if name not in own:
            raise AttributeError("the model has no parameter %s" % name)
        value = given(tasks, described)
        if own[name].shape != value.shape:
            raise ValueError("the model's %s has shape %s instead of %s"
                             % (name, list(own[name].shape), list(value.shape)))
        with torch.no_grad():
            own[name].copy_(value)


def call_block(tasks, task, module):
    """Runs one forward pass of a Transformer block with the task's parameters."""
    import torch
    import torch.distributed as dist
    block = member(module, "BasicTransformerBlock", task["file"])(*task["build"])
    load_parameters(tasks, task, block)
    x = given(tasks, task["args"][0])
    dist.init_process_group("gloo", rank=task["rank"], world_size=task["size"])
    with torch.no_grad():
        if task["shards"]:
            member(block, "init_tensor_parallel_shards", "BasicTransformerBlock")()
        returned = member(block, task["function"], "BasicTransformerBlock")(x)
    dist.destroy_process_group()
    hand_in(tasks, "return", returned)
    hand_in(tasks, "argument 0", x)
    for name in task["shards"]:
        if hasattr(block, name):
            hand_in(tasks, "shard " + name, getattr(block, name))


def numbers_of(value):
    """A list of losses (numbers, or tensors of one) as a tensor; anything else as it is."""
    import torch
    try:
        return torch.tensor([float(one) for one in value], dtype=torch.float64)
    except (TypeError, ValueError, RuntimeError):
        return value


def call_sgd(tasks, task, module):
    """Trains a small network, whose parameters are the result."""
    import torch
    import torch.distributed as dist
    function = member(module, task["function"], task["file"])
    width, hidden = task["build"]
    model = torch.nn.Sequential(torch.nn.Linear(width, hidden), torch.nn.Tanh(), torch.nn.Linear(hidden, 1))
    load_parameters(tasks, task, model)
    arguments = [given(tasks, one) for one in task["args"]]
    dist.init_process_group("gloo", rank=task["rank"], world_size=task["size"])
    returned = function(model, *arguments)
    dist.destroy_process_group()
    if task.get("losses"):
        hand_in(tasks, "losses", numbers_of(returned))
    for name, parameter in model.named_parameters():
        hand_in(tasks, "parameter " + name, parameter)


def call_lenet(tasks, task, module):
    """Trains LeNet-5; the result is each step's pictures and parameters."""
    from . import lenet
    lenet.call(tasks, task, member(module, task["function"], task["file"]), given, load_parameters, hand_in)


HARNESSES = {"function": call_function, "worker": call_worker, "block": call_block, "sgd": call_sgd,
             "lenet": call_lenet}


class Printed:
    """The output of a running task."""

    def __enter__(self):
        sys.stdout.flush()
        self.file = tempfile.TemporaryFile()
        self.kept = os.dup(1)
        os.dup2(self.file.fileno(), 1)
        return self

    def __exit__(self, *_):
        sys.stdout.flush()
        os.dup2(self.kept, 1)
        os.close(self.kept)
        self.file.seek(0)
        self.text = self.file.read(60000).decode("utf-8", "replace")
        self.file.close()


def number_of(error):
    """The errno of an error; 0 for none."""
    if isinstance(error, OSError) and error.errno:
        return error.errno
    for kind, number in _NUMBERS.items():
        if isinstance(error, kind):
            return number
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, RuntimeError) and frames and frames[-1].filename == threading.__file__:
        return errno.EAGAIN  # threading.Thread.start(): "can't start new thread"
    # Libraries in C++ only give the system's words, as torch does: "(Cannot allocate memory)".
    return next((number for number in _LACKS if os.strerror(number) in str(error)), 0)


def words_of(error):
    """The error, with the student's line that it comes from."""
    lines = traceback.extract_tb(error.__traceback__)
    folder = os.environ.get("RANKSCOPE_SUBMISSION", "/submission")
    own = [line for line in lines if line.filename.startswith(folder)]
    if isinstance(error, SyntaxError) and error.filename and error.filename.startswith(folder):
        return "%s (%s, line %s)" % (error.msg, os.path.basename(error.filename), error.lineno)
    where = " (%s, line %d)" % (os.path.basename(own[-1].filename), own[-1].lineno) if own else ""
    where += left_out_words(error)
    words = ": %s" % error if str(error) else ""
    return "%s%s%s%s" % (type(error).__name__, words, where, guard_words(error, own))


def left_out_words(error):
    """Says which cell of a notebook would have made a name that is not there; empty for other errors."""
    name = getattr(error, "name", None) if isinstance(error, NameError) else None
    for number, cell in enumerate(_notebook, 1):
        if name in cell.left_out:
            return ("; cell %d creates it, but only definitions are read from a notebook: create it inside the function"
                    % number)
    return ""


def guard_words(error, own):
    """Returns advice for a program that starts when it is imported; empty for other errors."""
    statement = (own[0].line or "").split("#")[0].strip() if own else ""
    if not getattr(error, "at_load", False) or "(" not in statement:
        return ""
    if statement.split()[0] in ("import", "from", "def", "class") or statement.startswith("@"):
        return ""
    return ("; line %d runs when the file is loaded: move the code that starts the program under "
            "if __name__ == \"__main__\":" % own[0].lineno)


def leave_all(words):
    for session in list(_session.sessions):
        try:
            session.leave(words is None, words)
        except Exception:  # the run is over
            pass


def end_helpers():
    """Ends multiprocessing's helper processes, which would otherwise live as long as this one. Closing their pipe ends
    them; they restart when needed."""
    for module, holder, pipe, process in (
            ("multiprocessing.forkserver", "_forkserver", "_forkserver_alive_fd", "_forkserver_pid"),
            ("multiprocessing.resource_tracker", "_resource_tracker", "_fd", "_pid")):
        helper = getattr(sys.modules.get(module), holder, None)
        if getattr(helper, pipe, None) is None:
            continue
        os.close(getattr(helper, pipe))
        for name in pipe, process:
            setattr(helper, name, None)


def overlook(wanted):
    """Sets whether small mistakes in messages are ignored, so that a failed run shows what else is right."""
    overlooked = sys.modules.get("rankscope.torch_dist.overlooked")
    if overlooked is not None:
        overlooked.begin(wanted)


def work(tasks, task):
    overlook(task.get("overlook", False))
    printed = Printed()
    words, failure = None, None
    threads = _threads.kernel_threads()
    try:
        with printed:
            if task.get("platform") == "mpi":
                begin_mpi(task)
            module = load(task["file"], task.get("module"), task.get("function", ""))
            HARNESSES[task["harness"]](tasks, task, module)
            end_helpers()
            _threads.await_end(task["function"], threads)
    except BaseException as error:  # also exit() and KeyboardInterrupt, which are the student's doing
        words, failure = words_of(error), error
    leave_all(words)
    tasks.text("stdout", printed.text)
    if words is not None:
        tasks.failed(words, failure)


def run():
    """Carries out one rank's tasks until there are no more."""
    tasks = Tasks()
    while True:
        task = tasks.next()
        if task is None:
            return 0
        work(tasks, task)
