"""What the checker says, as causes of the list in README.md: the one table between its words and the sidecars."""

import re

# For each cause: what the first finding must be (its kind, and words in what it says), and words that its advice must
# have, so that somebody who follows it makes the sidecar's repair. A finding that has a key "cause" is judged by that
# key alone. The first row that fits decides.
CAUSES = [
    # cause, kind of finding, words of it, words of its advice
    ("wrong-tag", "", r"wants tag|other tag|only the tag|tags? differ|wrong tag", r"same tag|tag"),
    ("own-rank", "message to itself", r"", r"other|another|own|itself|skip|copy|start"),
    ("own-rank", "", r"(from|to) itself|its own rank|peer rank is self", r"other|another|own|itself|skip|copy|start"),
    ("no-such-rank", "", r"(no|invalid|not a) (such )?rank|out of range|world has|invalid (root|rank)|there is no rank|MPI_ERR_(RANK|ROOT)",
     r"%|modulo|size|rank|world"),
    ("mixed-kinds", "", r"(buffers?|arrays?) and objects|objects? and buffers?|capital|mix", r"same|capital|send|Recv|recv"),
    ("wrong-communicator", "", r"(other|another|different|wrong|only the) communicator|communicators? differ|only the (group|communicator)",
     r"same|communicator|group"),
    ("group-not-by-all", "", r"new_group|split.*not.*all|group.*(by|on) all", r"all ranks|every rank|new_group"),
    ("root-differs", "calls that do not agree", r"\b(root|src|dst)\b", r"root|src|dst"),
    ("operator-differs", "calls that do not agree", r"operators?|\bop\b", r"operator|op"),
    ("size-differs", "calls that do not agree", r"(\d+ elements|size|shape|counts?|length)", r"size|shape|length|elements|pad|many"),
    ("type-differs", "calls that do not agree", r"(dtype|type)", r"type"),
    ("order-differs", "calls that do not agree", r"order|calls? \w+.*(while|but|and) .*calls?|another|different", r"order|same|alike"),
    ("call-skipped", "calls that do not agree", r"", r"every rank|all ranks|call"),
    ("size-differs", "truncated message", r"", r"size|larger|length|as (many|long|large)|buffer"),
    ("size-differs", "size mismatch", r"", r"size|larger|length|as (many|long|large)|buffer"),
    ("type-differs", "dtype mismatch", r"", r"type"),
    ("shared-buffers", "", r"same memory|overlap|alias|in place.*(both|buffers)", r"IN_PLACE|copy|another|other|own"),
    ("missing-wait", "request never waited for", r"", r"wait"),
    ("missing-wait", "buffer in use", r"read|open receive|irecv|receiv", r"wait"),
    ("reused-early", "buffer in use", r"", r"wait|copy|another buffer|other buffer"),
    ("wrong-match", "receive from anybody", r"", r"source|sender|src|rank|tag"),
    ("never-called", "", r"(never|not) (been )?called|no call of|is idle|nobody calls|no call (is )?pending", r"call|start"),
    ("waits-for-actor", "", r"actor.*wait|waits? (for|in) (ray\.get|an? (actor|call))|ray\.get", r"ray\.get|call|start|await|async"),
    ("endless-work", "", r"(computes|sleeps|busy|works|loop).*(without|no|never)|without (any )?communicat|in its own code", r"loop|condition|look"),
    ("all-send-first", "deadlock", r"each .*sends?.*before|only after its send|after its send|each sends", r"isend|receive first|sendrecv|Sendrecv|batch"),
    ("all-receive-first", "deadlock", r"each .*receives?.*before|only after (it has received|its receive)|each receives|nobody sends|none has sent",
     r"send first|sends? first|one (of the )?ranks?"),
    ("unequal-partners", "deadlock", r"partner|not in pairs|pairs", r"partner|pair|choose|fold"),
    ("wrong-source", "", r"message.*(from|of) another rank|from rank \d+.*(waits|arrived|has come)|wrong source|no message from", r"source|src|receive from|from rank"),
    ("wrong-destination", "", r"goes? to another rank|to the wrong rank|wrong destination|sent to rank \d+ instead", r"destination|dest|dst|send to|to rank"),
    ("ended-early", "early exit", r"", r"every|all|until|end|before|same"),
    ("call-skipped", "", r"not all ranks|never come to|do(es)? not call|only (some|rank)", r"every rank|all ranks|call"),
    ("exception", "lost rank", r"fail|Error|raise", r"line|look|error"),
    ("extra-receive", "unmatched receive", r"", r"send|remove|fewer|often|many|receive"),
    ("extra-send", "unreceived message", r"", r"receive|remove|fewer|often|many|send"),
    ("not-divided", "", r"times too large|not divided|never divided|sum.*instead of.*mean|N times", r"divide"),
    ("counted-twice", "", r"twice|more than once|times instead of once", r"once|add"),
    ("wrong-chunk", "", r"wrong chunk|chunk.*(twice|lacks|another)", r"chunk|index"),
    ("steps-missing", "", r"step.*(missing|too few|more)|too few (steps|rounds)", r"step|round"),
    ("data-missing", "", r"lacks|missing|nothing (of|from) rank|sent nothing|without any message", r"send|add|gather|rank"),
    ("wrong-order", "", r"wrong order|in another order|order of (arrival|ranks)|belongs to rank", r"order|rank"),
    ("wrong-operator", "", r"operator|maximum|minimum|product|instead of the sum", r"operator|SUM|sum|op"),
    ("input-changed", "", r"(argument|input).*(changed|written)|changes? .*(argument|input)", r"copy|clone|new|in place"),
    ("not-in-place", "", r"result.*(dropped|not used|another)|in place", r"assign|return|copy_"),
    ("wrong-units", "", r"elements?.*bytes|bytes.*(printed|counted)", r"element_size|itemsize|bytes|nbytes"),
]

NAMES = sorted({row[0] for row in CAUSES})


def words_of(finding):
    return " ".join(finding.get(key) or "" for key in ("what", "why", "advice"))


def cause_of(finding):
    """The cause that a finding states, or None where it states none of the list."""
    if finding.get("cause"):
        return finding["cause"]
    for cause, kind, words, _ in CAUSES:
        if kind in ("", finding["kind"]) and re.search(words, words_of(finding), re.I | re.S):
            return cause
    return None


def advises(finding, cause):
    """Whether a finding's advice is that of the cause."""
    return any(row[0] == cause and re.search(row[3], finding.get("advice") or "", re.I) for row in CAUSES)
