#!/usr/bin/env python3
"""check_phrases.py [ROOT]: does no source decide by the words of a message?

Messages, failures and diagnostics are for people. A decision asks for a typed cause (engine/core/run/cause.h), which is
set where the failure arises. Searches in such words are allowed in the parsers below alone, where text from elsewhere is
all there is.
"""
import pathlib
import re
import sys

FOLDERS = ("engine", "transports", "lessons", "gui", "cli")
MESSAGE = (r"(?<![A-Za-z0-9])(?:[a-z_]+_)?(?:message|failure|fault|trouble|diagnostics|error|problem|reason|why|says|said|"
           r"words|what|complaint|finding|advice)_?(?:\(\))?")
# run.failure.find(...), error.what().starts_with("..."), strstr(message, ...); words.find('\n') looks for a line's end.
ON_MESSAGE = re.compile(
    MESSAGE + r"(?:\.|->)(?:r?find|starts_with|ends_with|contains|compare)\((?!')|\bstrstr\([^;]*" + MESSAGE)
# failure == "timed out"; an empty text is no message.
EQUALS = re.compile(r"(?<![A-Za-z0-9])(?:message|failure|trouble|diagnostics)_?(?:\(\))? *[!=]= *\"[^\"]")

# A file's name, what stands on the line, and why it may.
ALLOWED = (
    ("cause.cpp", "", "reads words of older traces and of programs through the C interface"),
    ("cpp_program.cpp", "", "reads what a compiler printed, and shortens it for its reader"),
    ("bulk_comments.cpp", "says", "a TA names a mistake by words of the report"),
    ("check_lesson.cpp", "says.find", "an author's stored answer names the words that its verdict must have"),
    ("application.cpp", "message.", "CLI11 says in its message alone which option was wrong"),
    ("run_commands.cpp", "said.", "what a person typed"),
    ("script_commands.cpp", "what.", "the name of a value that a script waits for"),
    # What a text for people looks like, not what is done.
    ("run_report.cpp", "message.starts_with", "writes a status once where the message begins with it"),
    ("problems.cpp", "what.ends_with", "writes a place once"),
    ("step_sentence.cpp", "what.starts_with", "writes one article"),
    ("race_stages.cpp", "advice.find", "shows the first sentence"),
    ("slide_words.cpp", "said.find", "shows a sentence once"),
    ("handout.cpp", "words.find", "fills in a form"),
    # Members of JSON objects and maps.
    ("boxes.cpp", "said.", "cuts an output to its last line"),
    ("rank_starter.cpp", "said.", "JSON"),
    ("text_rules.cpp", "said.contains", "JSON"),
    ("translation.cpp", "words_.find", "a map"),
)


def allowed(file, line):
    return any(file == where and what in line for where, what, _ in ALLOWED)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2])
    found = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".cpp", ".h", ".hpp"):
                continue
            file = str(path.relative_to(root))
            for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
                code = line.split("//")[0]
                if (ON_MESSAGE.search(code) or EQUALS.search(code)) and not allowed(path.name, line):
                    found.append("%s:%d: %s" % (file, number, line.strip()))
    print("\n".join(found), end="\n" if found else "")
    if found:
        print("Ask for a typed cause instead of a message's words (engine/core/run/cause.h).", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
