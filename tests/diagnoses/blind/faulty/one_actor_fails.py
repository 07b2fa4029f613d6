import ray
import torch
import ray.util.collective as col

@ray.remote
class Shard:
    def __init__(self, rank, world):
        self.rank, self.world = rank, world
        col.init_collective_group(world, rank, "gloo", "shards")

    def mean_of(self, columns):
        table = {"height": [1.0, 2.0], "weight": [3.0, 4.0]}
        x = torch.tensor(table[columns[self.rank]])
        col.allreduce(x, group_name="shards")
        return (x / self.world).tolist()

ray.init()
shards = [Shard.remote(i, 3) for i in range(3)]
columns = ["height", "weight", "width"]
print(ray.get([s.mean_of.remote(columns) for s in shards]))
