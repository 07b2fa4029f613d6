"""What the checker says, as causes of the list in README.md: the one table between its words and the sidecars."""

import re

# For each cause: what the first finding must be (its kind, and words in what it says), and words that its advice must
# have, so that somebody who follows it makes the sidecar's repair. A finding that has a key "cause" is judged by that
# key alone. The first row that fits decides; one that names several causes says that it may be any of them, as its
# advice does.
CAUSES = [
    # causes, kind of finding, words of it, words of its advice
    ("wrong-tag", "", r"tags differ|wants tag|give both the same tag", r"same tag"),
    # A rank that sends to itself what another one waits for made both mistakes; of a rank that has ended nobody can say
    # whether its peer or its own half was meant, where nothing else in the run tells: the advice names both.
    ("wrong-destination own-rank", "message to itself", r"wrong destination", r"[Ss]end to"),
    ("wrong-source ended-early extra-receive", "", r"Either the receive names the wrong source", r"[Rr]eceive from.* or, if"),
    ("wrong-destination ended-early extra-send", "", r"Either the send names the wrong destination", r"[Ss]end it to.* or, if"),
    ("order-differs wrong-tag", "", r"tags come in another order", r"order of the sends"),
    ("own-rank", "message to itself", r"", r"other|another|own|itself|skip|copy|peer"),
    ("own-rank", "", r"(from|to) itself|its own rank|peer rank is self", r"other|another|own|itself|skip|copy|peer"),
    ("no-such-rank", "", r"rank -?\d+ does not exist|there is no rank|invalid (root|rank)|MPI_ERR_(RANK|ROOT)|must be less than world size",
     r"%|modulo|size|ranks"),
    ("size-differs", "lost rank", r"invalid tensor size|MPI_ERR_TRUNCATE|MPI_ERR_COUNT", r"size|room|pad|length"),
    ("mixed-kinds", "", r"buffers? and objects?|objects? and buffers?|mix(es|ing) ", r"same|capital|[Ss]end|[Rr]ecv"),
    ("wrong-communicator", "", r"communicators differ|another (communicator|group)", r"same"),
    ("group-not-by-all", "", r"new_group", r"all ranks|every rank|new_group"),
    ("root-differs", "calls that do not agree", r"\b(root|src|dst)\b", r"root|src|dst"),
    ("operator-differs", "calls that do not agree", r"operator|\bop\b", r"operator|\bop\b"),
    ("size-differs", "calls that do not agree", r"\d+ elements|shape|length", r"size|shape|length|elements|pad|the same"),
    ("type-differs", "calls that do not agree", r"\bd?types?\b", r"type"),
    ("call-skipped ended-early", "calls that do not agree", r"ended without call", r"every rank|all ranks"),
    ("order-differs call-skipped", "calls that do not agree", r"", r"order"),
    ("type-differs", "truncated message", r"sent as \w+ and received as", r"type"),
    ("size-differs", "truncated message", r"", r"size|count|length"),
    ("size-differs", "size mismatch", r"", r"size|count|length"),
    ("type-differs", "dtype mismatch", r"", r"type"),
    ("shared-buffers", "", r"same memory (is|as)|both (buffers|arrays) (are|share)|input and output", r"IN_PLACE|copy|own"),
    ("missing-wait", "request never waited for", r"", r"wait"),
    ("missing-wait reused-early", "buffer in use", r"'s receive|reads|receive .*still uses", r"wait|own"),
    ("reused-early", "buffer in use", r"", r"wait|copy"),
    ("wrong-match", "receive from anybody", r"", r"source|sender|tag"),
    ("wrong-match", "", r"taken by another receive", r"source|tag"),
    ("never-called", "", r"waits for its next call|never called|nobody calls", r"call|start"),
    ("waits-for-actor", "", r"ray\.get .*waits for ever|waits in ray\.get", r"ray\.get|call|start|return"),
    ("endless-work", "", r"computes|without (any )?(message|communication)|in its own code", r"loop|condition|look|line"),
    ("all-receive-first", "deadlock", r"sends only after it has received|message before it has sent", r"send before|send first|sends? first"),
    ("all-send-first", "deadlock", r"only after its send|sends before it receives", r"isend|receive first|sendrecv"),
    ("unequal-partners", "", r"do not form pairs|partners? differ", r"partner"),
    ("wrong-source", "", r"wrong source", r"[Rr]eceive from|source"),
    ("wrong-destination", "", r"wrong destination", r"[Ss]end to|destination"),
    ("extra-receive ended-early", "early exit", r"[Aa]dd the send", r"leave this receive out"),
    ("extra-send ended-early", "early exit", r"[Aa]dd the receive", r"leave this send out"),
    ("ended-early", "early exit", r"", r"end|loop|condition|all"),
    ("exception", "lost rank", r"fail|Error|raise", r"line|look|error"),
    ("extra-receive", "unmatched receive", r"", r"send|leave"),
    ("extra-send", "unreceived message", r"", r"receive|leave"),
    ("not-divided", "", r"times too large|not divided|never divided|sum, not the mean", r"divide"),
    ("counted-twice", "", r"twice|\d times|more than once", r"once|add"),
    ("wrong-chunk", "", r"wrong chunk", r"chunk|index"),
    ("steps-missing", "", r"too few (steps|rounds)", r"step|round"),
    ("data-missing", "", r"lacks|has no rank.s data|sent nothing|without any message|no data of|should have the data of", r"send|add|gather|rank"),
    ("wrong-order", "", r"wrong order|order of (arrival|ranks)|in another order", r"order|rank"),
    ("wrong-operator", "", r"operator|maximum|minimum|product", r"operator|SUM|sum|\bop\b"),
    ("input-changed", "", r"(argument|input) .*(changed|written)", r"copy|clone|new"),
    ("not-in-place", "", r"result .*(dropped|not used)|in place", r"assign|return|copy_"),
    ("wrong-units", "", r"elements .*bytes|bytes .*(prints|counted)", r"element_size|itemsize|nbytes|bytes"),
]

NAMES = sorted({cause for row in CAUSES for cause in row[0].split()})


def words_of(finding):
    return " ".join(finding.get(key) or "" for key in ("what", "why", "advice"))


def causes_of(finding):
    """The causes that a finding states, most often one; none where it states none of the list."""
    if finding.get("cause"):
        return finding["cause"].split()
    for causes, kind, words, _ in CAUSES:
        if kind in ("", finding["kind"]) and re.search(words, words_of(finding), re.I | re.S):
            return causes.split()
    return []


def advises(finding, causes):
    """Whether a finding's advice is that of one of the causes. An exception's own text is its advice, too."""
    advice = words_of(finding) if finding["kind"] == "lost rank" else finding.get("advice") or ""
    return any(set(row[0].split()) & set(causes) and re.search(row[3], advice, re.I) for row in CAUSES)
