# attack: requests whose source lines have ever new, long names, which the grader keeps for its trace
# points: 0
# reason: too many|more than|too long
import json
import os
import struct


def ask(head):
    text = json.dumps(head).encode()
    os.write(3, struct.pack("<IIQ", 0x31475352, len(text), 0) + text)
    head, body = struct.unpack("<4xIQ", os.read(3, 16))
    while head + body > 0:
        body -= len(os.read(3, head + body)) - head
        head = 0


def my_broadcast(tensor, src):
    number = 0
    while True:
        number += 1
        name = "%d" % number + "x" * 30000
        ask({"do": "note", "comm": 1, "note": 3, "peer": 0, "site": [[name, name[:20000], 1]]})
