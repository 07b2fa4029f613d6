"""Answer sheets with one slip each: quotes, brackets, encodings. All other answers count, and no loss is without a remark.

    test_damaged_sheets.py [--sheets N] [--seed N] [--show N]

As a script it tries 3,000 sheets, which takes some minutes, and prints what was lost by kind of slip; in the suite twenty.
RANKSCOPE_BINARY names the command.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

COURSES = ("homework", "send-recv", "tutorial")
WORDS = ("Each rank waits for its left neighbour's data, so nobody sends.",
         "The sends are buffered on the laptop; with larger data they wait (rendezvous).",
         "It isn't blocked: \u201cring\u201d means 2(N - 1) steps, about 50 % of them for the sum.")


def rankscope(*arguments):
    return subprocess.run([os.environ.get("RANKSCOPE_BINARY", "rankscope"), *map(str, arguments)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)


def some_answer(question, rng):
    """What somebody may write to this question of a sheet, whose text is in comments."""
    if "few sentences" in question:
        return '"""\n%s\n%s\n"""' % (rng.choice(WORDS), rng.choice(WORDS)) if rng.random() < 0.7 else '"%s"' % WORDS[0]
    example = re.search(r'for example: "([^"]*)"', question.replace("\n# ", " "))
    if "formula" in question:
        return rng.choice(('"2*ceil(log2(N))"', '"(n - 2^(i-1)) mod N"', "'2 (N - 1) (t + D/(N b))'", '"t + D/b"'))
    if "one letter" in question:
        return rng.choice(('"b"', "'a'", '"c"'))
    if "letters of all" in question:
        return rng.choice(('"a, b"', '["a", "c"]', '"b, d"'))
    if example:
        numbers = iter(range(1, 99))
        return '"%s"' % re.sub("\u2026", lambda _: "%d, %d" % (next(numbers), next(numbers)), example.group(1))
    return rng.choice(('"10"', "[1, 2, 3, 4]", '"1, 2, 3, 4"', "12"))


def filled(sheet, rng):
    """The sheet with answers, and the keys of those, in order."""
    out, question, keys = [], "", []
    lines = iter(sheet.split("\n"))
    for line in lines:
        found = re.fullmatch(r'("[a-z0-9-]+/[a-z0-9-]+") = (""|""")', line)
        if found is None:
            question = question + line + "\n" if line.startswith("#") else question if line else ""
            out.append(line.replace('student = ""', 'student = "Zo\u00eb M\u00fcller"'))
            continue
        if found.group(2) == '"""':
            next(lines)
        out.append("%s = %s" % (found.group(1), some_answer(question, rng)))
        keys.append(found.group(1).strip('"'))
    return "\n".join(out), keys


def entries(text, keys):
    """Where each answer stands in the text: key, begin, end."""
    begins = [(key, text.index('"%s" = ' % key)) for key in keys]
    out = []
    for key, begin in begins:
        value = begin + len(key) + 5
        end = text.index('"""', value + 3) + 3 if text.startswith('"""', value) else text.find("\n", value)
        out.append((key, begin, end if end > 0 else len(text)))
    return out


def replaced(text, begin, end, by):
    return text[:begin] + by + text[end:]


def one_of(signs):
    """A slip that acts on one of these signs in an answer's entry."""
    def pick(text, begin, end, rng):
        places = [at for at in range(begin, end) if text[at] in signs]
        return rng.choice(places) if places else None
    return pick


def drop(signs):
    pick = one_of(signs)

    def slip(text, begin, end, rng):
        at = pick(text, begin, end, rng)
        return None if at is None else replaced(text, at, at + 1, "")
    return slip


def swap(signs, others):
    pick = one_of(signs)

    def slip(text, begin, end, rng):
        at = pick(text, begin, end, rng)
        return None if at is None else replaced(text, at, at + 1, rng.choice(others))
    return slip


def insert(signs):
    def slip(text, begin, end, rng):
        at = rng.randrange(text.index("=", begin), end + 1)
        return replaced(text, at, at, rng.choice(signs))
    return slip


def bare(text, begin, end, _):
    value = text.index("=", begin) + 2
    return replaced(text, value, end, text[value:end].strip("\"'"))


def twice(text, begin, end, _):
    return replaced(text, end, end, "\n" + text[begin:end])


def cut_line(text, begin, end, rng):
    at = rng.randrange(begin, end)
    return replaced(text, at, at, "\n")


def comment_lost(text, begin, _, rng):
    hashes = [one.start() for one in re.finditer(r"^# ", text[:begin], re.M)]
    at = rng.choice(hashes[1:])
    return replaced(text, at, at + 2, "")


def header(change):
    def slip(text, *_):
        return text.replace("[answers]", change, 1)
    return slip


def open_text(text, begin, end, rng):
    if not text[:end].endswith('"""'):
        return None
    return replaced(text, end - 3, end, rng.choice(("", '"', '""')))


