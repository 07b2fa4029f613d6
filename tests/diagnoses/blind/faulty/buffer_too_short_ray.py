import ray
import torch
import ray.util.collective as col

@ray.remote
class Node:
    def __init__(self, rank, world_size):
        self.rank = rank
        col.init_collective_group(world_size, rank, backend='gloo', group_name='nodes')
        self.msg = None
        self.buf = None

    def set_msg(self, msg):
        self.msg = msg

    def set_buf(self, shape):
        self.buf = torch.zeros(shape)

    def do_send(self, target):
        col.send(self.msg, target, group_name='nodes')
        return self.msg

    def do_recv(self, source):
        col.recv(self.buf, source, group_name='nodes')
        return self.buf

ray.init()
nodes = [Node.remote(r, 2) for r in range(2)]
nodes[0].set_msg.remote(torch.ones(1, 20))
nodes[1].set_buf.remote((1, 2))
out = ray.get([nodes[0].do_send.remote(1), nodes[1].do_recv.remote(0)])
print("received", int(out[1].sum()))
