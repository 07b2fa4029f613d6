"""The stored files of the application: opened by rankscope-gui on a screen of its own."""
import contextlib
import os
import shutil
import subprocess

from compat import FILES, HERE, Result, binary, environment, of_json, of_prints

# Sentences, and what depends on the moment at which it is asked.
NOT_COMPARED = {"message", "problem", "events", "end", "lesson.busy"}
# They make real runs: figures of these are compared, not times.
RECORDINGS = {"gui-lecture": "lecture.rankscript", "gui-workspace": "ring.rankscript"}
SETTINGS = {"gui-settings": "settings.json", "gui-settings-partly": "settings-partly.json"}
# Views of 0.1.0 that another one has taken over.
TAKEN_OVER = {"graph": "stage", "processes": "stage"}
# What no file says: the layout that fresh settings begin with, how many lines change it, and the moment at which a
# run opens.
NOT_IN_FILES = {
    "gui-workspace": {"undo"},
    "gui-lecture": {"moment", "view.side_lower"},
    "gui-lesson": {"view.main", "view.lower", "view.side", "view.side_lower"},
    "gui-settings-partly": {"view.main", "view.lower", "view.side_lower", "layout.lower", "layout.right",
                            "layout.views.main", "layout.views.lower", "layout.views.side_lower"},
}
LESSON = ["student gus", "lesson kinds", "wait lesson kinds", "wait lesson.busy no"]
CASES = [*RECORDINGS, *SETTINGS, "gui-lesson"]


def was_built():
    return (binary().parent / "rankscope-gui").exists()


def missing():
    """What the application needs and is not here."""
    if not was_built():
        return "rankscope-gui was not built"
    return "" if shutil.which("Xvfb") else "there is no Xvfb"


@contextlib.contextmanager
def screen():
    server = subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp",
                               "-noreset"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield ":" + server.stdout.readline().strip()
    finally:
        server.terminate()
        server.wait()


def values():
    return (HERE / "names" / "gui-values.txt").read_text(encoding="utf-8").split()


def result_of(name, folder):
    """What the application says of itself after it has read the file, and the settings that it leaves."""
    files = folder / "files"
    shutil.copytree(FILES, files)
    shutil.copytree(files / "progress", folder / "data" / "rankscope" / "progress")
    settings = folder / "config" / "rankscope" / "gui.json"
    settings.parent.mkdir(parents=True)
    lines = ["welcome off"]
    if name in SETTINGS:
        shutil.copy(files / "gui" / SETTINGS[name], settings)
        lines = []
    if name in RECORDINGS:
        lines += (files / "gui" / RECORDINGS[name]).read_text(encoding="utf-8").splitlines()
    if name == "gui-lesson":
        lines += LESSON
    asked = [key for key in values() if name == "gui-lesson" or not key.endswith(".number")]
    lines += ["wait 0.3", *("print " + key for key in asked), "motion on", "quit"]
    script = folder / "script.rankscript"
    script.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with screen() as display:
        variables = {**environment(folder, files / "lessons"), "DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1"}
        variables.pop("WAYLAND_DISPLAY", None)
        done = subprocess.run([str(binary().parent / "rankscope-gui"), "--size", "1280x800", "--script", str(script)],
                              cwd=files / "gui", env=variables, text=True, timeout=1000, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    result = Result()
    printed = {key: value for key, value in of_prints(done.stdout).items() if key not in NOT_COMPARED}
    result.add(name, {"exit code": [done.returncode], **printed})
    if name in SETTINGS:
        result.add("gui.json that it leaves", of_json(settings.read_text(encoding="utf-8")))
    return result, done.stderr


def stored_result(name):
    stored = Result((HERE / "results" / (name + ".txt")).read_text(encoding="utf-8"))
    for _, lines in stored.sections.values():
        for key in NOT_IN_FILES.get(name, ()):
            lines.pop(key, None)
        for key, words in lines.items():
            lines[key] = TAKEN_OVER.get(words, words) if "view" in key else words
    return stored


def in_ci():
    return os.environ.get("CI") in ("true", "1")
