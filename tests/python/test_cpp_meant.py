"""`exec --as` on programs in C++: only watched arrays are known, and a second run says whose data are where."""
import pytest

HEAD = """
#include <rankscope.hpp>
#include <vector>
int main() {
  auto comm = rankscope::join();
  [[maybe_unused]] const int rank = comm.rank(), n = comm.size();
"""


def said(rankscope, tmp_path, body, *options):
    (tmp_path / "p.cpp").write_text(HEAD + body + "}\n")
    return rankscope("exec", "-n", 4, *options, "p.cpp")


WRONG = {
    # 10 = 1 + 1 + 4 + 4, and 2 + 8
    "both halves are one": ("""
  std::vector<float> x(4, float(1 << rank));
  comm.watch("x", x);
  auto half = comm.split(rank % 2, rank), again = comm.split(rank % 2, rank);
  half->allreduce(x, rankscope::Op::sum);
  again->allreduce(x, rankscope::Op::sum);
""", ("--as", "allreduce"), ("has ranks 0 and 2 twice and lacks ranks 1 and 3", "p.cpp:12")),
    "a type that is too small": ("""
  std::vector<int> cells(2, 1500000000 + rank);
  comm.watch("cells", cells);
  comm.allreduce(cells, rankscope::Op::sum);
""", ("--as", "allreduce"), ("6000000006 does not fit into int32",)),
    "a mean of whole numbers": ("""
  std::vector<int> votes(2, rank + 1);
  comm.watch("votes", votes);
  comm.allreduce(votes, rankscope::Op::sum);
  for (int& one : votes) one /= n;
""", ("--as", "allreduce:mean"), ("the mean is truncated", "Element 0 is 2, the mean is 2.5")),
    "a ring whose second half is one step short": ("""
  std::vector<double> x(8), in(2);
  for (int i = 0; i < 8; ++i) x[i] = 10.0 * rank + i;
  comm.watch("x", x);
  const auto piece = [&](int k) { return std::span(x).subspan((k + 2 * n) % n * 2, 2); };
  for (int s = 0; s < n - 1; ++s) {
    comm.sendrecv((rank + 1) % n, piece(rank - s), (rank + n - 1) % n, in);
    for (int i = 0; i < 2; ++i) piece(rank - s - 1)[i] += in[i];
  }
  for (int s = 0; s < n - 2; ++s) {
    comm.sendrecv((rank + 1) % n, piece(rank + 1 - s), (rank + n - 1) % n, in);
    for (int i = 0; i < 2; ++i) piece(rank - s)[i] = in[i];
  }
""", ("--as", "allreduce"), ("one step too few", "this loop makes too few steps", "p.cpp:16")),
    "a mean that is cut": ("""
  std::vector<double> mean(2);
  std::vector<int> all(2);
  for (int i = 0; i < 2; ++i) mean[i] = all[i] = 11 * rank + i;
  comm.watch("mean", mean);
  comm.allreduce(all);
  for (int i = 0; i < 2; ++i) mean[i] = all[i] / comm.size();
""", ("--as", "allreduce:mean"), ("its fractions are missing", "Element 0 is 16, it should be 16.5",
                                     "p.cpp:13", "static_cast<double>(all[i]) / comm.size()")),
    "an addition instead of a maximum": ("""
  std::vector<int> peak{3 + rank, 20 - rank}, other(2);
  comm.watch("peak", peak);
  if (rank > 0) comm.send(0, peak);
  for (int r = 1; rank == 0 && r < n; ++r) {
    comm.recv(r, other);
    for (int i = 0; i < 2; ++i) peak[i] = r == 3 ? peak[i] + other[i] : std::max(peak[i], other[i]);
  }
  comm.broadcast(peak, 0);
""", ("--as", "allreduce:max"), ("is 11, which is no rank's: the maximum is 6", "The ranks have 3, 4, 5, 6 there")),
    "a sum that begins with something else": ("""
  std::vector<double> x(3, rank + 1.0), sum(3, 5.5), part;
  comm.watch("x", x);
  for (int r = 0; r < n; ++r) {
    comm.broadcast(part = x, r);
    for (int i = 0; i < 3; ++i) sum[i] += part[i];
  }
  x = sum;
""", ("--as", "allreduce"), ("element 0 of rank 0's result is off by 5.5, whatever the ranks' data are",)),
    "a rest of the blocks": ("""
  std::vector<double> x(10);
  for (int i = 0; i < 10; ++i) x[i] = rank + 0.1 * i;
  comm.watch("x", x);
  const int block = 10 / n;
  comm.allreduce(std::span(x).first(block * n));
""", ("--as", "allreduce"), ("the last 2 elements of 10 are as before on every rank", "4 blocks of 2 leave")),
    "a reduce's result on another rank": ("""
  std::vector<double> x(3, rank + 1.5), sums = x;
  comm.watch("x", x);
  comm.reduce(sums, 0);
  x = sums;
""", ("--as", "allreduce"), ("p.cpp:10 on ranks 1, 2 and 3: only rank 0 has the sum", "Call an allreduce there")),
    "a broadcast from another rank": ("""
  std::vector<double> x(3, rank + 1.5), sums = x;
  comm.watch("x", x);
  comm.reduce(sums, 0);
  if (rank == 0) x = sums;
  comm.broadcast(x, 3);
""", ("--as", "allreduce"), ("p.cpp:12 on all ranks: the result is rank 3's own data",)),
    "a part in the wrong place of one array": ("""
  std::vector<int> all(8, -1);
  all[2 * rank] = all[2 * rank + 1] = rank;
  comm.watch("all", all);
  const auto part = [&](int i) { return std::span(all).subspan(2 * ((i + 8) % n), 2); };
  for (int s = 0; s < n - 1; ++s) comm.sendrecv((rank + 1) % n, part(rank - s), (rank + 3) % n, part(rank - s - 2));
""", ("--as", "allgather"), ("result, and belong in elements 4 to 5",)),
    "divided by another number": ("""
  std::vector<float> x(2, float(rank * rank + 1));
  comm.watch("x", x);
  comm.allreduce(x, rankscope::Op::sum);
  for (float& one : x) one /= float(n - 1);
""", ("--as", "allreduce:mean"), ("the sum is divided by 3, not by the 4 ranks",)),
    "a copy takes the message": ("""
  std::vector<float> x(4, rank == 2 ? 5.0F : 0.0F);
  comm.watch("x", x);
  auto give = [&](std::vector<float> copy) { comm.broadcast(copy, 2); };
  give(x);
""", ("--as", "broadcast:2"), ("rank 0's x stays as it was, although rank 0 receives at p.cpp:10",)),
    "a broadcast of another rank's": ("""
  std::vector<double> x(2, rank + 0.5), least(1, rank);
  comm.watch("x", x);
  comm.allreduce(least, rankscope::Op::min);
  comm.broadcast(x, 0);
""", ("--as", "broadcast:2"), ("p.cpp:11 on all ranks: the result is rank 0's own data", "Broadcast from rank 2")),
    "distances that end too early": ("""
  std::vector<double> x(2, 1 << rank), in(2);
  comm.watch("x", x);
  for (int gap = 1; gap * 2 < comm.size(); gap *= 2) {
    if (comm.rank() % (2 * gap) == gap) {
      comm.send(rank - gap, x);
      break;
    }
    if (rank % (2 * gap) == 0 && rank + gap < n) {
      comm.recv(rank + gap, in);
      for (int i = 0; i < 2; ++i) x[i] += in[i];
    }
  }
  comm.broadcast(x, 0);
""", ("--as", "allreduce"), ("at p.cpp:10 on all ranks", "ends there before gap is 2", "less than the number")),
    "a sum in new memory": ("""
  std::vector<double> x(2, rank + 1.5), all(2 * n);
  comm.watch("x", x);
  comm.allgather(x, all);
  auto* const sum = new double[2];
  for (int i = 0; i < 2 * n; ++i) sum[i % 2] += all[i];
  for (int i = 0; i < 2; ++i) x[i] = sum[i];
""", ("--as", "allreduce"), ("at p.cpp:11", "new double[2] sets nothing there", "Write new double[2]() there")),
    "a sum of what came": ("""
  std::vector<long> x(2, 1 << rank), in(2);
  comm.watch("x", x);
  std::vector<long> total(x.size(), 0);
  for (int step = 1; step < n; ++step) {
    comm.sendrecv((rank + step) % n, x, (rank - step + n) % n, in);
    for (int i = 0; i < 2; ++i) total[i] += in[i];
  }
  for (int i = 0; i < 2; ++i) x[i] = total[i];
""", ("--as", "allreduce"), ("at p.cpp:10", "total begins with zeros there", "Let total begin with the rank's own")),
    "blocks that begin at a quotient": ("""
  std::vector<double> x(10);
  for (int i = 0; i < 10; ++i) x[i] = i + rank;
  comm.watch("x", x);
  const auto block = [&](int r) {
    return std::span(x).subspan(r * (10 / n), 10 / n + (r < 10 % n ? 1 : 0));
  };
  const auto own = block(rank);
  std::vector<double> sum(own.begin(), own.end()), in(sum.size());
  for (int step = 1; step < n; ++step) {
    comm.sendrecv((rank + step) % n, block((rank + step) % n), (rank - step + n) % n, in);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += in[i];
  }
  for (std::size_t i = 0; i < sum.size(); ++i) own[i] = sum[i];
  for (int step = 1; step < n; ++step)
    comm.sendrecv((rank + step) % n, sum, (rank - step + n) % n, block((rank - step + n) % n));
""", ("--as", "allreduce"), ("at p.cpp:12", "blocks that are sent overlap", "min(r, count % ranks)")),
    "a message that is too short": ("""
  std::vector<float> x(8, rank == 0 ? 7.0F : 0.0F);
  comm.watch("x", x);
  if (rank == 0)
    for (int r = 1; r < n; ++r) comm.send(r, std::span(x).first(6));
  else comm.recv(0, std::span(x).first(6));
""", ("--as", "broadcast:0"), ("elements 6 to 7 of x are never written on rank 1",)),
    "the own block": ("""
  std::vector<int> in(4), out(4, -1);
  for (int r = 0; r < n; ++r) in[r] = 10 * rank + r;
  comm.watch("in", in);
  comm.watch("out", out);
  for (int step = 1; step < n; ++step) {
    const int right = (rank + step) % n, left = (rank - step + n) % n;
    comm.sendrecv(right, std::span(in).subspan(right, 1), left, std::span(out).subspan(left, 1));
  }
""", ("--as", "alltoall", "--data", "in"), ("out on rank 0 lacks rank 0's own block",)),
    "a ring that hands on its own block": ("""
  std::vector<float> x(8), in(2);
  for (int i = 0; i < 8; ++i) x[i] = float((i + 1) * (rank + 1));
  comm.watch("x", x);
  const auto piece = [&](int k) { return std::span(x).subspan((k + 2 * n) % n * 2, 2); };
  for (int s = 0; s < n - 1; ++s) {
    comm.sendrecv((rank + 1) % n, piece(rank - s), (rank + n - 1) % n, in);
    for (int i = 0; i < 2; ++i) piece(rank - s - 1)[i] += in[i];
  }
  int have = rank;
  for (int s = 0; s < n - 1; ++s) {
    comm.sendrecv((rank + 1) % n, piece(have), (rank + n - 1) % n, piece(have - 1));
    have = have - 1;
  }
""", ("--as", "allreduce"), ("at p.cpp:16", "have's first value", "the block that it has summed is", "(rank + 1) % size")),
    "a chain that hands back the partial sum": ("""
  std::vector<double> x(3, 1.5 * rank), part(3, 0.0);
  comm.watch("x", x);
  if (rank > 0) comm.recv(rank - 1, part);
  for (int i = 0; i < 3; ++i) part[i] += x[i];
  if (rank < n - 1) comm.send(rank + 1, part);
  std::vector<double> total(part);
  if (rank < n - 1) comm.recv(rank + 1, total);
  if (rank > 0) comm.send(rank - 1, part);
  x = total;
""", ("--as", "allreduce"), ("at p.cpp:15", "although the sum of all came at p.cpp:14", "Send total there")),
    "a block in another's place": ("""
  std::vector<double> x(4), in(1), mine(1);
  for (int i = 0; i < 4; ++i) x[i] = 100.0 + 10.0 * i + rank;
  comm.watch("x", x);
  for (int i = 1; i < n; ++i) comm.isend((rank + i) % n, std::span(x).subspan((rank + i) % n, 1), 1).wait();
  for (int i = 1; i < n; ++i) {
    comm.recv((rank - i + n) % n, in, 1);
    x[rank] += in[0];
  }
  mine[0] = x[rank];
  for (int i = 1; i < n; ++i) comm.isend((rank + i) % n, mine, 2).wait();
  for (int i = 1; i < n; ++i) {
    const int from = (rank - i + n) % n;
    comm.recv(from, std::span(x).subspan(i, 1), 2);
  }
""", ("--as", "allreduce"), ("at p.cpp:20", "Compute the place from from")),
    "a sum that begins with zeros": ("""
  std::vector<double> x(3, rank + 1.0), other(3);
  comm.watch("x", x);
  std::vector<double> total(x.size(), 0.0);
  for (int r = 1; r < n && rank == 0; ++r) {
    comm.recv(r, other);
    for (int i = 0; i < 3; ++i) total[i] += other[i];
  }
  for (int r = 1; r < n && rank == 0; ++r) comm.send(r, total);
  if (rank > 0) comm.send(0, x);
  if (rank > 0) comm.recv(0, total);
  x = total;
""", ("--as", "allreduce"), ("p.cpp:10", "total begins with zeros there", "Let total begin with the rank's own data")),
    "turns of which the first is with oneself": ("""
  std::vector<int> x(2, 3 * rank + 5), other(2);
  comm.watch("x", x);
  for (int turn = 0; turn < 2; ++turn) {
    const int partner = rank ^ turn;
    comm.sendrecv(partner, x, partner, other);
    for (int i = 0; i < 2; ++i) x[i] += other[i];
  }
""", ("--as", "allreduce"), ("at p.cpp:11", "partner is the rank itself in the first turn", "Write 1 << turn")),
    "a ring of one turn too many": ("""
  std::vector<int> x(2, rank + 5), came(2);
  comm.watch("x", x);
  auto went = x;
  for (int turn = 0; turn < comm.size(); ++turn) {
    comm.sendrecv((rank + 1) % n, went, (rank + n - 1) % n, came);
    for (int i = 0; i < 2; ++i) x[i] += came[i];
    went.swap(came);
  }
""", ("--as", "allreduce"), ("at p.cpp:11", "Let it make one turn less")),
    "a partner whose name is no pattern": ("""
  std::vector<int> order{0, 1, 2, 3}, x(2, 3 * rank + 5), other(2);
  comm.watch("x", x);
  for (int turn = 0; turn < 2; ++turn) {
    const int back = rank % 2 == 0 ? -turn : turn;
    comm.sendrecv(order[rank-back], x, order[rank-back], other);
    for (int i = 0; i < 2; ++i) x[i] += other[i];
  }
""", ("--as", "allreduce"), ("has ranks 0 and 1 twice and lacks ranks 2 and 3",)),
    "a broadcast that another rank begins": ("""
  std::vector<float> x(2, rank == 2 ? 2.5F : 0.0F);
  comm.watch("x", x);
  if (rank > 0) comm.recv(rank - 1, x);
  if (rank < n - 1) comm.send(rank + 1, x);
""", ("--as", "broadcast:2"), ("at p.cpp:11", "rank 0 sends there before anything came in", "Begin with rank 2")),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_said(rankscope, tmp_path, kind):
    body, options, words = WRONG[kind]
    done = said(rankscope, tmp_path, body, *options)
    assert done.code == 1, done.output
    for one in words:
        assert one in done.output, done.output
    assert done.output.count("Element 0 of") < 2


UNKNOWN = {
    "the result's name": ("""
  std::vector<int> in(4, rank), out(4, 0);
  comm.watch("in", in);
  comm.watch("out", out);
""", ("--as", "alltoall", "--data", "out"), "out holds zeros on all ranks before the first message"),
    "a result that nobody watches": ("""
  std::vector<float> mine(2, float(rank)), all(8);
  comm.watch("mine", mine);
  comm.allgather(mine, all);
""", ("--as", "allgather"), "no array with so many is watched there"),
    "nothing that is watched": ("""
  std::vector<float> x(2, float(rank));
  comm.allreduce(x, rankscope::Op::sum);
""", ("--as", "allreduce"), 'in C++: call comm.watch("x", x) before the first message'),
}


@pytest.mark.parametrize("kind", UNKNOWN)
def test_what_nobody_can_know_is_not_called_right_or_wrong(rankscope, tmp_path, kind):
    body, options, words = UNKNOWN[kind]
    done = said(rankscope, tmp_path, body, *options)
    assert done.code == 0 and "cannot be said" in done.output and words in done.output, done.output


RIGHT = {
    "a copy that was made before": ("""
  std::vector<float> x(4, float(rank + 1)), work = x;
  comm.watch("x", x);
  comm.allreduce(work, rankscope::Op::sum);
  x = work;
""", "allreduce", "an allreduce (sum) of x"),
    "messages, then a broadcast of other memory": ("""
  std::vector<double> x(3, rank + 1.0);
  comm.watch("x", x);
  double other[3];
  if (rank > 0) comm.send(0, x);
  for (int r = 1; rank == 0 && r < n; ++r) {
    comm.recv(r, other);
    for (int i = 0; i < 3; ++i) x[i] += other[i];
  }
  for (int i = 0; i < 3; ++i) other[i] = x[i] / n;
  comm.broadcast(other, 0);
  for (int i = 0; i < 3; ++i) x[i] = other[i];
""", "allreduce:mean", "an allreduce (mean) of x"),
    "one array for the parts of all": ("""
  std::vector<int> all(8, -1);
  all[2 * rank] = all[2 * rank + 1] = rank;
  comm.watch("all", all);
  const auto part = [&](int i) { return std::span(all).subspan(2 * ((i + 8) % n), 2); };
  for (int s = 0; s < n - 1; ++s) comm.sendrecv((rank + 1) % n, part(rank - s), (rank + 3) % n, part(rank - s - 1));
""", "allgather", "an allgather of all"),
    "flags": ("""
  std::vector<int> flag(2, rank == 2), other(2);
  comm.watch("flag", flag);
  if (rank > 0) comm.send(0, flag);
  for (int r = 1; rank == 0 && r < n; ++r) {
    comm.recv(r, other);
    for (int i = 0; i < 2; ++i) flag[i] |= other[i];
  }
  comm.broadcast(flag, 0);
""", "allreduce:max", "an allreduce (max) of flag"),
    "messages in the rows, an allreduce in the columns": ("""
  std::vector<int> x(2, 1 << rank);
  comm.watch("x", x);
  auto row = comm.split(rank / 2, rank), column = comm.split(rank % 2, rank);
  const std::vector<int> own = x;
  std::vector<int> other(2);
  row->sendrecv(1 - row->rank(), own, 1 - row->rank(), other);
  for (int i = 0; i < 2; ++i) x[i] += other[i];
  column->allreduce(x);
""", "allreduce", "an allreduce (sum) of x"),
    "a result that is swapped in": ("""
  std::vector<double> x(3, rank + 0.5);
  comm.watch("x", x);
  {
    std::vector<double> sum = x;
    comm.allreduce(sum);
    std::swap(x, sum);
  }
  std::vector<double> later(3, -1.0);
""", "allreduce", "an allreduce (sum) of x"),
    "a result that is moved in": ("""
  std::vector<double> x(3, rank + 0.5), sum = x, kept;
  comm.watch("x", x);
  comm.allreduce(sum);
  kept = std::move(x);
  x = std::move(sum);
""", "allreduce", "an allreduce (sum) of x"),
}


@pytest.mark.parametrize("kind", RIGHT)
def test_what_is_right_is_called_right(rankscope, tmp_path, kind):
    body, meant, words = RIGHT[kind]
    done = said(rankscope, tmp_path, body, "--as", meant)
    assert done.code == 0 and "The result is that of " + words in done.output, done.output
