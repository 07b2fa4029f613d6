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
    rank, size = dist.get_rank(), dist.get_world_size()
    chunks = [c.contiguous() for c in torch.chunk(tensor, size, dim=scatter_dim)]
    got = [torch.empty_like(c) for c in chunks]
    got[rank] = chunks[rank]
    work = []
    for r in range(size):
        if r != rank:
            work.append(dist.isend(chunks[r], r))
            work.append(dist.irecv(got[r], r))
    for w in work:
        w.wait()
    return torch.cat(got, dim=gather_dim)


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
        self.q_bias_shard = self.q_proj.bias.detach()[rows].clone()
        self.k_bias_shard = self.k_proj.bias.detach()[rows].clone()
        self.v_bias_shard = self.v_proj.bias.detach()[rows].clone()

    def forward_tensor_parallel(self, x):
        heads = self.n_heads // dist.get_world_size()
        h = self.ln1(x)
        q = F.linear(h, self.q_proj_shard, self.q_bias_shard)
        k = F.linear(h, self.k_proj_shard, self.k_bias_shard)
        v = F.linear(h, self.v_proj_shard, self.v_bias_shard)
        part = F.linear(self._attend(q, k, v, heads), self.o_proj_shard)
        dist.all_reduce(part)
        x = x + part + self.o_proj.bias
        mid = F.relu(F.linear(self.ln2(x), self.fc1_shard, self.fc1_bias_shard))
        part = F.linear(mid, self.fc2_shard)
        dist.all_reduce(part)
        return x + part + self.fc2.bias

    def forward_ulysses(self, x):
        b, s, _ = x.shape
        h = self.ln1(x)
        shape = (b, s, self.n_heads, self.head_dim)
        q = my_all_to_all(self.q_proj(h).view(shape), 2, 1)
        k = my_all_to_all(self.k_proj(h).view(shape), 2, 1)
        v = my_all_to_all(self.v_proj(h).view(shape), 2, 1)
        heads = q.size(2)
        ctx = self._attend(q.flatten(2), k.flatten(2), v.flatten(2), heads)
        ctx = ctx.view(b, ctx.size(1), heads, self.head_dim)
        ctx = my_all_to_all(ctx, 1, 2).flatten(2)
        x = x + self.o_proj(ctx)
        return x + self.fc2(F.relu(self.fc1(self.ln2(x))))
