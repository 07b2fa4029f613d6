# exercise: tensor-parallel
# verdict: right
# hangs: no
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.distributed as dist


def my_allreduce(tensor):
    rank, size = dist.get_rank(), dist.get_world_size()
    total = tensor.clone(memory_format=torch.contiguous_format)
    if rank == 0:
        temp = torch.empty_like(total)
        for r in range(1, size):
            dist.recv(temp, r)
            total += temp
        for r in range(1, size):
            dist.send(total, r)
    else:
        dist.send(total, 0)
        dist.recv(total, 0)
    tensor.copy_(total)
    return tensor


def my_all_to_all(tensor, scatter_dim, gather_dim):
    me, n = dist.get_rank(), dist.get_world_size()
    out = list(tensor.split(tensor.size(scatter_dim) // n, scatter_dim))
    for peer in range(n):
        if peer == me:
            continue
        mine = out[peer].contiguous()
        theirs = torch.empty_like(mine)
        if me < peer:
            dist.send(mine, peer)
            dist.recv(theirs, peer)
        else:
            dist.recv(theirs, peer)
            dist.send(mine, peer)
        out[peer] = theirs
    return torch.cat(out, gather_dim)


class BasicTransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.d_model, self.n_heads, self.d_ff = d_model, n_heads, d_ff
        self.head_dim = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.o_proj = nn.Linear(d_model, d_model)
        self.fc1 = nn.Linear(d_model, d_ff)
        self.fc2 = nn.Linear(d_ff, d_model)
        self.ln1 = nn.LayerNorm(d_model)
        self.ln2 = nn.LayerNorm(d_model)

    def _attend(self, q, k, v, heads):
        b, s, _ = q.shape
        q, k, v = (t.view(b, s, heads, -1).transpose(1, 2) for t in (q, k, v))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        out = torch.softmax(scores, dim=-1) @ v
        return out.transpose(1, 2).reshape(b, s, -1)

    def forward(self, x):
        h = self.ln1(x)
        x = x + self.o_proj(self._attend(self.q_proj(h), self.k_proj(h), self.v_proj(h), self.n_heads))
        return x + self.fc2(F.relu(self.fc1(self.ln2(x))))

    def init_tensor_parallel_shards(self):
        rank, size = dist.get_rank(), dist.get_world_size()
        d, f = self.d_model // size, self.d_ff // size
        rows = slice(rank * d, (rank + 1) * d)
        wide = slice(rank * f, (rank + 1) * f)
        self.q_proj_shard = self.q_proj.weight.detach()[rows].clone()
        self.k_proj_shard = self.k_proj.weight.detach()[rows].clone()
        self.v_proj_shard = self.v_proj.weight.detach()[rows].clone()
        self.o_proj_shard = self.o_proj.weight.detach()[:, rows].clone()
        self.fc1_shard = self.fc1.weight.detach()[wide].clone()
        self.fc1_bias_shard = self.fc1.bias.detach()[wide].clone()
        self.fc2_shard = self.fc2.weight.detach()[:, wide].clone()
        self.qkv_biases = [layer.bias.detach()[rows].clone() for layer in (self.q_proj, self.k_proj, self.v_proj)]

    def forward_tensor_parallel(self, x):
        heads = self.n_heads // dist.get_world_size()
        weights = (self.q_proj_shard, self.k_proj_shard, self.v_proj_shard)
        h = self.ln1(x)
        q, k, v = [F.linear(h, w, bias) for w, bias in zip(weights, self.qkv_biases)]
        attn = my_allreduce(self._attend(q, k, v, heads) @ self.o_proj_shard.t())
        x = x + (attn + self.o_proj.bias)
        mid = F.relu(self.ln2(x) @ self.fc1_shard.t() + self.fc1_bias_shard)
        out = my_allreduce(mid @ self.fc2_shard.t())
        return x + (out + self.fc2.bias)

    def forward_ulysses(self, x_shard):
        world = dist.get_world_size()
        batch, local, _ = x_shard.shape
        total, heads = local * world, self.n_heads // world

        def to_heads(t):
            t = t.reshape(batch, local, self.n_heads, self.head_dim)
            return my_all_to_all(t, scatter_dim=2, gather_dim=1).reshape(batch, total, heads * self.head_dim)

        h = self.ln1(x_shard)
        q, k, v = to_heads(self.q_proj(h)), to_heads(self.k_proj(h)), to_heads(self.v_proj(h))
        ctx = self._attend(q, k, v, heads).reshape(batch, total, heads, self.head_dim)
        ctx = my_all_to_all(ctx, scatter_dim=1, gather_dim=2).reshape(batch, local, self.d_model)
        x = x_shard + self.o_proj(ctx)
        return x + self.fc2(F.relu(self.fc1(self.ln2(x))))
