#!/usr/bin/env python3
"""check_phrases.py [ROOT]: complains about sources that decide by the words of a message.

Messages, failures and diagnostics are for people. A decision asks for a typed cause (engine/core/run/outcome.h), which is
set where the failure arises. ALLOWED lists the lines that may search in such words, with the reason. A message is known
by its name. A copy of one is followed to the end of its block, but not into a call or out of a return.
"""
import pathlib
import re
import sys

FOLDERS = ("engine", "transports", "lessons", "gui", "cli")
ENDINGS = (".cpp", ".h", ".hpp", ".py")
# Names that mean a message however they are used, and names that mean one only when they are searched.
MESSAGES = r"(?:message|failure|fault|trouble|diagnostics|error|err|exc|exception|reason|complaint|says|stderr)"
OTHERS = r"(?:problem|why|said|words|what|finding|advice)"
# Comments, which become blanks, and strings, whose text becomes x.
CPP_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
                      r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.DOTALL)
PY_TEXT = re.compile(r'#[^\n]*|"""(?:\\.|.)*?"""|' + r"'''(?:\\.|.)*?'''|"
                     r'"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])*'",
                     re.DOTALL)

# A file's path, a part of the line, and why it is allowed.
ALLOWED = (
    # Words from elsewhere, where nothing else says it.
    ("engine/core/run/outcome.cpp", "if (!error.ends_with(kEnd)) return false;", "words of older traces and other programs"),
    ("engine/core/run/outcome.cpp", 'error.rfind(": rank ")', "words of older traces and other programs"),
    ("engine/core/run/outcome.cpp", "return error.find(words)", "words of older traces and other programs"),
    ("engine/core/run/outcome.cpp", "return error.starts_with(prefix)", "words of older traces and other programs"),
    ("engine/core/run/outcome.cpp", "words.find(ending)", "the class that a student's error names"),
    ("engine/core/run/outcome.cpp", 'what.starts_with("was killed")', "words of older traces"),
    ("lessons/coding/cpp_program.cpp", "said.find(k", "what a library's check or a compiler printed"),
    ("lessons/coding/cpp_program.cpp", 'said.find("static assertion failed")', "what a compiler printed"),
    ("lessons/python/rankscope/contract.py", "os.strerror(number) in str(error)", "C++ libraries give only these words"),
    ("cli/application.cpp", 'message.find("At Most 1 ")', "CLI11 says in its message alone what was wrong"),
    ("cli/application.cpp", 'message.starts_with("Could not convert: ")', "CLI11 says in its message alone what was wrong"),
    ("cli/application.cpp", 'message.find(" = ")', "CLI11 says in its message alone which option was wrong"),
    # What a person wrote.
    ("gui/monkey.cpp", 'command.words.front().find("ranks', "a command"),
    ("gui/state/app/run_commands.cpp", 'said.starts_with("race ")', "a command"),
    ("lessons/reports/gradebook.cpp", "item.verdict.says", "a TA names a mistake by words of the report"),
    ("lessons/course/check_lesson.cpp", "got.says.find(says)", "an author names the words that a verdict must have"),
    ("lessons/handout/handout.cpp", 'words.find("{}")', "fills in a form"),
    # What a text for people looks like, not what is done.
    ("cli/run/run_report.cpp", "message.starts_with(what)", "writes a status once where the message begins with it"),
    ("gui/state/run/problems.cpp", 'what.ends_with(": " + one.where)', "writes a place once"),
    ("engine/analysis/narration/step_sentence.cpp", 'what.starts_with("one ")', "writes one article"),
    ("engine/analysis/findings/findings_lost.cpp", 'error.rfind(" (")', "the place behind an error, and the same words once"),
    ("engine/analysis/findings/findings_lost.cpp", "error.find(words)", "words of the library of C++ and of sanitizers"),
    ("engine/analysis/findings/findings_lost.cpp", 'error.find(": rankscope.")', "shows the sentences after the first one"),
    ("engine/analysis/meant/wrong_lines.cpp", "finding.what.starts_with(old)", "writes another place in its place"),
    ("engine/diagrams/stage/race_stages.cpp", "advice.find(", "shows the first sentence"),
    ("lessons/coding/judge.cpp", "ranges::find(out.faults, fault.says", "writes the same words once"),
    ("lessons/slides/slide_words.cpp", "said.find(text_of(sentence))", "shows a sentence once"),
    # Members of JSON objects and maps, numbers, and keys.
    ("gui/views/lesson/lesson_code.cpp", 'rule.failure == "deadlock"', "how the run ended, by its name"),
    ("engine/diagrams/spacetime/spacetime_plan.cpp", "planned.message, &LiveOffer::planned", "a number"),
    ("lessons/coding/rank_starter.cpp", 'said.find("others")', "JSON"),
    ("lessons/coding/rank_starter.cpp", 'said.contains("ended")', "JSON"),
    ("lessons/coding/text_rules.cpp", "said.contains(what)", "JSON"),
    ("lessons/course/translation.cpp", "words_.find(english)", "a map"),
)


def blanked(text, python):
    """Returns `text` with its length and lines kept, its comments blank and each of its strings as as many letters x."""
    def blank(match):
        found = match.group(0)
        if found.startswith(("//", "/*", "#")) or (python and found.startswith(('"""', "'''"))):
            return re.sub(r"[^\n]", " ", found)
        if found.startswith("'") and not python:
            return "'" + "x" * (len(found) - 2) + "'"
        return '"' + re.sub(r"[^\n]", "x", found[1:-1]) + '"'
    return (PY_TEXT if python else CPP_TEXT).sub(blank, text)


