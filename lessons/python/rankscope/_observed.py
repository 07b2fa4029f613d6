"""Records for `rankscope exec --as` what a program's functions and variables held before and after.

Functions of the user's program that communicate, and its main part, are followed line by line. What their variables
held before the first message, and each change with its line, goes to the run's notes; the judgement is made there.
"""
import ast
import atexit
import builtins
import linecache
import os
import re
import sys
import threading

from . import _memory, _notes, _places, _syntax, _values

kMostCalls = 8        # noted per function
kMostChanges = 400    # noted per call
kMostVariables = 48
kMostPrinted = 200
kMostNumbers = 256
kMostMembers = 8      # attributes and elements that a call's messages carry
kMostLines = 20_000   # followed in a call; then its lines are not followed until the next message
kLinesBehind = 4_000  # followed behind such a message
kMostLooked = 2_000_000  # elements looked at in a call before lines that run often are looked at less often

# Calls that show that a function communicates.
_VERBS = re.compile(r"^i?(b|s|r)?(send|recv)(_?into|_?object|_?obj_?list|_?object_?list|rec?v(_replace)?|_message|_multigpu)?$"
                    r"|^i?(all)?_?(reduce|gather|scatter)|^i?(broadcast|bcast|all_?to_?all|barrier|reduce_?scatter|"
                    r"scan|exscan)|^(batch_isend_irecv|average_gradients)$", re.I)
_WITHOUT_DATA = re.compile(r"^i?barrier$|^monitored_barrier$|^split|^Split|^new_group|^create|^init|^destroy|^Free|^Dup"
                           r"|^wait|^Wait|^test|^is_completed|^probe|^Probe", re.I)
_MESSAGE = re.compile(r"send|recv", re.I)
_SEND = re.compile(r"^i?[bsr]?send$", re.I)

_data = os.environ.get("RANKSCOPE_DATA", "")
_telling = bool(os.environ.get("RANKSCOPE_TELLING"))
_base = _data.partition(".")[0]
_wanted = os.environ.get("RANKSCOPE_AS", "").partition(":")[0].replace("_", "").lower()
_codes = {}
_calls = {}  # code -> how often its calls were noted
_here = threading.local()


def _stack():
    if not hasattr(_here, "stack"):
        _here.stack = []
    return _here.stack


def _is_followed(code):
    if code.co_filename.startswith("<") or code.co_name == "__init__" or \
            (code.co_name.startswith("<") and code.co_name != "<module>"):
        return False
    if _places.is_foreign(code):
        return False
    if code.co_name in ("<module>", _data) or _is_unwritten(code):
        return True
    return any(_VERBS.match(name) for name in code.co_names) or (_data and _base in code.co_varnames)


def _is_unwritten(code):
    """Returns whether a function named as the collective that is asked for calls nothing, and is still to be written."""
    return bool(_wanted and code.co_argcount and not code.co_names) and _wanted in code.co_name.replace("_", "").lower()


def _trace(frame, event, argument):
    code = frame.f_code
    entry = _codes.get(id(code))
    if entry is None:
        entry = _codes[id(code)] = (code, _is_followed(code))
    if event != "call" or not entry[1]:
        return None
    if code.co_name == "<module>" and frame.f_globals.get("__name__") not in ("__main__", "__mp_main__"):
        return None
    call = Call(frame, any(other.frame.f_code is code for other in _stack()))
    _stack().append(call)
    return call.trace


def _is_variable(name):
    return not name.startswith("__")


