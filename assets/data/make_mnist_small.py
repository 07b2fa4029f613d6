#!/usr/bin/env python3
"""Makes mnist-small/ from the whole MNIST: the first pictures of each class, in their order.

usage: make_mnist_small.py FOLDER   (with the four files in the IDX format, as `rankscope data mnist` fetches them)
"""
import gzip
import pathlib
import struct
import sys

TAKEN_OF_EACH_CLASS = {"train": 300, "t10k": 100}
PIXELS = 28 * 28


def take(folder, name, most):
    pictures = (folder / f"{name}-images-idx3-ubyte").read_bytes()[16:]
    labels = (folder / f"{name}-labels-idx1-ubyte").read_bytes()[8:]
    left = dict.fromkeys(range(10), most)
    chosen = []
    for at, label in enumerate(labels):
        if left[label]:
            left[label] -= 1
            chosen.append(at)
    return chosen, b"".join(pictures[at * PIXELS:(at + 1) * PIXELS] for at in chosen), bytes(labels[at] for at in chosen)


def write(file, head, elements):
    # No time and no name in the file, so that it is the same each time.
    file.write_bytes(gzip.compress(struct.pack(f">{len(head)}I", *head) + elements, 9, mtime=0))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = pathlib.Path(__file__).parent / "mnist-small"
    out.mkdir(exist_ok=True)
    for name, most in TAKEN_OF_EACH_CLASS.items():
        chosen, pictures, labels = take(pathlib.Path(sys.argv[1]), name, most)
        write(out / f"{name}-images-idx3-ubyte.gz", (2051, len(chosen), 28, 28), pictures)
        write(out / f"{name}-labels-idx1-ubyte.gz", (2049, len(chosen)), labels)


main()
