"""QTI 2.1 as its Information Model has it (IMS, 2012), in an IMS content package (1.1.4)."""
import collections
import re
import xml.etree.ElementTree as ET
import zipfile

from bank_html import BLOCK, check_html, decimal, fault, local

QTI = "{http://www.imsglobal.org/xsd/imsqti_v2p1}"
CP = "{http://www.imsglobal.org/xsd/imscp_v1p1}"
IDENTIFIER = re.compile(r"^[A-Za-z_][A-Za-z0-9_.\-]*$")
ITEM_ORDER = ["responseDeclaration", "outcomeDeclaration", "itemBody", "responseProcessing",
              "modalFeedback"]
TEMPLATES = {"http://www.imsglobal.org/question/qti_v2p1/rptemplates/" + name
             for name in ("match_correct", "map_response")}
INTERACTIONS = {  # the cardinalities and types of the response that each binds to
    "choiceInteraction": ({"single", "multiple"}, {"identifier"}),
    "orderInteraction": ({"ordered"}, {"identifier"}),
    "textEntryInteraction": ({"single"}, {"float", "string", "integer"}),
    "extendedTextInteraction": ({"single"}, {"string"}),
}
INTERACTION_ATTRIBUTES = {
    "choiceInteraction": {"responseIdentifier", "shuffle", "maxChoices"},
    "orderInteraction": {"responseIdentifier", "shuffle"},
    "textEntryInteraction": {"responseIdentifier", "expectedLength"},
    "extendedTextInteraction": {"responseIdentifier", "expectedLines"},
}
# Elements of response processing: attributes, and the number of children (None: one or more).
RULES = {
    "responseProcessing": (set(), None), "responseCondition": (set(), 1), "responseIf": (set(), 2),
    "equal": ({"toleranceMode", "tolerance"}, 2), "stringMatch": ({"caseSensitive"}, 2),
    "match": (set(), 2), "or": (set(), None), "sum": (set(), None), "variable": ({"identifier"}, 0),
    "correct": ({"identifier"}, 0), "baseValue": ({"baseType"}, 0),
    "setOutcomeValue": ({"identifier"}, 1),
}


def check_rules(node, where, responses, outcomes):
    name = local(node.tag)
    if name not in RULES:
        return fault(where, f"unknown rule <{name}>")
    attributes, children = RULES[name]
    if not set(node.attrib) <= attributes:
        fault(where, f"attributes of <{name}>: {sorted(node.attrib)}")
    if children is None and not len(node) or children is not None and len(node) != children:
        fault(where, f"<{name}> has {len(node)} children")
    named = node.get("identifier")
    if name == "correct" and named not in responses:
        fault(where, f"no response {named}")
    if name == "variable" and named not in responses and named not in outcomes:
        fault(where, f"no variable {named}")
    if name == "setOutcomeValue" and named not in outcomes:
        fault(where, f"no outcome {named}")
    if name == "equal":
        mode, tolerance = node.get("toleranceMode"), node.get("tolerance")
        if mode not in ("exact", "absolute") or (mode == "exact") != (tolerance is None):
            fault(where, f"equal: {mode}, tolerance {tolerance}")
        if tolerance is not None and any(float(one) < 0 for one in tolerance.split()):
            fault(where, "a tolerance is negative")
    if name == "baseValue":
        typed(node.text, node.get("baseType"), where)
    for child in node:
        check_rules(child, where, responses, outcomes)


def typed(text, kind, where):
    if kind == "float":
        decimal(text, where)
    elif kind == "identifier":
        if not IDENTIFIER.match(text or ""):
            fault(where, f"{text!r} is no identifier")
    elif kind != "string":
        fault(where, f"baseType {kind}")


