"""Runs the built rankscope on stored files, and compares what it says with the results stored beside them.

A result is text: a line per key of the output, with all values under it. Further keys may come; those that are there
must stay, with their values. Of sentences only the number is compared: their words may change.
"""
import csv
import hashlib
import html
import io
import json
import os
import pathlib
import re
import shlex
import subprocess
import xml.etree.ElementTree as ElementTree

HERE = pathlib.Path(__file__).resolve().parent
FILES = HERE / "files"
LONGEST = 64  # of values in a result; of longer ones there are the number and a digest
# Keys whose values are sentences for people.
SENTENCES = {"advice", "caption", "comment", "contract", "covers", "detail", "example", "explanation", "goals", "how",
             "label", "message", "model", "output", "problem", "prompt", "remarks", "says", "starter",
             "summary", "text", "title", "what", "why", "words"}


def binary():
    return pathlib.Path(os.environ["RANKSCOPE_BINARY"]).resolve()


def environment(home, lessons=None):
    """Homes of its own: nothing of the person who runs the tests is read or written."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("RANKSCOPE_")}
    for name in ("DATA", "CONFIG", "CACHE"):
        variables["XDG_%s_HOME" % name] = str(home / name.lower())
    variables.update(HOME=str(home), USER="student", LC_ALL="C.UTF-8", OMP_NUM_THREADS="1",
                     PYTHONDONTWRITEBYTECODE="1")
    if lessons is not None:
        variables["RANKSCOPE_LESSONS"] = str(lessons)
    return variables


def run(arguments, folder, variables):
    return subprocess.run([str(binary()), *arguments], cwd=folder, env=variables, text=True, timeout=1000,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


# ---- From an output to {key: values} ----

def flat(value, path="", into=None):
    """{"ranks[].sent": [96, 96], …}: all values under a key, in order; under "ranks[]" how many there are."""
    into = {} if into is None else into
    if isinstance(value, dict):
        for key, one in value.items():
            flat(one, "%s.%s" % (path, key) if path else key, into)
    elif isinstance(value, list):
        values = into.setdefault(path + "[]", [])
        if not value or isinstance(value[0], (dict, list)):
            values.append(len(value))
        for one in value:
            flat(one, path + "[]", into)
    else:
        into.setdefault(path, []).append(value)
    return into


def of_json(text):
    return flat(json.loads(text)) if text.strip() else {}


def of_lines(text):
    """JSON lines, by type. What is JSON in one of them is known from `trace info`."""
    into = {}
    for line in text.splitlines():
        one = json.loads(line)
        flat({key: value for key, value in one.items() if key not in ("job", "result")}, one["type"], into)
    return into


def of_table(text):
    rows = list(csv.reader(io.StringIO(text)))
    return {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])} if rows else {}


def of_picture(text):
    """The figures in a picture: labels without letters, and the numbers of short ones and of those that end in one."""
    figures = []
    for label in re.findall(r"(?s)<text[^>]*>(.*?)</text>", text):
        label = html.unescape(re.sub(r"<[^>]*>", "", label))
        last = re.fullmatch(r"\D*?(\d[\d.,]*)(?: [A-Z])?", label)
        if not re.search(r"[^\W\d_]", label):
            figures.append(label)
        elif len(label) < 9 or last:
            figures += re.findall(r"\d[\d.,]*", label)
    return {"figures": figures}


def of_chrome(text):
    into = {}
    for event in json.loads(text).get("traceEvents", []) if text.strip() else []:
        into.setdefault("times of " + event["ph"], []).append(event.get("ts", 0))
    return into


def of_xml(text):
    into = {}
    for node in ElementTree.fromstring(text).iter():
        for name, value in node.attrib.items():
            into.setdefault("%s@%s" % (node.tag, name), []).append(value)
    return into


def of_prints(text):
    """What `print KEY` of the application writes."""
    pairs = (line.split("=", 1) for line in text.splitlines() if "=" in line)
    return {key: [value] for key, value in pairs}


def _scalar(value):
    if isinstance(value, float):
        return "%.9g" % value
    return value if isinstance(value, str) and value and not re.search(r"\s|\"", value) else json.dumps(
        value, ensure_ascii=False)


def in_words(key, values):
    """One line for all values of a key."""
    if re.split(r"[.@]", key.replace("[]", ""))[-1] in SENTENCES:
        empty = sum(1 for one in values if one in ("", None))
        return "%d texts" % len(values) + (", %d of them empty" % empty if empty else "")
    text = " ".join(_scalar(one) for one in values)
    if len(text) > LONGEST:
        return "%d values, sha256 %s…" % (len(values), hashlib.sha256(text.encode()).hexdigest()[:8])
    return text


# ---- Stored results ----

class Result:
    """The sections of a stored result, each of a command or file: {heading: (notes, {key: words})}."""

    def __init__(self, text=""):
        self.sections = {}
        self.said = {}  # What commands wrote besides: the cause of a difference is often named there.
        for line in text.splitlines():
            if line.startswith("== "):
                notes, lines = self.sections.setdefault(line[3:], ([], {}))
            elif line.startswith("# "):
                if self.sections:
                    notes.append(line[2:])
            elif line:
                key, _, words = line.partition(" =")
                lines[key] = words.strip()

    def add(self, heading, values):
        self.sections[heading] = ([], {key: in_words(key, one) for key, one in values.items()})

    def text(self):
        out = []
        for heading, (notes, lines) in self.sections.items():
            out.append("== " + heading)
            out += ["# " + note for note in notes]
            out += [("%s = %s" % pair).rstrip() for pair in lines.items()] + [""]
        return "\n".join(out)

    def differences(self, now):
        """What was stored and is not so now. Further keys and layouts are no difference; a further command wants its
        result."""
        def holds(key, words, now):
            return now == words or (key == "layouts" and now and set(words.strip('"').split()) <= set(now.strip('"').split()))

        out = ["%s has no stored result" % heading for heading in now.sections if heading not in self.sections]
        for heading, (notes, lines) in self.sections.items():
            others = now.sections.get(heading, ([], {}))[1]
            wrong = [(key, words) for key, words in lines.items() if not holds(key, words, others.get(key))]
            if wrong:
                out.append(heading)
                out += ["  (%s)" % note for note in notes]
                out += ["  | " + line for line in now.said.get(heading, "").splitlines()[:8]]
            for key, words in wrong:
                out += ["  %s" % key, "    stored  %s" % words, "    now     %s" % others.get(key, "(is missing)")]
        return "\n".join(out)


def as_command(arguments):
    return shlex.join(["rankscope", *arguments])