# What may stand behind the name and before it: run.failures[0], std::string(error.what()), error.args[0].lower().
STEPS = (r"(?:\s*(?:\)|\}|\.args\b(?:\[\w+\])?|"
         r"(?:\.|->)(?:str|value|text|c_str|data|what|lower|strip|casefold|substr|front|back)\b(?:\([^()]*\))?))*")
OWNER = r"(?:(?:std::)?(?:string_view|string|str|repr)[({]\s*)?[*&]?(?:\w+(?:\(\)|\[\w*\])?(?:\.|->))*"
METHODS = (r"\s*(?:\.|->)\s*(?:r?find|find_first_of|starts_with|ends_with|contains|compare|startswith|endswith|removeprefix|"
           r"removesuffix|partition)\s*\((?!\s*'x)")  # words.find('\n') looks for a line's end
CALLS = (r"(?<!\w)(?:(?:std::)?regex_(?:search|match)|(?:std::)?str(?:n|case|ncase)?cmp|(?:std::)?strstr|(?:std::)?mem(?:cmp|mem)|"
         r"(?:\w+_)?(?:has|contains|mentions|starts_with|ends_with)(?:_\w+)?|std::(?:search|equal)|"
         r"(?:std::)?ranges::(?:search|find|contains|equal|starts_with|ends_with)|re\.\w+)\s*\((?:[^;(){}]|\([^;(){}]*\))*?")
LOOP = re.compile(r"\bfor\s+(?:(?!\b(?:if|in)\b)[\w\s,()*])+$")  # what stands before the "in" of a loop


def named(names):
    """Returns the expression of a name that ends in one of `names`, such as last_failure_ or failures[0]."""
    return r"(?<![\w:\"])(?:[a-z]+_)*" + names + r"(?:_?(?!\w)(?:\(\))?|s_?(?:\[[^\]\n]*\]|\.(?:front|back)\(\)))" + STEPS


def decisions(message, python):
    """Returns the expressions that decide by the words of `message`."""
    result = [
        message + METHODS,
        CALLS + r"(?:" + OWNER + r")?" + message + r"\s*(?=[,)])",
        message + r"\s*[=!]=\s*\"x",
        r"x\"(?:sv|s)?\s*[=!]=\s*" + OWNER + message,
    ]
    if python:
        result.append(r"(?<!\w)in\s+" + OWNER + message + r"(?!\s*[.\w])")
    return result


def hits(text, python):
    """Yields the places in `text` (blanked) where words decide."""
    def places(pattern, begin, end):
        for match in re.compile(pattern).finditer(text, begin, end):
            line = text.rfind("\n", 0, match.start()) + 1
            if not (python and match.group(0).startswith("in") and LOOP.search(text, line, match.start())):
                yield match.start()

    message = r"(?:" + named(MESSAGES) + r"|(?<!\w)what\(\)" + STEPS + r")"
    for pattern in decisions(message, python) + [named(OTHERS) + METHODS]:
        yield from places(pattern, 0, len(text))
    kind = r"^[ \t]*" if python else r"(?<!\w)(?:auto|string|string_view|char)\b\s*[&*]*\s*"
    for match in re.finditer(kind + r"(\w+)\s*[=({]\s*" + OWNER + message + r"\s*(?:;|$)", text, re.MULTILINE):
        end = end_of_block(text, match.end(), python, match.start())
        for pattern in decisions(r"(?<![\w.:\"])" + match.group(1) + r"(?!\w)" + STEPS, python):
            yield from places(pattern, match.end(), end)


def end_of_block(text, place, python, start):
    """Returns where the block ends in which a copy is made, from `start` to `place`."""
    if python:
        line = text.rfind("\n", 0, start + 1) + 1
        deep = len(re.match(r"[ \t]*", text[line:]).group(0))
        closed = re.compile(r"\n[ \t]{0,%d}\S" % (deep - 1) if deep else r"\Z").search(text, place)
        return closed.start() if closed else len(text)
    depth = 0
    for at in range(place, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth < 0:
            return at
    return len(text)


def allowed(file, line):
    """Returns the entries of ALLOWED that let the line through."""
    return [entry for entry in ALLOWED if file == entry[0] and entry[1] in line]


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2])
    sources = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*")) if path.suffix in ENDINGS]
    if not sources:
        print("check_phrases.py: no sources in %s" % root, file=sys.stderr)
        return 2
    found, used, files = [], [], set()
    for path in sources:
        file = path.relative_to(root).as_posix()
        files.add(file)
        text = path.read_text(encoding="utf-8", errors="replace")
        lines = text.split("\n")
        code = blanked(text, path.suffix == ".py")
        for number in sorted({code.count("\n", 0, place) + 1 for place in hits(code, path.suffix == ".py")}):
            let_through = allowed(file, lines[number - 1])
            used += let_through
            if not let_through:
                found.append("%s:%d: %s" % (file, number, lines[number - 1].strip()))
    for entry in ALLOWED:
        if entry[0] in files and entry not in used:
            found.append("check_phrases.py: %s has no line with %s any more; take it out of ALLOWED" % entry[:2])
    print("\n".join(found), end="\n" if found else "")
    if found:
        print("Ask for a typed cause instead of a message's words (engine/core/run/outcome.h).", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
