"""What both formats of question banks have in common: faults, numbers, HTML."""
import xml.etree.ElementTree as ET

faults = []


def fault(where, what):
    faults.append(f"{where}: {what}")


def decimal(text, where):
    try:
        return float(text)
    except (TypeError, ValueError):
        fault(where, f"a number is expected, not {text!r}")
        return 0.0


INLINE = {"br", "code", "em", "strong", "img", "span", "sub", "sup"}
BLOCK = {"p", "div", "ul", "ol", "pre", "table", "h3", "blockquote", "hr"}
INSIDE = {  # what may be in an element
    "ul": {"li"}, "ol": {"li"}, "table": {"thead", "tbody"}, "thead": {"tr"}, "tbody": {"tr"},
    "tr": {"th", "td"}, "p": INLINE, "h3": INLINE, "pre": INLINE - {"img"}, "code": INLINE,
    "em": INLINE, "strong": INLINE, "br": set(), "img": set(), "hr": set(), "span": INLINE,
    "li": INLINE | BLOCK, "td": INLINE | BLOCK, "th": INLINE | BLOCK, "div": INLINE | BLOCK,
    "blockquote": BLOCK,
}
NO_TEXT = {"ul", "ol", "table", "thead", "tbody", "tr", "blockquote"}


def local(tag):
    return tag.split("}")[-1]


def check_html(node, where, extra=frozenset()):
    """`node`'s children; `extra`: elements that the format adds to the inline ones."""
    tag = local(node.tag)
    allowed = INSIDE.get(tag)
    for child in node:
        name = local(child.tag)
        if name in extra:
            if tag in NO_TEXT:
                fault(where, f"<{name}> in <{tag}>")
            continue
        if name not in INSIDE:
            fault(where, f"unknown element <{name}>")
            continue
        if allowed is not None and name not in allowed:
            fault(where, f"<{name}> in <{tag}>")
        for attribute in child.attrib:
            if (name, attribute) not in {("img", "src"), ("img", "alt")}:
                fault(where, f"attribute {attribute} of <{name}>")
        if name == "img" and not (child.get("src") and child.get("alt") is not None):
            fault(where, "<img> needs src and alt")
        check_html(child, where, extra)
    if tag in NO_TEXT:
        texts = [node.text or ""] + [child.tail or "" for child in node]
        if "".join(texts).strip():
            fault(where, f"text in <{tag}>")


def html_of(text, where):
    """Of a <text> with html: the pictures that it names."""
    try:
        root = ET.fromstring(f"<div>{text}</div>")
    except ET.ParseError as error:
        fault(where, f"its html is not well-formed: {error}")
        return []
    check_html(root, where)
    return [image.get("src") for image in root.iter("img")]