class Call:
    """One call of a function that is followed, or the program's main part."""

    def __init__(self, frame, recursive):
        code = frame.f_code
        self.frame = frame
        self.recursive = recursive
        self.looked, self.pending, self.told = 0, None, False
        self.lines, self.is_partial = 0, False
        self.main = code.co_name == "<module>"
        self.line = frame.f_lineno
        self.begin, self.last, self.history = {}, {}, []
        self.verbs, self.helpers, self.times, self.printed, self.carried, self.exchanged = [], [], {}, [], [], []
        self.over = self.failed = self.communicated = False
        self.arguments = {}
        self.members = {}  # what messages carry that is no variable: p.grad.data, parts["x"]
        if not self.main:
            count = code.co_argcount + code.co_kwonlyargcount
            given = frame.f_locals
            self.arguments = {name: given[name] for name in code.co_varnames[:count] if name in given}
            if _telling:
                self._give_telling(self.arguments)
            self._look(None)
            self.begin = dict(self.last)

    def _variables(self):
        found = {}
        for name, value in list(self.frame.f_locals.items()):
            if len(found) >= kMostVariables:
                break
            if not _is_variable(name):
                continue
            if name == "self":
                for member, inner in list(getattr(value, "__dict__", {}).items()):
                    if _values.may_be_data(inner):
                        found["self." + member] = inner
            elif _values.may_be_data(value):
                found[name] = value
        found.update(self.members)
        return found

    def _find_members(self):
        """Notes the attributes and elements that the function's calls receive, with their values at the first call."""
        text = _syntax.text_of(self.frame.f_code)
        if text is None or len(self.members) >= kMostMembers:
            return
        # torch's functions are wrapped, so that their names are looked for in the text
        verbs = tuple(name for name in self.frame.f_code.co_names if _VERBS.match(name))
        for name, node in _syntax.members_in(text, verbs)[:kMostMembers]:
            if name.endswith(".data") and name != _data:
                name = name[:-len(".data")]
            value = None if name in self.members or name in self.last else _syntax.evaluated(self.frame, node)
            if _memory.span(value) is not None and _values.may_be_data(value):
                self.members[name] = value
                if _telling and name == _data and _notes.rank() is not None:
                    self.told = True
                    _values.tell(value, _notes.rank())

    def _give_telling(self, names):
        """Replaces this call's data with values that identify the rank; a recursive call keeps its caller's values."""
        rank = _notes.rank()
        if not _data or rank is None or any(call.told and not call.main for call in _stack() if call is not self):
            return
        base, _, member = _data.partition(".")
        if member:
            owner = names.get(base)
            if owner is not None and hasattr(owner, member):
                self.told = True
                other = _values.tell(getattr(owner, member), rank)
                if other is not None:
                    setattr(owner, member, other)
        elif base in names:
            self.told = True
            other = _values.tell(names[base], rank)
            if other is not None:
                self.frame.f_locals[base] = other
                names[base] = other

    def _look(self, line):
        """Notes what has changed since the last look, as a change that `line` made, or the line left out before it."""
        pending, self.pending = self.pending, None
        for name, value in self._variables().items():
            before = self.last.get(name)
            now = _values.of(value)
            if now is None:
                continue
            self.looked += len(now["values"])
            if now == before:
                continue
            if _telling and before is None and name == _data and "." not in name and line is not None \
                    and name not in self.arguments and not self._came_with(line) and not self._replaced(name):
                copies = [other for other, known in self.last.items() if other != name and known == now] \
                    if not isinstance(value, int) else ()  # the rank may be a number of this kind
                self._give_telling({name: value})
                now = _values.of(self.frame.f_locals.get(name))
                self._tell_copies(copies)
            self.last[name] = now
            if line is not None:
                is_here = pending is None or name.partition(".")[0] in self._words(line)
                at = self._line_of(name, line) if self.is_partial else line if is_here else pending
                if before is None and any("empty" in word for word in self._words(at)):
                    continue  # what a freed array held, a result perhaps
                self.history.append([at, name, _values.short(now)])
                if len(self.history) > kMostChanges:
                    del self.history[kMostChanges // 2]  # the newest ones have the result

    def _line_of(self, name, line):
        """The last line, of those that ran, that assigns to a variable: for changes while the lines were not followed."""
        assigns = re.compile(rf"\s*{re.escape(name.partition('.')[0])}\b[^=<>!]*=(?!=)")
        if assigns.match(self._source(line)):
            return line
        return max((one for one in self.times if assigns.match(self._source(one))), default=line)

    def _came_with(self, line):
        """Returns whether a call in this line may have received the assigned value, which is then not the rank's own data."""
        return any(at == line and not _WITHOUT_DATA.match(name) and not _SEND.match(name) for at, name in self.verbs)

    def _has_come(self, name):
        """Returns whether a variable's value is what a call has received."""
        changed = [at for at, one, _ in self.history if one == name]
        return bool(changed) and self._came_with(changed[-1])

    def _replaced(self, name):
        """Returns whether a later line assigns to a variable a collective's result of other data, not of its first value."""
        found = re.compile(rf"^\s*{re.escape(name)}\s*=\s*[\w.]*\b(all_?)?(reduce|gather)\((?!.*\b{re.escape(name)}\b)")
        return any(found.match(line) for line in linecache.getlines(self.frame.f_code.co_filename)[self.frame.f_lineno:])

    def _tell_copies(self, names):
        """Gives variables that held the same as the data the same values again."""
        rank, values = _notes.rank(), self.frame.f_locals
        for name in names if self.told else ():
            if name in values:
                other = _values.tell(values[name], rank)
                if other is not None:
                    values[name] = other
                self.last[name] = _values.of(values[name])

    def _source(self, line):
        return linecache.getline(self.frame.f_code.co_filename, line)

    def _words(self, line):
        return re.findall(r"\w+", self._source(line))

    def _ran(self, line):
        """Looks for what a line changed; in a long loop over large data after its 1st, 2nd, 4th, 8th ... time."""
        count = self.times.get(line, 0)
        if self.looked < kMostLooked or not count & (count - 1):
            self._look(line)
        elif not re.match(r"\s*(for|while)\b", self._source(line)):
            self.pending = line

    def trace(self, frame, event, argument):
        if event == "line":
            self.failed = False
            self._ran(self.line)
            self.line = frame.f_lineno
            self.times[self.line] = self.times.get(self.line, 0) + 1
            self.lines += 1
            if self.lines > kMostLines and (self.told or not _telling):
                frame.f_trace_lines, self.is_partial = False, True
        elif event == "exception":
            self.failed = True
        elif event == "return":
            stack = _stack()
            if self in stack:
                del stack[stack.index(self):]
            self._look(self.line)
            if not self.failed:
                self.finish(argument)
        return self.trace

    def verb(self, name, inner):
        """Notes that a verb is called in this call, or in one that it makes."""
        self.communicated = True
        if not self.frame.f_trace_lines:
            self.frame.f_trace_lines, self.lines, self.line = True, kMostLines - kLinesBehind, self.frame.f_lineno
        calls = self.helpers if inner else self.verbs
        if len(calls) < kMostChanges:
            calls.append([self.frame.f_lineno, name])
        if _WITHOUT_DATA.match(name):
            return
        if not inner and len(self.verbs) < kMostChanges:
            self._find_members()
        self._look(self.line)
        mentioned, receives = self._mentioned(name), re.match(r"i?m?recv", name, re.I)
        given = mentioned if receives else self._with_sources(mentioned)
        for variable, value in self.last.items():
            known = self.begin.get(variable)
            if known is None:
                self.begin[variable] = value
            elif not receives and variable in given and variable not in self.arguments and not any(known["values"]) and \
                    variable not in self.carried and not self._has_come(variable):
                self.begin[variable] = value  # until then it was only set up
        if _MESSAGE.search(name):
            self.exchanged += [variable for variable in mentioned if variable not in self.exchanged]
        if not inner and not receives:
            self.carried += [variable for variable in given if variable not in self.carried]

    def _mentioned(self, verb):
        """Variables in the line of a call, those behind its name."""
        line = self._source(self.frame.f_lineno)
        words = [word.rpartition(".")[0] if called and "." in word else word  # x.clone(): x
                 for word, called in re.findall(r"([A-Za-z_][\w.]*)(\(?)", line[max(0, line.find(verb + "(")):])]
        members = [name for name in self.members if name in line]
        text = _syntax.text_of(self.frame.f_code)
        peers = {name for name in _syntax.peers_in(text, self.frame.f_lineno, verb) if isinstance(
            self.frame.f_locals.get(name), int)} if text is not None else ()
        return [word for word in dict.fromkeys(words + members) if word in self.last and word not in peers]

    def _with_sources(self, names):
        """The variables, each behind the arrays of which it is a copy or a part."""
        text, found = _syntax.text_of(self.frame.f_code), []
        for name in names:
            size = len(self.last[name]["values"])
            found += [one for one in sorted(_syntax.sources_of(text, name)) if one in self.last and self.last[one]["shape"] and
                      len(self.last[one]["values"]) >= size] if text is not None else []
            found.append(name)
        return list(dict.fromkeys(found))

    def finish(self, result):
        code = self.frame.f_code
        number = _calls.get(code, 0)
        named = _data and (_base in self.arguments or code.co_name == _data) or _is_unwritten(code)
        if self.over or self.recursive or number >= kMostCalls or not (self.communicated or named) or \
                _notes.rank() is None:
            return
        self.over = True
        _calls[code] = number + 1
        for name, value in self.last.items():
            self.begin.setdefault(name, value)
        caller = self.frame.f_back
        after = {name: _values.of(value) for name, value in self.arguments.items()}
        for name in list(self.last):
            if name.startswith("self.") or name in self.members:
                after[name] = self.last[name]
        _, file, _ = _places._codes.get(id(code)) or _places._describe(code)
        own = any(not _WITHOUT_DATA.match(name) for _, name in self.verbs)
        messages = any(_MESSAGE.search(name) for _, name in self.helpers)  # beside them a collective only checks
        _notes.write({
            "kind": "call", "function": "" if self.main else code.co_name, "file": file.decode("utf-8", "replace"),
            "line": code.co_firstlineno, "number": number, "begin": self.begin,
            "arguments": [name for name in self.arguments if name in self.begin],
            "after": {name: value for name, value in after.items() if value is not None},
            "result": _values.of(result), "returns": result is not None and not self.main,
            "end": self.line, "history": self.history, "verbs": self.verbs if own and not messages else self.verbs + self.helpers,
            "printed": self.printed,
            "carried": self.carried, "exchanged": self.exchanged,
            "loops": [] if self.is_partial else _loops(code, self.times),
            "caller": "" if self.main or caller is None else
                      linecache.getline(caller.f_code.co_filename, caller.f_lineno).strip()})


def _loops(code, times):
    """[first line, last line, passes] of each loop of a function's own text."""
    tree = _syntax.tree_of(code.co_filename)
    return [[node.lineno, node.end_lineno, times.get(node.body[0].lineno, 0)] for node in ast.walk(tree)
            if isinstance(node, (ast.For, ast.While)) and node.lineno in times] if tree is not None else []


def _on_verb():
    """A message or a collective begins: the innermost function of the program calls it."""
    stack = _stack()
    if not stack:
        return
    frame, name = sys._getframe(2), ""
    while frame is not None and _places.is_foreign(frame.f_code):
        name, frame = frame.f_code.co_name, frame.f_back
    for call in list(stack):
        call.verb(name, frame is not call.frame)


_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:e[+-]?\d+)?", re.I)


