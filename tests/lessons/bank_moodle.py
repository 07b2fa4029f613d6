"""Moodle XML as docs.moodle.org/en/Moodle_XML_format has it."""
import base64
import collections
import re
import xml.etree.ElementTree as ET

from bank_html import decimal, fault, html_of

COMMON = ["name", "questiontext", "generalfeedback", "defaultgrade", "penalty", "hidden", "idnumber"]
COMBINED = ["correctfeedback", "partiallycorrectfeedback", "incorrectfeedback"]
TYPES = {
    "multichoice": ["single", "shuffleanswers", "answernumbering", *COMBINED, "answer", "hint"],
    "numerical": ["answer", "unitgradingtype", "unitpenalty", "showunits", "unitsleft", "hint"],
    "shortanswer": ["usecase", "answer", "hint"],
    "matching": ["shuffleanswers", *COMBINED, "subquestion", "hint"],
    "cloze": ["hint"],
    "essay": ["responseformat", "responserequired", "responsefieldlines", "attachments",
              "attachmentsrequired", "graderinfo", "responsetemplate"],
}
MANY = {"answer", "subquestion", "hint"}
# The grades that Moodle knows (question_bank::fraction_options_full), in per cent.
FRACTIONS = {100, 90, 83.33333, 80, 75, 70, 66.66667, 60, 50, 40, 33.33333, 30, 25, 20, 16.66667,
             14.28571, 12.5, 11.11111, 10, 5, 0}
CLOZE = re.compile(r"\{(\d*):([A-Z_]+):((?:[^}\\]|\\.)*)\}")


def only_text(node, where):
    """The content of <text>, the only child but for files."""
    texts = [child for child in node if child.tag == "text"]
    if len(texts) != 1 or len(texts[0]):
        fault(where, f"<{node.tag}> needs one <text> with text only")
        return ""
    for child in node:
        if child.tag not in ("text", "file"):
            fault(where, f"<{child.tag}> in <{node.tag}>")
    return texts[0].text or ""


def formatted(node, where):
    if node.get("format") != "html" or len(node.attrib) != 1:
        fault(where, f"<{node.tag}> has format=\"html\" and nothing else")
    text = only_text(node, where)
    named = {source.removeprefix("@@PLUGINFILE@@/") for source in html_of(text, where)}
    files = set()
    for one in node.findall("file"):
        if set(one.attrib) != {"name", "path", "encoding"} or one.get("encoding") != "base64":
            fault(where, "<file> has name, path and encoding=\"base64\"")
        data = base64.b64decode(one.text or "", validate=True)
        if not (data.startswith(b"\x89PNG") or b"<svg" in data[:500]):
            fault(where, f"{one.get('name')} is no picture")
        files.add(one.get("name"))
    if named != files:
        fault(where, f"pictures named {sorted(named)}, there {sorted(files)}")
    return text


def moodle_answers(question, kind, where):
    right = total = worst = 0.0
    values = []
    for answer in question.findall("answer"):
        fraction = decimal(answer.get("fraction"), where)
        if abs(fraction) not in FRACTIONS:
            fault(where, f"fraction {fraction} is none that Moodle knows")
        right += max(fraction, 0)
        worst += min(fraction, 0)
        total += 1
        wanted = {"text", "feedback"} | ({"tolerance"} if kind == "numerical" else set())
        if {child.tag for child in answer} != wanted or len(answer) != len(wanted):
            fault(where, f"<answer> has {sorted(wanted)}")
        if set(answer.attrib) != {"fraction", "format"}:
            fault(where, "<answer> has fraction and format")
        text = answer.findtext("text") or ""
        if kind == "numerical":
            tolerance = decimal(answer.findtext("tolerance"), where)
            if tolerance < 0:
                fault(where, "a tolerance is negative")
            values.append((decimal(text, where), tolerance, fraction))
        else:
            if not text.strip():
                fault(where, "an answer is empty")
            html_of(text, where)
        formatted(answer.find("feedback"), where)
    return right, worst, total, values


