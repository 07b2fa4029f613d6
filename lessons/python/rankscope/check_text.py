"""Lists what a student's file imports and calls, by its syntax tree, without running it.

`python3 -I check_text.py FOLDER FILE [--module NAME] [--function NAME] [--allow MODULE...] [--forbid NAME...]`
prints JSON, of a notebook for what the function uses:
{"imports": [{"file", "line", "text", "why"}], "calls": [...]}. An allowed module includes all below it; "standard" is the
harmless part of the standard library. OTHER_WAYS have to be named themselves. This warns honest students early; a hidden
import is of no use in the box.
"""
import argparse
import ast
import importlib.machinery
import json
import os
import sys
import sysconfig

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _cells  # noqa: E402

del sys.path[0]  # its neighbours are none of the modules that a program may import

# Parts of allowed modules that bypass send and receive, or this check.
OTHER_WAYS = {
    "torch.multiprocessing", "torch.distributed", "torch.utils.cpp_extension", "torch._C", "torch.hub", "torch.package",
    "torch.distributed.distributed_c10d", "torch.distributed.rpc", "torch.distributed.nn", "torch.distributed.elastic",
    "torch.distributed.launcher", "torch.distributed.launch", "torch.distributed.run", "torch.distributed.pipeline",
    "numpy.ctypeslib", "numpy.distutils", "numpy.f2py", "concurrent.futures.process",
}
# Modules of the standard library for processes, sockets, foreign code and other imports.
NOT_STANDARD = {
    "_ctypes", "_multiprocessing", "_posixshmem", "_posixsubprocess", "_socket", "asyncio", "builtins", "code", "codeop",
    "ctypes", "fcntl", "ftplib", "http", "imaplib", "imp", "importlib", "mmap", "multiprocessing", "nntplib", "pkgutil",
    "poplib", "posix", "pty", "runpy", "select", "selectors", "signal", "smtplib", "socket", "socketserver", "ssl",
    "subprocess", "telnetlib", "urllib", "webbrowser", "xmlrpc", "zipimport",
}
# Those that other modules import, as torch does ctypes, and whose names no function has.
SEEN_IN_OTHERS = {"_ctypes", "_socket", "builtins", "ctypes", "fcntl", "importlib", "mmap", "posix", "runpy", "socket",
                  "subprocess"}
DYNAMIC = {"__import__", "exec", "eval", "compile", "__builtins__", "__loader__", "__spec__"}
HIDDEN = {"__import__", "__builtins__", "__globals__", "__subclasses__", "__loader__", "__getattribute__"}
MOST_FILES = 200


def standard(top):
    names = getattr(sys, "stdlib_module_names", None)  # Python 3.10
    if names is not None:
        return top in names
    if top in sys.builtin_module_names:
        return True
    folder = sysconfig.get_path("stdlib")
    return any(os.path.exists(os.path.join(folder, top + end)) for end in (".py", "/__init__.py"))


def below(name, folder):
    return name == folder or name.startswith(folder + ".")


def within(path, folder):
    return os.path.normpath(path).startswith(os.path.normpath(folder) + os.sep)


class Modules:
    """Knows which names are modules, and which of them are allowed."""

    def __init__(self, allowed):
        self.allowed = [name for name in allowed if name != "standard"]
        self.standard = "standard" in allowed
        self.places = {}

    def fits(self, name):
        # The nearest forbidden module around it has to be named, or something within it.
        way = max((one for one in OTHER_WAYS if below(name, one)), key=len, default="")
        for entry in self.allowed:
            if below(name, entry) and (not way or below(entry, way)):
                return True
        top = name.split(".")[0]
        return self.standard and not way and standard(top) and top not in NOT_STANDARD

    def there(self, name):
        """The places of a module; None for a name inside of one. Nothing is loaded."""
        if name not in self.places:
            self.places[name] = None
            head, _, last = name.rpartition(".")
            path = self.there(head) if head else sys.path
            try:
                spec = importlib.machinery.PathFinder.find_spec(last if not head else name, path) if path else None
            except (ImportError, ValueError, AttributeError):
                spec = None
            if spec is not None:
                self.places[name] = list(spec.submodule_search_locations or [""])
        return self.places[name]


def trees(path, name, function):
    """The syntax trees of a file: of a notebook one for each cell, without those that are not Python."""
    if path.endswith(".ipynb"):
        return [(os.path.join(os.path.dirname(name), os.path.basename(cell.name)), cell.tree)
                for cell in _cells.definitions(path, function) if cell.tree]
    with open(path, "rb") as file:
        return [(name, ast.parse(_cells.utf8(file.read()), name))]