def check_declarations(item, where):
    responses, outcomes = {}, {}
    for node in item.findall(QTI + "responseDeclaration"):
        if set(node.attrib) != {"identifier", "cardinality", "baseType"}:
            fault(where, f"responseDeclaration: {sorted(node.attrib)}")
        name, kind = node.get("identifier"), node.get("baseType")
        if name in responses:
            fault(where, f"two responses {name}")
        right = [value.text for value in node.findall(f"{QTI}correctResponse/{QTI}value")]
        for value in right:
            typed(value, kind, where)
        if node.get("cardinality") == "single" and len(right) > 1:
            fault(where, f"{name} has several right values")
        if [local(child.tag) for child in node] not in ([], ["correctResponse"],
                                                        ["correctResponse", "mapping"]):
            fault(where, "responseDeclaration: correctResponse, then mapping")
        responses[name] = (node.get("cardinality"), kind, right, node.find(QTI + "mapping"))
    for node in item.findall(QTI + "outcomeDeclaration"):
        if node.get("identifier") in outcomes or node.get("identifier") in responses:
            fault(where, "an outcome's name is there twice")
        value = node.findtext(f"{QTI}defaultValue/{QTI}value")
        typed(value, node.get("baseType"), where)
        outcomes[node.get("identifier")] = value
    return responses, outcomes


def check_interactions(item, responses, where):
    found, bound = [], set()
    for node in item.find(QTI + "itemBody").iter():
        name = local(node.tag)
        if name not in INTERACTIONS:
            continue
        found.append(name)
        if not set(node.attrib) <= INTERACTION_ATTRIBUTES[name]:
            fault(where, f"{name}: {sorted(node.attrib)}")
        response = node.get("responseIdentifier")
        if response not in responses or response in bound:
            fault(where, f"{name} is bound to {response}")
            continue
        bound.add(response)
        cardinality, kind, right, mapping = responses[response]
        cardinalities, kinds = INTERACTIONS[name]
        if cardinality not in cardinalities or kind not in kinds:
            fault(where, f"{name} with {cardinality} {kind}")
        choices = [choice.get("identifier") for choice in node.findall(QTI + "simpleChoice")]
        if len(set(choices)) != len(choices):
            fault(where, "two choices have one identifier")
        if name in ("choiceInteraction", "orderInteraction"):
            if len(choices) < 2 or not right or not set(right) <= set(choices):
                fault(where, f"choices {choices}, right {right}")
            for choice in node.findall(QTI + "simpleChoice"):
                check_html(choice, where)
        if name == "choiceInteraction":
            most = int(node.get("maxChoices"))
            if (cardinality == "single") != (most == 1):
                fault(where, f"maxChoices {most} with {cardinality}")
        if name == "orderInteraction" and (choices == right or set(choices) != set(right)):
            fault(where, "it stands in the right order, or the key lacks a choice")
        if mapping is not None:
            keys = {entry.get("mapKey"): float(entry.get("mappedValue")) for entry in mapping}
            if set(keys) != set(choices):
                fault(where, "the mapping's keys are not the choices")
            score = sum(keys[one] for one in right)
            if abs(score - float(mapping.get("upperBound"))) > 1e-6:
                fault(where, f"the right choices give {score}")
    if bound != set(responses):
        fault(where, f"responses {sorted(set(responses) - bound)} are nowhere asked for")
    if len(set(found)) != 1 or (len(found) > 1 and found[0] != "textEntryInteraction"):
        fault(where, f"interactions {found}")
    return found[0] if found else "none"