def check_moodle_question(question, kind, where):
    known = COMMON + TYPES[kind]
    seen = collections.Counter(child.tag for child in question)
    for tag, count in seen.items():
        if tag not in known:
            fault(where, f"unknown element <{tag}> in {kind}")
        elif count > 1 and tag not in MANY:
            fault(where, f"<{tag}> {count} times")
    for tag in known:
        if tag not in seen and tag not in {"hint"} and not (kind == "cloze" and tag == "defaultgrade"):
            fault(where, f"<{tag}> is missing")
    text = formatted(question.find("questiontext"), where)
    if not text.strip():
        fault(where, "the question is empty")
    for tag in ("generalfeedback", "graderinfo", "responsetemplate", *COMBINED):
        for node in question.findall(tag):
            formatted(node, where)
    for hint in question.findall("hint"):
        formatted(hint, where)
    for tag in ("defaultgrade", "penalty", "unitpenalty"):
        if question.find(tag) is not None:
            decimal(question.findtext(tag), where)
    blanks = CLOZE.findall(text)
    if kind == "cloze":
        if not blanks or text.count("{") != len(blanks):
            fault(where, "its blanks cannot be read")
        for weight, word, answers in blanks:
            if not weight or word not in ("NUMERICAL", "SHORTANSWER") or not answers.startswith("="):
                fault(where, f"blank {word}: {answers}")
            if word == "NUMERICAL":
                value, _, tolerance = answers[1:].partition(":")
                decimal(value, where), decimal(tolerance, where)
    elif kind == "matching":
        parts = question.findall("subquestion")
        answers = {part.findtext("answer/text") for part in parts}
        if len(parts) < 2 or len(answers) != len(parts):
            fault(where, "a matching needs two pairs or more, with different answers")
        for part in parts:
            html_of(part.findtext("text") or "", where)
    elif kind == "multichoice":
        right, worst, total, _ = moodle_answers(question, kind, where)
        if total < 2 or abs(right - 100) > 0.001:
            fault(where, f"the right answers give {right} %")
        if question.findtext("single") == "false" and worst > -99.9 and worst != 0:
            fault(where, f"all wrong answers cost {worst} %")
        if question.findtext("single") not in ("true", "false"):
            fault(where, "<single> is true or false")
    elif kind == "numerical":
        _, _, _, values = moodle_answers(question, kind, where)
        if not values or values[0][2] != 100:
            fault(where, "the first answer is the right one")
        for value, _, fraction in values[1:]:
            for right, tolerance, full in values:
                if full == 100 and fraction < 100 and abs(value - right) <= tolerance:
                    fault(where, f"the known mistake {value} counts as right")
    elif kind == "essay":
        if question.findtext("responseformat") not in ("editor", "noinline"):
            fault(where, "unknown responseformat")


def check_moodle(path):
    root = ET.parse(path).getroot()
    if root.tag != "quiz" or root.attrib:
        fault(path, "the root is <quiz>")
    counts, ids, category = collections.Counter(), set(), None
    for number, question in enumerate(root, 1):
        where = f"question {number}"
        if question.tag != "question" or set(question.attrib) != {"type"}:
            fault(where, "is a <question type=…>")
            continue
        kind = question.get("type")
        if kind == "category":
            category = question.findtext("category/text")
            if not category or not category.startswith("$course$/"):
                fault(where, f"category {category}")
            continue
        where = f"{where} ({question.findtext('idnumber')})"
        if category is None:
            fault(where, "before the first category")
        if kind not in TYPES:
            fault(where, f"unknown type {kind}")
            continue
        counts[kind] += 1
        if not (only_text(question.find("name"), where)).strip():
            fault(where, "has no name")
        key = (category, question.findtext("idnumber"))
        if key in ids or len(key[1] or "") > 100:
            fault(where, "its idnumber is not unique, or too long")
        ids.add(key)
        check_moodle_question(question, kind, where)
    return counts
