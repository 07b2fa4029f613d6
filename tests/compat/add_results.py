"""Writes the results of stored files and of commands that have none yet; those that are there stay as they are."""
import pathlib
import tempfile

import gui
from cases import Session, cases
from compat import HERE, Result


def result_of(name, folder):
    if name in gui.CASES:
        return gui.result_of(name, folder)[0]
    session = Session(folder)
    cases()[name](session)
    return session.result


def add(name):
    path = HERE / "results" / (name + ".txt")
    stored = Result(path.read_text(encoding="utf-8") if path.exists() else "")
    with tempfile.TemporaryDirectory() as folder:
        now = result_of(name, pathlib.Path(folder))
    new = [heading for heading in now.sections if heading not in stored.sections]
    for heading in new:
        stored.sections[heading] = now.sections[heading]
        print("added to %s: %s" % (name, heading))
    if new:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(stored.text(), encoding="utf-8")


if __name__ == "__main__":
    for case in [*cases(), *([] if gui.missing() else gui.CASES)]:
        add(case)