def check_item(package, name, identifier):
    item = ET.fromstring(package.read(name))
    where = name
    if item.tag != QTI + "assessmentItem" or item.get("identifier") != identifier:
        fault(where, f"is no item {identifier}")
    for attribute in ("title", "adaptive", "timeDependent"):
        if not item.get(attribute):
            fault(where, f"{attribute} is missing")
    order = [ITEM_ORDER.index(local(child.tag)) if local(child.tag) in ITEM_ORDER else -1
             for child in item]
    if -1 in order or order != sorted(order):
        fault(where, f"order of {[local(child.tag) for child in item]}")
    responses, outcomes = check_declarations(item, where)
    body = item.find(QTI + "itemBody")
    for child in body:
        if local(child.tag) not in BLOCK | {"rubricBlock"} | set(INTERACTIONS) - {"textEntryInteraction"}:
            fault(where, f"<{local(child.tag)}> in <itemBody>")
        if local(child.tag) in BLOCK | {"rubricBlock"}:
            check_html(child, where, {"textEntryInteraction"})
        if local(child.tag) == "rubricBlock" and child.get("view") != "scorer":
            fault(where, "rubricBlock is for the scorer")
    kind = check_interactions(item, responses, where)
    rules = item.find(QTI + "responseProcessing")
    most = float(outcomes.get("MAXSCORE", "nan"))
    if rules is None:
        if kind != "extendedTextInteraction":
            fault(where, "nothing says how it is scored")
    elif rules.get("template"):
        if rules.get("template") not in TEMPLATES or len(rules):
            fault(where, f"template {rules.get('template')}")
    else:
        check_rules(rules, where, responses, outcomes)
        if kind == "textEntryInteraction":
            given = [float(one.text) for one in rules.iterfind(f".//{QTI}sum/{QTI}baseValue")]
            if len(given) != len(responses) or abs(sum(given) - most) > 1e-6 * max(1, most):
                fault(where, f"all right gives {sum(given)} of {most}")
    for feedback in item.findall(QTI + "modalFeedback"):
        if feedback.get("outcomeIdentifier") not in outcomes or feedback.get("showHide") != "show":
            fault(where, "modalFeedback needs an outcome")
        check_html(feedback, where)
    return kind, [image.get("src") for image in body.iter(QTI + "img")]


def check_package(path):
    package = zipfile.ZipFile(path)
    if package.testzip() is not None:
        fault(path, "is damaged")
    names = package.namelist()
    if len(set(names)) != len(names) or "imsmanifest.xml" not in names:
        fault(path, "imsmanifest.xml is missing, or a file is there twice")
    manifest = ET.fromstring(package.read("imsmanifest.xml"))
    if manifest.tag != CP + "manifest":
        fault("imsmanifest.xml", "the root is <manifest>")
    if [local(child.tag) for child in manifest] != ["metadata", "organizations", "resources"]:
        fault("imsmanifest.xml", "has metadata, organizations, resources")
    if manifest.findtext(f"{CP}metadata/{CP}schema") != "QTIv2.1 Package":
        fault("imsmanifest.xml", "metadata: schema")
    identifiers = [node.get("identifier") for node in manifest.iter() if node.get("identifier")]
    for one, count in collections.Counter(identifiers).items():
        if count > 1 or not IDENTIFIER.match(one):
            fault("imsmanifest.xml", f"identifier {one}")
    counts, used, items = collections.Counter(), {"imsmanifest.xml"}, {}
    for resource in manifest.iter(CP + "resource"):
        where = resource.get("identifier")
        files = [node.get("href") for node in resource.findall(CP + "file")]
        if resource.get("href") not in files or not set(files) <= set(names):
            fault(where, f"files {files}")
        used |= set(files)
        for node in resource.findall(CP + "dependency"):
            if node.get("identifierref") not in identifiers:
                fault(where, f"depends on {node.get('identifierref')}")
        if resource.get("type") == "imsqti_item_xmlv2p1":
            name = resource.get("href")
            kind, pictures = check_item(package, name, where.removeprefix("RES_"))
            counts[kind] += 1
            items[name] = where.removeprefix("RES_")
            wanted = {source.replace("../", "", 1) for source in pictures}
            if wanted != set(files) - {name}:
                fault(where, f"pictures {sorted(wanted)}, files {files}")
        elif resource.get("type") != "imsqti_test_xmlv2p1":
            fault(where, f"type {resource.get('type')}")
    if used != set(names):
        fault("imsmanifest.xml", f"does not name {sorted(set(names) - used)}")
    test = ET.fromstring(package.read("test.xml"))
    references = {node.get("href"): node.get("identifier")
                  for node in test.iter(QTI + "assessmentItemRef")}
    if references != items:
        fault("test.xml", "its items are not those of the manifest")
    for node in test.iter(QTI + "assessmentSection"):
        if not (node.get("identifier") and node.get("title") and node.get("visible")):
            fault("test.xml", "a section lacks identifier, title or visible")
    return counts