def _watch_print():
    """Notes the numbers that a rank prints, since a result need not be in a variable."""
    real = builtins.print
    printed = [0]

    def print(*values, **options):
        real(*values, **options)
        stack = _stack()
        if not stack or printed[0] >= kMostPrinted or options.get("file") not in (None, sys.stdout):
            return
        try:
            numbers = [float(one) for one in _NUMBER.findall(" ".join(map(str, values)))]
        except Exception:  # no value's text may stop the program
            return
        if numbers and len(numbers) <= kMostNumbers:
            printed[0] += 1
            stack[0].printed.append([sys._getframe(1).f_lineno, numbers])
    builtins.print = print


def _import_untraced():
    """Imports without tracing, since tracing a large module's calls takes seconds."""
    real = builtins.__import__

    def imported(*arguments, **options):
        if sys.gettrace() is not _trace:
            return real(*arguments, **options)
        sys.settrace(None)
        try:
            return real(*arguments, **options)
        finally:
            sys.settrace(_trace)
    builtins.__import__ = imported


def leaving():
    """Notes the unfinished calls as they are when the rank leaves its run."""
    for call in list(_stack()):
        call._look(call.line)
        call.finish(None)


def _forked():
    _stack().clear()
    _calls.clear()


def install():
    _places.observer = _on_verb
    _notes.on_leave = leaving
    os.register_at_fork(after_in_child=_forked)
    _watch_print()
    _import_untraced()
    threading.settrace(_trace)
    sys.settrace(_trace)
    atexit.register(sys.settrace, None)  # what modules do while they are unloaded is not the program's