SLIPS = {
    "a quote is missing": drop("\"'"), "a quote too many": insert("\"'"),
    "curly quotes": swap("\"'", "\u201c\u201d\u2018\u2019\u00ab\u201e"), "another quote": swap("\"'", "'\"`\u00b4"),
    "a long text is open": open_text, "no quotes": bare,
    "a bracket is missing": drop("[](){}"), "a bracket too many": insert("[](){}"),
    "another bracket": swap("[](){}", "[](){}\uff08"), "a comma is missing": drop(","), "a comma too many": insert(","),
    "no equals sign": drop("="), "another equals sign": swap("=", (":", "==", "\uff1d", "=>")),
    "a backslash": insert("\\"), "the answer twice": twice, "a line is broken": cut_line,
    "a comment's sign is missing": comment_lost,
    "the header's bracket is missing": header("[answers"), "the header without brackets": header("answers"),
    "another header": header("[Answers]"), "no header": header(""),
    "a sign that nobody sees": insert("\u200b\u00a0\ufeff\u2028\u202e\x0c"), "a control sign": insert("\x00\x07\x1b\r"),
}
ENCODINGS = {
    "UTF-16": lambda text, rng: text.encode(rng.choice(("utf-16", "utf-16-le", "utf-16-be"))),
    "a byte order mark": lambda text, rng: b"\xef\xbb\xbf" + text.encode(),
    "Windows-1252": lambda text, rng: text.encode("cp1252", errors="replace"),
    "lines of a Mac": lambda text, rng: text.replace("\n", "\r").encode(),
    "lines of Windows": lambda text, rng: text.replace("\n", "\r\n").encode(),
    "half a character": lambda text, rng: half_character(text, rng),
    "UTF-32": lambda text, rng: text.encode("utf-32"),
}


def half_character(text, rng):
    at = text.index("=", rng.choice([one.start() for one in re.finditer(r'^"', text, re.M)])) + 3
    return text[:at].encode() + b"\xc3" + text[at:].encode()


def damaged(text, keys, rng):
    """Kind of slip, key of the answer that it hits ("" for none), and the bytes; one slip."""
    while True:
        if rng.random() < 0.15:
            kind = rng.choice(sorted(ENCODINGS))
            return kind, "", ENCODINGS[kind](text, rng)
        kind = rng.choice(sorted(SLIPS))
        key, begin, end = rng.choice(entries(text, keys))
        out = SLIPS[kind](text, begin, end, rng)
        if out is not None and out != text:
            return kind, key, out.encode()


def graded(folder, course):
    """By student's folder: the outputs by exercise, and the remarks."""
    done = rankscope("grade", course, folder / course, "--out", folder / ("out-" + course), "--format", "results", "--seal",
                     folder / "seal")
    out = {}
    for file in (folder / ("out-" + course)).glob("*/results.json"):
        row = json.loads(file.read_text(encoding="utf-8"))
        ours = row["extra_data"]["rankscope"]["row"]
        name = pathlib.Path(ours["submission"]).stem
        out[name] = ({test["extra_data"].get("exercise"): test["output"] for test in row["tests"]}, ours["complaints"])
    assert out, done.stdout
    return out


def try_sheets(count, seed):
    """Others that counted, all others, losses by kind, and sheets that lost something without a remark."""
    rng = random.Random(seed)
    counted = others = 0
    lost, silent, sheets = collections.Counter(), [], {}
    with tempfile.TemporaryDirectory(prefix="rankscope-sheets-") as name:
        folder = pathlib.Path(name)
        for course in COURSES:
            rankscope("lesson", "export", course, "--sheet", "--output", folder / (course + ".sheet"))
            text, keys = filled((folder / (course + ".sheet")).read_text(encoding="utf-8"), rng)
            (folder / course).mkdir()
            (folder / course / "whole.toml").write_text(text, encoding="utf-8")
            for number in range(count // len(COURSES) + (COURSES.index(course) < count % len(COURSES))):
                kind, key, data = damaged(text.replace("M\u00fcller", "M\u00fcller %05d" % number), keys, rng)
                sheets[course, "s%05d" % number] = (kind, key, data)
                (folder / course / ("s%05d.toml" % number)).write_bytes(data)
            results = graded(folder, course)
            whole, known = results["whole"]
            for (of, student), (kind, key, _) in sheets.items():
                if of != course:
                    continue
                now, said = results[student]
                said = set(said) - set(known)
                rest = [one for one in keys if one != key]
                missing = [one for one in rest if now.get(one) != whole[one]]
                others += len(rest)
                counted += len(rest) - len(missing)
                lost[kind] += len(missing)
                if (missing or (key and now.get(key) != whole[key] and "Not answered" in now.get(key, "Not answered"))) and not said:
                    silent.append((course, student, kind, key, missing))
    return counted, others, lost, silent, sheets


def test_one_slip_costs_one_answer():
    counted, others, lost, silent, _ = try_sheets(20, 7)
    assert counted >= 0.95 * others, lost
    assert not silent


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--sheets", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=10, help="sheets that lost something without a remark")
    options = parser.parse_args()
    counted, others, lost, silent, sheets = try_sheets(options.sheets, options.seed)
    tried = collections.Counter(kind for kind, _, _ in sheets.values())
    for kind, count in sorted(tried.items()):
        print("%-34s %5d sheets %6d other answers lost" % (kind, count, lost[kind]))
    print("%d of %d other answers count: %.2f %%; %d sheets lost something without a remark" %
          (counted, others, 100 * counted / others, len(silent)))
    for one in silent[:options.show]:
        print(*one)
        print(sheets[one[0], one[1]][2].decode(errors="replace") if one[3] == "" else "")
    sys.exit(counted < 0.95 * others or bool(silent))


if __name__ == "__main__":
    main()
