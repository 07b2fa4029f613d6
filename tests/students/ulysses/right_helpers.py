# exercise: ulysses
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
        me, n = dist.get_rank(), dist.get_world_size()

        def column(layer):
            bias = None if layer.bias is None else layer.bias.data.chunk(n)[me].clone()
            return layer.weight.data.chunk(n, 0)[me].clone(), bias

        def row(layer):
            return layer.weight.data.chunk(n, 1)[me].clone()

        self.q_proj_shard, self.q_proj_bias_shard = column(self.q_proj)
        self.k_proj_shard, self.k_proj_bias_shard = column(self.k_proj)
        self.v_proj_shard, self.v_proj_bias_shard = column(self.v_proj)
        self.fc1_shard, self.fc1_bias_shard = column(self.fc1)
        self.o_proj_shard, self.fc2_shard = row(self.o_proj), row(self.fc2)

    @staticmethod
    def _sum(partial, bias):
        total = partial.contiguous()
        if dist.get_rank() == 0:
            total = total + bias
        dist.all_reduce(total, op=dist.ReduceOp.SUM)
        return total

    def forward_tensor_parallel(self, x):
        h = self.ln1(x)
        shards = ((self.q_proj_shard, self.q_proj_bias_shard), (self.k_proj_shard, self.k_proj_bias_shard),
                  (self.v_proj_shard, self.v_proj_bias_shard))
        q, k, v = (F.linear(h, w, b) for w, b in shards)
        ctx = self._attend(q, k, v, q.size(-1) // self.head_dim)
        x = x + self._sum(F.linear(ctx, self.o_proj_shard), self.o_proj.bias)
        mid = torch.relu(F.linear(self.ln2(x), self.fc1_shard, self.fc1_bias_shard))
        return x + self._sum(F.linear(mid, self.fc2_shard), self.fc2.bias)

    def forward_ulysses(self, x):
        batch, local, _ = x.shape
        h = self.ln1(x)
        qkv = torch.stack([p(h) for p in (self.q_proj, self.k_proj, self.v_proj)])
        qkv = qkv.reshape(3, batch, local, self.n_heads, self.head_dim)
        q, k, v = (my_all_to_all(t, -2, -3) for t in qkv)
        weights = torch.einsum("bqhd,bkhd->bhqk", q, k).div(self.head_dim ** 0.5).softmax(-1)
        ctx = torch.einsum("bhqk,bkhd->bqhd", weights, v)
        ctx = my_all_to_all(ctx, -3, -2).reshape(batch, local, -1)
        x = x + self.o_proj(ctx)
        return x + self.fc2(F.relu(self.fc1(self.ln2(x))))
