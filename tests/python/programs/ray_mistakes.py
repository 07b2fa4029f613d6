"""Mistakes with messages between Ray actors, one method each; the report must name the real cause."""
import sys

import numpy as np
import ray
import ray.util.collective as col


@ray.remote
class Worker:
    def __init__(self, size, rank):
        self.size, self.rank = size, rank
        col.init_collective_group(size, rank, "gloo")

    def wrong_source(self):
        x, y = np.ones(4), np.zeros(4)
        if self.rank == 0:
            col.recv(y, 2)
        elif self.rank == 1:
            col.send(x, 0)
        else:
            col.recv(y, 0)

    def two_circles(self):
        x, y = np.ones(4), np.zeros(4)
        partner = self.rank ^ 1
        col.send(x, partner)
        col.recv(y, partner)

    def halving(self):
        x = np.ones(8)
        col.send(x, [1, 0, 1][self.rank])


if __name__ == "__main__":
    ranks = int(sys.argv[2])
    workers = [Worker.remote(ranks, rank) for rank in range(ranks)]
    ray.get([getattr(worker, sys.argv[1]).remote() for worker in workers])