class Look:
    def __init__(self, folder, file, module, function, allowed, forbidden):
        self.folder, self.function = folder, function
        self.packages = module.split(".")[:-1]  # around the file, in the course's own layout
        self.home = os.path.dirname(os.path.join(folder, file))
        self.modules = Modules(allowed)
        self.forbidden = forbidden
        self.faults = []
        self.calls = []
        self.seen = set()
        self.waiting = []
        self.aliases = {}

    def file(self, path):
        """Adds a file to those that are checked."""
        real = os.path.normpath(path)
        if real not in self.seen and len(self.seen) < MOST_FILES:
            self.seen.add(real)
            self.waiting.append(real)

    def run(self):
        while self.waiting:
            self.path = self.waiting.pop(0)
            self.name = os.path.relpath(self.path, self.folder)
            try:
                for self.name, tree in trees(self.path, self.name, self.function):
                    self.tree(tree)
            except SyntaxError as error:
                self.unreadable(error.lineno or 0, "syntax")
            except (RecursionError, MemoryError, ValueError, OSError, _cells.NotebookError):
                self.unreadable(0, "unreadable")

    def fault(self, line, text, why):
        self.faults.append({"file": self.name, "line": line, "text": text[:120], "why": why})

    def call(self, line, text, why="call"):
        self.calls.append({"file": self.name, "line": line, "text": text[:120], "why": why})

    def unreadable(self, line, why):
        self.fault(line, "", why)
        self.call(line, "", why)

    def tree(self, tree):
        self.aliases = self.aliases if self.path.endswith(".ipynb") else {}
        nodes = list(ast.walk(tree))  # without recursion
        for node in nodes:
            if isinstance(node, ast.Import):
                for one in node.names:
                    self.imported(node, one.name, "import " + one.name)
                    self.aliases[one.asname or one.name.split(".")[0]] = one.name if one.asname else one.name.split(".")[0]
            elif isinstance(node, ast.ImportFrom) and node.level:
                around = os.path.dirname(self.path)
                for _ in range(node.level - 1):
                    around = os.path.dirname(around)
                self.follow(around, (node.module or "").split("."), [one.name for one in node.names])
            elif isinstance(node, ast.ImportFrom):
                self.imported_from(node)
        for node in nodes:
            self.expression(node)

    def imported(self, node, name, text, more=()):
        if self.modules.fits(name):
            return
        if not standard(name.split(".")[0]) and self.local(name.split("."), more):
            return
        self.fault(node.lineno, text, "import")

    def imported_from(self, node):
        names = [one.name for one in node.names]
        self.imported(node, node.module, "from %s import %s" % (node.module, ", ".join(names)), names)
        for one in node.names:
            name = node.module + "." + one.name
            self.aliases[one.asname or one.name] = name
            if self.by_way_of(node.module, one.name):
                self.fault(node.lineno, "from %s import %s" % (node.module, one.name), "import")

    def local(self, parts, more):
        """Adds the submission's own files that an import reads; returns whether there are any."""
        if parts[:len(self.packages)] == self.packages and self.packages and self.follow(
                self.home, parts[len(self.packages):], more):
            return True
        return any([self.follow(folder, parts, more) for folder in dict.fromkeys((self.folder, self.home))])

    def follow(self, folder, parts, more):
        """Adds the files of a module below `folder`, and those of its modules named `more`."""
        files, at = [], folder
        for part in filter(None, parts):
            at = os.path.join(at, part)
            files += [at + ".py", os.path.join(at, "__init__.py")]
        for one in more:
            files += [os.path.join(at, one + ".py"), os.path.join(at, one, "__init__.py")]
        there = [one for one in files if within(one, self.folder) and os.path.isfile(one)]
        for one in there:
            self.file(one)
        return bool(there)

    def by_way_of(self, module, name):
        """Returns whether an allowed module's attribute is a module that is not allowed."""
        if not self.modules.fits(module):
            return False
        if name in SEEN_IN_OTHERS and not self.modules.fits(name) and self.modules.there(module):
            return True
        return not self.modules.fits(module + "." + name) and self.modules.there(module + "." + name)

    def expression(self, node):
        if isinstance(node, ast.Name) and node.id in DYNAMIC and node.id not in self.aliases:
            self.fault(node.lineno, node.id, "dynamic")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in HIDDEN:
            self.fault(node.lineno, repr(node.value), "dynamic")
        elif isinstance(node, ast.Attribute):
            if node.attr in HIDDEN:
                self.fault(node.lineno, "." + node.attr, "dynamic")
            if node.attr in self.forbidden:
                self.call(node.lineno, node.attr)
            self.dotted(node)
        if isinstance(node, ast.Name) and self.aliases.get(node.id, "").rpartition(".")[2] in self.forbidden:
            self.call(node.lineno, self.aliases[node.id])

    def dotted(self, node):
        """torch.multiprocessing, which came with torch; sys.modules."""
        parts, at = [], node
        while isinstance(at, ast.Attribute):
            parts.append(at.attr)
            at = at.value
        if not isinstance(at, ast.Name) or at.id not in self.aliases:
            return
        name = ".".join([self.aliases[at.id]] + parts[::-1])
        head = name.rpartition(".")[0]
        if name == "sys.modules":
            self.fault(node.lineno, name, "dynamic")
        elif self.by_way_of(head, node.attr):
            self.fault(node.lineno, name, "import")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("file")
    parser.add_argument("--module", default="")
    parser.add_argument("--function", default="")
    parser.add_argument("--allow", nargs="*", default=[])
    parser.add_argument("--forbid", nargs="*", default=[])
    given = parser.parse_args()
    look = Look(given.folder, given.file, given.module, given.function, given.allow, given.forbid)
    look.file(os.path.join(given.folder, given.file))
    look.run()
    for faults in look.faults, look.calls:
        faults.sort(key=lambda one: (one["file"] != given.file, one["file"], one["line"]))
    print(json.dumps({"imports": look.faults[:20], "calls": look.calls[:20]}))


if __name__ == "__main__":
    main()
