"""Parts of rankscope.hpp that are made in the header: collectives with counts, operators of one's own, grids, complex."""
import pytest

PROGRAM = """#include <rankscope.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <exception>
#include <numeric>
#include <string>
#include <thread>
#include <vector>
#include <unistd.h>
int deep(int one) {
  volatile int many[1000] = {one};
  return deep(one + 1) + many[one % 1000];
}
template <class T> void show(int rank, const char* what, const T& values) {
  std::printf("rank %d %s", rank, what);
  for (const auto one : values) std::printf(" %d", int(one));
  std::puts("");
}
struct Pair { int first, last; };
void exchange(rankscope::Communicator& comm, int rank, int n) {
  int got = 0;
  if (rank < n - 1) comm.send(rank + 1, rank), comm.recv(rank + 1, got);
  if (rank > 0) comm.send(rank - 1, rank), comm.recv(rank - 1, got);
}
int main() {
  auto comm = rankscope::join();
  const int n = comm.size(), rank = comm.rank();
  [[maybe_unused]] int got = 0;
  std::vector<int> counts;  // 0, 1, 2 ...
  for (int r = 0; r < n; ++r) counts.push_back(r);
  const std::size_t total = std::size_t(n * (n - 1) / 2);
  BODY
}
"""


class Faulty:
    """All bodies that are wrong when they run, in one program, so that it is compiled once."""

    def __init__(self, folder, bodies):
        self.bodies, self.folder = bodies, folder
        cases = "".join(f"if (which == {k}) {{\n  {body}\n  }}\n" for k, body in enumerate(bodies))
        self.text = PROGRAM.replace("int main() {", "int main(int, char** words) {").replace(
            "BODY", "const int which = std::stoi(words[1]);\n" + cases)
        (folder / "parts.cpp").write_text(self.text)

    def run(self, rankscope, body, *options):
        return rankscope("exec", "-n", 3, *options, "parts.cpp", self.bodies.index(body), folder=self.folder)


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    return Faulty(tmp_path_factory.mktemp("faulty"), [row[0] for row in (*REFUSED, *ENDS, *MISTAKES)])


def run(rankscope, tmp_path, body, ranks=3):
    (tmp_path / "parts.cpp").write_text(PROGRAM.replace("BODY", body))
    return rankscope("exec", "-n", ranks, "parts.cpp")


def test_parts_of_different_sizes(rankscope, tmp_path):
    done = run(rankscope, tmp_path, """
  const std::vector<short> mine(std::size_t(rank), short(10 * rank));
  std::vector<short> all(total + 1, -1);
  comm.allgatherv(mine, all, counts);
  show(rank, "allgatherv", all);
  std::vector<short> gathered(rank == 1 ? total : 0);
  comm.gatherv(mine, gathered, counts, 1);
  show(rank, "gatherv", gathered);
  std::vector<short> back(std::size_t(rank), 0);
  comm.scatterv(gathered, counts, back, 1);
  show(rank, "scatterv", back);
  // From r to s go r * s elements.
  std::vector<int> out, in;
  for (int r = 0; r < n; ++r) out.push_back(rank * r), in.push_back(r * rank);
  std::vector<bool*> unused;
  std::vector<int> give(std::size_t(rank) * total, rank), take(std::size_t(rank) * total, -1);
  comm.alltoallv(give, out, take, in);
  show(rank, "alltoallv", take);
""")
    assert done.code == 0, done.output
    alltoall = {0: [], 1: [1, 2, 2], 2: [1, 1, 2, 2, 2, 2]}
    for rank in range(3):
        for what, values in (("allgatherv", [10, 20, 20, -1]), ("gatherv", [10, 20, 20] if rank == 1 else []),
                             ("scatterv", [10 * rank] * rank), ("alltoallv", alltoall[rank])):
            assert " ".join(map(str, ["rank", rank, what, *values])) in done.lines()


REFUSED = [
    ("std::vector<int> mine(2), all(total); comm.allgatherv(mine, all, counts);", "the counts differ between ranks"),
    ("std::vector<int> mine(std::size_t(rank), 0), all(1); comm.allgatherv(mine, all, counts);",
     "the counts add up to more elements than there are"),
    ("counts.pop_back(); std::vector<int> mine, all; comm.allgatherv(mine, all, counts);", "give one count for each rank"),
    ("std::vector<int> out(3, 1), in{1, 1, rank}, give(3), take(6); comm.alltoallv(give, out, take, in);",
     "the counts differ between ranks"),
    ("std::vector<int> mine(3), all(8); comm.gather(mine, all, 1);", "has 8 elements, and 3 times 3 are needed"),
    ("std::vector<int> mine(3), all(8); comm.allgather(mine, all);", "has 8 elements, and 3 times 3 are needed"),
    ("std::vector<int> mine(3), all(8); comm.scatter(all, mine, 0);", "has 8 elements, and 3 times 3 are needed"),
    ("std::vector<int> mine(3), all(12); comm.reduce_scatter(all, mine);", "has 12 elements, which is not 3 times 3"),
    ("std::vector<int> from(9), to(6); comm.alltoall(from, to);", "the arrays have 9 and 6 elements"),
    ("const rankscope::Grid grid(n, {2, 2});", "the grid has 4 places for 3 ranks"),
]


@pytest.mark.parametrize("body, said", REFUSED)
def test_sizes_that_do_not_fit_are_an_error_with_the_line(rankscope, faulty, body, said):
    done = faulty.run(rankscope, body)
    line = 1 + faulty.text[:faulty.text.index(body)].count("\n")
    assert done.code == 1
    assert said in done.output and f"parts.cpp:{line}" in done.output


def test_operators_of_ones_own(rankscope, tmp_path):
    done = run(rankscope, tmp_path, """
  std::vector<Pair> chain(2, Pair{rank, rank + 1});
  comm.allreduce(chain, [](const Pair& a, const Pair& b) { return Pair{a.first, a.last == b.first ? b.last : -1}; });
  show(rank, "chain", std::vector<int>{chain[0].first, chain[0].last, chain[1].last});
  int largest = rank == 1 ? 7 : rank;
  comm.allreduce(largest, [](int a, int b) { return a > b ? a : b; });
  bool all = rank != 2;
  comm.allreduce(all, [](bool a, bool b) { return a && b; });
  show(rank, "one", std::vector<int>{largest, all});
""", 4)
    assert done.code == 0, done.output
    assert done.lines() == sorted(f"rank {rank} {what}" for rank in range(4) for what in ("chain 0 4 4", "one 7 0"))


def test_an_array_of_all_ranks_may_have_room_for_more(rankscope, tmp_path):
    done = run(rankscope, tmp_path, """
  const std::vector<int> mine(2, rank);
  std::vector<int> all(7, -1), part(2);
  comm.gather(mine, all, 2);
  comm.scatter(all, part, 2);
  show(rank, "part", part);
  show(rank, "all", all);
""")
    assert done.code == 0, done.output
    assert done.lines() == sorted([f"rank {rank} part {rank} {rank}" for rank in range(3)] +
                                  [f"rank {rank} all -1 -1 -1 -1 -1 -1 -1" for rank in range(2)] +
                                  ["rank 2 all 0 0 1 1 2 2 -1"])


def test_a_grid_of_ranks(rankscope, tmp_path):
    done = run(rankscope, tmp_path, """
  const rankscope::Grid open(n, {2, 3}), around(n, {2, 3}, true);
  const auto number = [](std::optional<int> one) { return one.value_or(-1); };
  const auto place = open.place(rank);
  show(rank, "grid", std::vector<int>{place[0], place[1], number(open.rank(place)), number(open.neighbour(rank, 0, 1)),
                                      number(open.neighbour(rank, 1, -1)), number(around.neighbour(rank, 0, 1)),
                                      number(around.neighbour(rank, 1, -1))});
""", 6)
    assert done.code == 0, done.output
    for rank in range(6):
        row, column = divmod(rank, 3)
        down, left = (rank + 3 if row == 0 else -1), (rank - 1 if column > 0 else -1)
        expected = [row, column, rank, down, left, (rank + 3) % 6, row * 3 + (column - 1) % 3]
        assert " ".join(map(str, ["rank", rank, "grid", *expected])) in done.lines()


def test_complex_numbers_have_sums(rankscope, tmp_path):
    done = run(rankscope, tmp_path, """
  std::vector<std::complex<double>> all(3, {double(rank), 1.0});
  std::complex<double> part;
  comm.reduce_scatter(all, part);
  comm.allreduce(all);
  comm.broadcast(all, 1);
  show(rank, "complex", std::vector<double>{all[2].real(), all[2].imag(), part.real(), part.imag()});
  try {
    comm.allreduce(all, rankscope::Op::max);
  } catch (const rankscope::Error&) {
    show(rank, "refused", std::vector<int>{});
  }
""")
    assert done.code == 0, done.output
    assert done.lines() == sorted(f"rank {rank} {what}" for rank in range(3) for what in ("complex 3 3 3 3", "refused"))


# How a rank ends, and what must not be said of the others.
ENDS = [
    ("std::array<int, 3> three{}; if (rank == 1) three[std::size_t(n)] = 1; comm.barrier();",
     "a check of the standard library failed: __n < this->size()", "it called abort()"),
    ("if (rank == 1) std::thread([] {}).detach(), std::terminate(); comm.barrier();", "no exception was thrown", "rank 0"),
    ("if (rank == 1) deep(1); comm.barrier();", "its stack is full", "does not have"),
    ("if (rank == 1) *reinterpret_cast<volatile int*>(1 << 20) = got; comm.barrier();", "--sanitize address", "raised this error"),
    ("if (rank == 1) _exit(0); comm.barrier();", "rank 1 exited with code 0", "lost rank  rank 0"),
    ("if (rank == 0) comm.send(1, rank); else if (rank == 1) (void)comm.irecv(0, got);",
     "nobody waits for rank 1's receive", "rank 0's send"),
]


@pytest.mark.parametrize("body, said, never", ENDS)
def test_how_a_rank_ends(rankscope, faulty, body, said, never):
    done = faulty.run(rankscope, body)
    assert done.code == 1
    assert said in done.output
    assert never not in done.output


def test_a_message_that_comes_is_no_write_by_the_program(rankscope, tmp_path):
    done = run(rankscope, tmp_path, """
  std::vector<double> cells(6, rank);
  for (int step = 0; step < 30; ++step) {
    std::vector<rankscope::Request> open;
    if (rank > 0) {
      open.push_back(comm.irecv(rank - 1, cells.front()));
      open.push_back(comm.isend(rank - 1, cells[1]));
    }
    if (rank < n - 1) {
      open.push_back(comm.irecv(rank + 1, cells.back()));
      open.push_back(comm.isend(rank + 1, cells[4]));
    }
    rankscope::wait_all(open);
  }
""")
    assert done.code == 0, done.output
    assert "buffer in use" not in done.output


def test_halves_are_summed_in_float_and_rounded_once(rankscope, tmp_path):
    done = run(rankscope, tmp_path, """
  using Half = _Float16;
  const std::vector<Half> mine{Half(float(rank) + 0.5F), Half(60000), Half(rank == 1 ? -65504 : 0), Half(2048), Half(1)};
  auto sum = mine, most = mine, least = mine, mean = mine, product = mine;
  comm.allreduce(sum);
  comm.allreduce(most, rankscope::Op::max);
  comm.allreduce(least, rankscope::Op::min);
  comm.allreduce(mean, rankscope::Op::avg);
  comm.allreduce(product, rankscope::Op::product);
  const std::vector<Half> blocks(6, Half(float(rank)));
  std::vector<Half> part(2), last{Half(rank)};
  comm.reduce_scatter(blocks, part);
  comm.reduce(last, 2);
  comm.broadcast(last, 2);
  for (const auto& one : {sum, most, least, mean, product, part, last}) {
    std::printf("rank %d", rank);
    for (const Half value : one) std::printf(" %g", double(value));
    std::puts("");
  }
""")
    assert done.code == 0, done.output
    # 3 times 60000 is beyond the largest half, 65504.
    expected = ["4.5 inf -65504 6144 3", "2.5 60000 0 2048 1", "0.5 60000 -65504 2048 1",
                "1.5 60000 -21840 2048 1", "1.875 inf 0 inf 1", "3 3", "3"]
    for rank in range(3):
        for values in expected:
            line = f"rank {rank} {values}"
            assert line in [one.replace("-0", "0") if "-0 " in one else one for one in done.lines()], (line, done.lines())


def test_collectives_in_the_background(rankscope, tmp_path):
    done = run(rankscope, tmp_path, """
  std::vector<int> sum{rank, 1}, all(std::size_t(n), -1);
  std::vector<double> from_one{rank == 1 ? 7.0 : 0.0}, at_two{double(rank)};
  const int mine = 10 * rank;
  std::vector<rankscope::Request> open;
  open.push_back(comm.iallreduce(sum));
  open.push_back(comm.ibroadcast(from_one, 1));
  open.push_back(comm.ireduce(at_two, 2, rankscope::Op::max));
  open.push_back(comm.iallgather(mine, all));
  open.push_back(comm.ibarrier());
  int next = -1;
  comm.sendrecv((rank + 1) % n, rank, (rank - 1 + n) % n, next);
  while (!open.front().test()) {
  }
  rankscope::wait_all(open);
  show(rank, "done", std::vector<int>{sum[0], sum[1], int(from_one[0]), rank == 2 ? int(at_two[0]) : -1, all[2], next});
  auto last = comm.ibarrier();
  try {
    (void)rankscope::wait_any(std::span(&last, 1));
  } catch (const rankscope::Error&) {
    show(rank, "refused", std::vector<int>{});
  }
  last.wait();
""")
    assert done.code == 0, done.output
    for rank in range(3):
        assert f"rank {rank} done 3 3 7 {2 if rank == 2 else -1} 20 {(rank - 1) % 3}" in done.lines()
        assert f"rank {rank} refused" in done.lines()


@pytest.mark.parametrize("body, said", [
    ("auto one = comm.iallreduce(std::vector<int>(3)); one.wait();", "pass memory that lasts until the wait"),
    ("std::vector<short> all(3); auto one = comm.iallreduce(all); one.wait();", "the call without i takes other types"),
])
def test_what_a_collective_in_the_background_cannot_take(rankscope, tmp_path, body, said):
    done = run(rankscope, tmp_path, body)
    assert done.code == 2 and said in done.output


# Mistakes, and what is said of them: body, options, exit code, what is said, what is not.
MISTAKES = [
    ("float loss = 1; double mean = 2; comm.allreduce(loss);\n  if (rank == 0)\n    comm.allreduce(mean);\n"
     "  for (int i = 0; i < 2; ++i) comm.allreduce(loss);", [],
     ["Pass the same dtype on all ranks, if the two lines are one call; if they are two"], "which the other ranks do not"),
    ("float loss = 1; double mean = 2;\n  for (int i = 0; i < 2; ++i) {\n    comm.allreduce(loss);\n    if (rank == 0)\n"
     "      comm.allreduce(mean);\n  }", [],
     ["which the other ranks do not", "which condition lets only rank 0 come to it"], "dtype"),
    ("int size = 3; std::vector<double> data(3);\n  if (rank == 0)\n    comm.send(1, data), comm.send(1, size);\n"
     "  if (rank == 1) comm.recv(0, size), comm.recv(0, data);", [],
     ["the next message of rank 0 at", "Receive in the order of the sends"], "Give both sides the same count"),
    ("std::vector<float> all(6), some(rank == 0 ? 4 : 6);\n  if (rank == 0) comm.send(1, some);\n  if (rank == 1)\n"
     "    comm.recv(0, all);", [], ["hint: size mismatch", "has 16 bytes only, where the receive expects 24"], "error"),
    ("std::vector<float> all(6), some(rank == 0 ? 4 : 6);\n  if (rank == 0) comm.send(1, some);\n  if (rank == 1)\n"
     "    got = int(comm.recv(0, all).bytes);", [], ["ended well"], "size mismatch"),
    ("if (rank == 0) comm.send(1, rank, 2);\n  if (rank == 1) {\n    auto one = comm.irecv(0, got, 1);\n"
     "    while (!one.test()) {\n    }\n  }", ["--timeout", 3],
     ["has tag 2", "takes tag 1 only", "had not ended its irecv from rank 0"], "was in"),
    ("double x = 0; do { x = 1; comm.allreduce(x); } while (x > 0);", ["--timeout", 3],
     ["all ranks call allreduce", "again and again"], "find out which rank it waits for"),
    ("comm.sendrecv(rank ^ 1, rank, rank ^ 1, got);", [],
     ["rank 3 does not exist", "3 is no power of two"], "raised this error"),
    ("if (rank > 0) comm.send(1, rank, 0);\n  for (int r = 1; rank == 0 && r < n; ++r)\n    comm.recv(rankscope::any, got, 1);", [],
     ["The destination and the tag of the send seem to be swapped", "Send to rank 0 with tag 1"], "itself"),
    ("if (rank == 1) comm.send(0, rank, 200), comm.recv(0, got, 301);\n  if (rank == 0)\n"
     "    comm.recv(1, got, 201), comm.send(1, rank, 301);", [],
     ["The tags differ", "has tag 200", "takes tag 201 only"], "before it has sent its own"),
    ("std::vector<double> a(5);\n  std::vector<float> b(5);\n  if (rank == 1) comm.send(0, a);\n"
     "  if (rank == 0)\n    comm.recv(1, b);", [],
     ["Both sides give 5 elements", "Make both arrays of one type"], "warning: dtype"),
    ("std::vector<int> marks(3);\n  try {\n    if (rank == 1) throw std::out_of_range(\"mark 7\");\n"
     "    if (rank == 1) comm.send(0, marks);\n    if (rank == 0)\n      comm.recv(1, marks);\n"
     "  } catch (const std::exception&) {\n  }", [],
     ["rank 1 ended while rank 0 still waits", "it had caught std::out_of_range: mark 7"], "wrong source"),
    ("std::vector<int> halo(2);\n  for (int t = 0; t < 2; ++t) {\n    auto one = comm.irecv((rank + 1) % n, halo[0]);\n"
     "    auto two = comm.isend((rank + 2) % n, halo[1]);\n    two.wait();\n  }", [],
     ["request never waited for"], "needs buffered sends"),
    ("std::vector<int> halo(1), mine(1, rank);\n  auto in = comm.irecv((rank + 1) % n, halo);\n"
     "  comm.send((rank + n - 1) % n, mine);\n  got = mine[0] + halo[0];\n  in.wait();", [],
     ["reads \"halo\" before the wait for the receive", "Wait first"], "error"),
    ("std::vector<int> halo(1), mine(1, rank);\n  auto in = comm.irecv((rank + 1) % n, halo);\n"
     "  comm.send((rank + n - 1) % n, mine);\n  if (got > 5) got = halo[0] + 1;\n  int& one = halo[0];\n"
     "  in.wait();\n  got = one;", [], ["ended well"], "before the wait"),
    ("std::vector<int> list;\n  list.reserve(2);\n  if (rank == 1) comm.send(0, std::vector<int>(2));\n"
     "  if (rank == 0)\n    comm.recv(1, list);", [],
     ["has room for 0 only", "reserve() gives it none"], "raised this error"),
    ("got = std::stoi(rank == 1 ? \"two\" : \"2\"); comm.barrier();", [],
     ["std::invalid_argument: stoi: the text does not begin with a number"], "out_of_range"),
    ("double left = rank == 0 ? 1 : 2;\n  while (left > 0) {\n    comm.allreduce(got);\n    left -= 1;\n  }", [],
     ["rank 0 ended without call 2", "Rank 0 makes this call 1 time, the other ranks once more",
      "what ends the loop at parts.cpp:"], "a communicator of those that do"),
    ("struct Local {\n    static void take(rankscope::Communicator& c, std::vector<int> rows) {\n"
     "      c.recv(1, rows);\n    }\n  };\n  std::vector<int> rows(2);\n  if (rank == 0) Local::take(comm, rows);\n"
     "  if (rank == 1) comm.send(0, rows);", [],
     ["goes into rows, the copy of an array that take() takes", "std::vector<int>& rows"], "error"),
    ("struct Local {\n    static auto post(rankscope::Communicator& c, int to) {\n"
     "      std::vector<double> sent(200, 1);\n      return c.isend(to, sent);\n    }\n  };\n"
     "  auto one = Local::post(comm, (rank + 1) % n);\n  std::vector<double> other(300, -1), in(200);\n"
     "  comm.recv((rank + n - 1) % n, in);\n  one.wait();", [],
     ["post has returned since it began the send", "Keep the array where it lives"], "a second buffer"),
    ("std::vector<float> sent(4);\n  std::vector<double> room(4);\n  if (rank == 1) comm.send(0, sent);\n"
     "  if (rank == 0)\n    comm.recv(1, room);", [],
     ["sent as float32 and received as float64", "They fill 16 of its 32 bytes"], "size mismatch"),
    ("std::vector<int> tally{rank, rank + 4}, other(2);\n  comm.watch(\"tally\", tally);\n"
     "  if (rank > 0) comm.send(0, tally);\n  for (int r = 1; rank == 0 && r < n; ++r) {\n    comm.recv(r, other);\n"
     "    for (int i = 0; i < 2; ++i) tally[i] = other[i] + other[i];\n  }", ["--as", "reduce:0", "--data", "tally"],
     ["has rank 2 twice and lacks ranks 0 and 1; this is the only line that changes tally after its watch"],
     "chunk"),
    ("std::vector<int> table(3);\n  for (int i = 0; i <= n; ++i) got += table.at(std::size_t(i));", [],
     ["failed: std::out_of_range", "The index 3 is one past the end: the last element is 2"], "raised this error"),
    ("for (int r = 1; rank == 0 && r <= n; ++r)\n    comm.send(r, got);", [],
     ["rank 3 does not exist", "The ranks go from 0 to 2: let the loop in line"], "neighbour modulo the size."),
    ("std::vector<double> field(rank == 0 ? 5 : 0);\n  comm.broadcast(field, 0);", [],
     ["rank 0 calls broadcast with 5 elements", "Give the array its size on ranks 1 and 2"], "lost rank"),
    ("auto* const sum = new double[4];\n  sum[0] = rank;\n  comm.allreduce(std::span(sum, 4));", [],
     ["hint: doubtful numbers", "sends 3 elements of an array that nobody has written"], "error"),
    ("volatile double none = got;\n  got = int(counts.size());\n  const double mean = none / none;\n"
     "  if (mean == mean) comm.barrier();", [],
     ["hint: doubtful numbers", "the first value that is not a number (NaN) arises", "It is 0 / 0"], "error"),
    ("double change = 1, halo = 0;\n  while (change > 0.5) {\n    if (rank == 0) comm.recv(1, halo);\n"
     "    if (rank == 1) comm.send(0, change);\n    change = rank == 0 ? 1 : 0;\n  }\n  comm.barrier();", [],
     ["Rank 1 has left the loop at parts.cpp:", "after 1 exchange with rank 0", "an allreduce of change after line"],
     "with no message between"),
    ("for (int r = 1; rank == 0 && r < n - 1; ++r)\n    comm.send(r, got);\n  if (rank > 0)\n    comm.recv(0, got);", [],
     ["goes to rank 1 only, where the receive at parts.cpp:", "go to rank 2, too"], "Add the send"),
    ("struct Local {\n    static void sum(rankscope::Communicator& c, int one) {\n      if (one == 2)\n"
     "        return;\n      c.allreduce(one);\n    }\n  };\n  Local::sum(comm, rank);\n  comm.barrier();", [],
     ["rank 2 may leave by the return in line", "Let all ranks come to the call at parts.cpp:"], "if rank == 0"),
    ("if (rank == 2) comm.send(1, rank);\n  if (rank == 0) comm.recv(2, got);", [],
     ["rank 1 calls nothing more and takes no message from rank 2"], "no receive matched"),
    ("std::vector<int> heard(1, rank);\n  comm.reduce(heard, 0);\n  comm.broadcast(heard, 0);\n  if (rank == 1) {\n"
     "    got = heard[0] + 1;\n  }", [], ["ended well"], "uses heard"),
    ("const auto square = [](int x) { return x * x; };\n  if (rank != 2) comm.allreduce(got = square(rank));\n  comm.barrier();",
     [], ["rank 2 calls barrier"], "may leave by the return"),
    ("volatile double below = -1;\n  got = int(counts.size());\n  const double logs = std::log(below);\n"
     "  if (logs == logs) comm.barrier();", [],
     ["(NaN) arises", "It is what a function of <cmath> returns where it has no result"], "0 / 0"),
    ("volatile double none = std::nan(\"\"), zero = 0;\n  if (none < 1) got = 1;\n  const double mean = zero / zero;\n"
     "  if (mean == mean) comm.barrier();", [], ["(NaN) arises", "It is 0 / 0"], "error"),
    ("if (rank == 1) throw std::out_of_range(\"Grid::at (3, 4)\");\n  comm.barrier();", [],
     ["Grid::at (3, 4)", "The program itself throws there"], "not in the map"),
    ("std::vector<double> rain{rank + 0.5, 1.25}, each(2 * n);\n  comm.watch(\"rain\", rain);\n"
     "  comm.allgather(std::vector<double>(rain), each);\n  rain.assign(2, 0);\n"
     "  rain[0] = std::accumulate(each.begin(), each.end(), 0);", ["--as", "allreduce", "--data", "rain"],
     ["the sum begins there with 0, an int", "Begin it with 0.0"], "boundary"),
    ("std::vector<double> mean(2, rank + 1.5);\n  comm.watch(\"mean\", mean);\n  comm.allreduce(mean);\n"
     "  for (double& one : mean)\n    one *= 1 / n;", ["--as", "allreduce:mean", "--data", "mean"],
     ["1 / n is 0 there", "Divide 1.0 by n"], "Their data are not in"),
    ("std::vector<int> ring(2, rank), in(2);\n  comm.watch(\"ring\", ring);\n  const auto own = ring;\n"
     "  for (int step = 1; step < n; ++step) {\n    auto passing = own;\n"
     "    comm.sendrecv((rank + 1) % n, passing, (rank + n - 1) % n, in);\n"
     "    for (int i = 0; i < 2; ++i) ring[i] += in[i];\n    passing = in;\n  }", ["--as", "allreduce", "--data", "ring"],
     ["every rank sends the same data in each step: passing is set again there"], "begin with zeros"),
    ("std::vector<int> twice(2, rank), in(2);\n  comm.watch(\"twice\", twice);\n"
     "  comm.sendrecv((rank + 1) % n, twice, (rank + n - 1) % n, in);\n  for (int i = 0; i < 2; ++i) twice[i] += in[i];\n"
     "  comm.sendrecv((rank + 1) % n, twice, (rank + n - 1) % n, in);\n  for (int i = 0; i < 2; ++i) twice[i] += in[i];",
     ["--as", "allreduce", "--data", "twice"],
     ["every rank sends there to the same rank as at parts.cpp:"], "begin with zeros"),
    ("std::vector<int> heat(2, rank), part(2);\n  comm.watch(\"heat\", heat);\n  if (rank == n - 1)\n"
     "    for (int r = 0; r < n - 1; ++r) {\n      comm.recv(r, part);\n      for (int i = 0; i < 2; ++i) heat[i] += part[i];\n    }\n"
     "  else\n    comm.send(n - 1, heat);\n  if (rank == 0)\n    for (int r = 1; r < n; ++r) comm.send(r, heat);\n"
     "  else\n    comm.recv(0, heat);", ["--as", "allreduce", "--data", "heat"],
     ["rank 0 hands out its own data there; rank 2 has those of all", "Hand out from rank 2"], "sends nothing"),
    ("std::vector<int> votes(2, rank + 1), cast(2 * n);\n  comm.watch(\"votes\", votes);\n  comm.gather(votes, cast, 0);\n"
     "  if (rank == 0)\n    for (int r = 0; r < n; ++r)\n      for (int i = 0; i < 2; ++i) votes[i] += cast[2 * r + i];\n"
     "  comm.broadcast(votes, 0);", ["--as", "allreduce", "--data", "votes"],
     ["this loop goes through all ranks", "Leave rank 0 out of the loop"], "begin with zeros"),
    ("struct Local {\n    Local* parent = nullptr;\n    int rank = 1;\n  } self;\n  Local* volatile one = &self;\n  comm.barrier();\n"
     "  if (rank == 2)\n    comm.send(one->parent->rank, rank);", [],
     ["SIGSEGV: it used a null pointer", "one or parent is null on this rank"], "memory was overwritten"),
    ("std::vector<int> bins(3);\n  comm.barrier();\n  const auto bin = std::size_t(rank + 1);\n  ++bins.at(bin);", [],
     ["The index is bin, which line", "Keep it below 3 there"], "bound of the loop"),
    ("if (rank < n) comm.send(rank + 1, got);\n  if (rank > 0) comm.recv(rank - 1, got);", [],
     ["rank 3 does not exist", "Leave it out there (rank + 1 < size)"], "raised this error"),
    ("for (int step = 0; step < 2; ++step) {\n    if (rank > 0) comm.send(0, rank, step);\n"
     "    for (int r = 1; rank == 0 && r < n; ++r) comm.recv(r, got, step);\n"
     "    for (int r = 1; rank == 0 && r < n; ++r) comm.send(r, got, step);\n"
     "    if (rank > 0) comm.recv(0, got, step + 1);\n  }", [],
     ["The tags differ", "has tag 0", "takes tag 1 only"], "before it has sent its own"),
    ("for (int r = 0; rank > 0 && r < 6 - rank; ++r) comm.send(0, r);\n  if (rank == 0)\n"
     "    for (int from = 1; from < n; ++from) {\n      const int expected = 5;\n"
     "      for (int i = 0; i < expected; ++i)\n        comm.recv(from, got);\n    }", [],
     ["Rank 2 sends 4 messages there", "receives one more from it", "Let expected, computed in line"], "wrong source"),
    ("auto pair = *comm.split(rank > 0);\n  if (rank < 2)\n    comm.allreduce(got);\n  pair.barrier();", [],
     ["Rank 2 passed the call", "Call it on a communicator of ranks 0 and 1 alone"], "Move the call out"),
    ("const std::vector<std::string> words(rank == 2 ? 0 : 2, \"ab\");\n  comm.barrier();\n"
     "  got = int(std::max_element(words.begin(), words.end())->size());", [],
     ["words is empty there", "Test words.empty() before"], "A pointer of this line"),
    ("std::vector<int> table(n);\n  std::vector<rankscope::Request> all;\n  for (int r = 0; r < n; ++r)\n"
     "    if (r != rank) all.push_back(comm.irecv(r, table[std::size_t(rank)]));\n"
     "  for (int r = 0; r < n; ++r)\n    if (r != rank) comm.send(r, rank);\n  rankscope::wait_all(all);", [],
     ["buffer in use", "let r, the rank that the message comes from, choose the place"], "a second buffer"),
    ("if (rank == 1) {\n    comm.recv(0, got, 4);\n    comm.send(0, rank, 4);\n  }\n  if (rank == 0) {\n"
     "    comm.send(1, rank, 4);\n    comm.recv(1, got, 5);\n  }", [],
     ["No send has tag 5", "Give both the same tag: send tag 5 at parts.cpp:"], "a receive of tag 4"),
    ("const int helpers = comm.size() - 1, chores = 7;\n  if (rank > 0)\n    for (int job = comm.rank(); job < chores; job += helpers)\n"
     "      comm.send(0, job);\n  else\n    for (int i = 0; i < chores; ++i) comm.recv(rankscope::any, got);", [],
     ["job begins rank 1 with 1, rank 2 with 2, and none with 0", "Begin it 1 lower: comm.rank() - 1"], "as many as the others"),
    ("if (rank == 1) comm.recv(rank, got);", [], ["A rank that waits for a message from itself cannot send it"],
     "one of the two"),
    ("if (rank == 0) comm.send(1, rank);\n  if (rank == 1) {\n    auto one = comm.irecv(0, got);\n"
     "    while (!one.test()) {\n    }\n    if (one.wait().source != 0) comm.barrier();\n  }", [],
     ["ended well"], "never waited for"),
    ("std::vector<int> first(n, 0);\n  got = first.at(rank + 1);\n  comm.barrier();", [],
     ["one element for each rank", "add an entry for the end"], "Check the bound of the loop"),
    ("comm.barrier();\n  std::size_t most = 9;\n  std::vector<int> mine(3);\n  std::vector<int> rest(mine.size() - most);", [],
     ["mine.size() - most is less than 0 there", "(most - mine.size())"], "std::max"),
    ("const int partner = 3 - rank;\n  const bool first = rank < 1;\n  if (partner < 3) {\n    if (first) {\n"
     "      comm.send(partner, rank);\n      comm.recv(partner, got);\n    } else {\n      comm.recv(partner, got);\n"
     "      comm.send(partner, rank);\n    }\n  }", [],
     ["They exchange with each other, and both come to", "true on one of each two: rank < partner"], "form pairs"),
]


def test_a_message_that_does_not_fit_names_where_its_array_is_made(rankscope, tmp_path):
    done = run(rankscope, tmp_path, """
  std::vector<int> all(6, rank);
  std::vector<int> part(4);
  if (rank == 0) comm.send(1, all);
  if (rank == 1)
    comm.recv(0, part);
""")
    assert "has room for 16 only; part is made at parts.cpp:37" in done.output, done.output


def test_a_condition_is_where_it_is_written(rankscope, tmp_path):
    done = run(rankscope, tmp_path, """
  const int partner = 2 - rank;
  if (rank % 2 != 0) {
    comm.send(partner, rank);
    comm.recv(partner, got);
  } else {
    comm.recv(partner, got);
    comm.send(partner, rank);
  }
""")
    assert "the branch at parts.cpp:37 sends first" in done.output, done.output
    assert "Let the condition at parts.cpp:37 be true" in done.output, done.output


def test_a_loop_may_call_the_function_that_exchanges(rankscope, tmp_path):
    done = run(rankscope, tmp_path, """
  double change = 4 - 2 * rank;
  while (change > 1) {
    exchange(comm, rank, n);
    change = change - 1;
  }
""", 2)
    assert "Rank 1 has left the loop" in done.output, done.output
    assert "an allreduce of change after line 39" in done.output


@pytest.mark.parametrize("body, options, said, never", MISTAKES)
def test_mistakes_are_named_by_what_is_known(rankscope, faulty, body, options, said, never):
    done = faulty.run(rankscope, body, *options)
    for words in said:
        assert words in done.output, done.output
    assert never not in done.output, done.output


def test_a_remainder_that_belongs_to_no_rank_is_a_hint(rankscope, tmp_path):
    done = run(rankscope, tmp_path, "const int rows = 10;\n  const int mine = rows / comm.size();\n  comm.allreduce(got = mine);")
    assert "10 / 3 is 3 in whole numbers, which leaves 1 over" in done.output, done.output
    done = run(rankscope, tmp_path, "const int rows = 10;\n  const int mine = rows / n + (rank < rows % n ? 1 : 0);\n"
                                    "  comm.allreduce(got = mine);")
    assert done.code == 0 and "hint" not in done.output, done.output
    done = run(rankscope, tmp_path, "const int all = 1000;\n  for (int i = 2; i < 3; ++i) got = all / i;\n  comm.allreduce(got);")
    assert done.code == 0 and "hint" not in done.output, done.output


def test_a_result_of_the_root_that_another_rank_uses_is_a_hint(rankscope, tmp_path):
    done = run(rankscope, tmp_path, "std::vector<int> sums(1, rank);\n  comm.reduce(sums, 0);\n"
                                    "  if (rank == 1) {\n    got = sums[0] + 1;\n  }")
    assert "rank 1 uses sums, the result of the reduce" in done.output, done.output


THREADS = """
  std::vector<std::thread> pool;
  for (int t = 1; t < 3; ++t)
    pool.emplace_back([&, t] {
      const int peer = rank ^ 1;
      int mine = rank, theirs = -1;
      if (rank < peer) comm.send(peer, mine, t), comm.recv(peer, theirs, t);
      else comm.recv(peer, theirs, t), comm.send(peer, mine, t);
    });
  for (auto& one : pool) one.join();
"""


def threaded(tmp_path, body):
    (tmp_path / "threads.cpp").write_text(
        PROGRAM.replace("BODY", body).replace("rankscope::join()", "rankscope::join(rankscope::Threads::multiple)"))


def test_several_threads_of_a_rank_need_no_buffered_sends(rankscope, tmp_path):
    threaded(tmp_path, THREADS)
    done = rankscope("exec", "-n", 4, "threads.cpp")
    assert done.code == 0 and "needs buffered sends" not in done.output, done.output
    done = rankscope("exec", "-n", 4, "--explore", 4, "threads.cpp")
    assert done.code == 2 and "joins with Threads::multiple" in done.output, done.output


@pytest.mark.parametrize("sanitizer, body, said", [
    ("address", """
  auto* const memory = new std::vector<double>(3);
  auto one = comm.irecv((rank + 1) % n, *memory);
  delete memory;
  comm.send((rank + 2) % n, std::vector<double>(3));
  one.wait();""", "failed: AddressSanitizer: heap-use-after-free: the array of the request that begins at parts.cpp:"),
    ("address,undefined", "comm.allreduce(got);\n  got += 2147483000 + 1000 * n;",
     "failed: UndefinedBehaviorSanitizer: Signed integer overflow"),
    ("thread", """
  long hits = 0;
  const auto count = [&] { for (int i = 0; i < 30000; ++i) hits = hits + 1; };
  std::thread one(count), two(count);
  one.join(), two.join();
  comm.allreduce(hits);""", "failed: ThreadSanitizer"),
])
def test_what_a_sanitizer_finds_is_the_reason_of_all_ranks(rankscope, tmp_path, sanitizer, body, said):
    (tmp_path / "parts.cpp").write_text(PROGRAM.replace("BODY", body))
    done = rankscope("exec", "-n", 3, "--sanitize", sanitizer, "--timeout", 40, "parts.cpp")
    assert done.code == 1 and said in done.output, done.output
    assert "has not answered" not in done.output and "took longer" not in done.output


def test_a_misspelt_name_and_an_array_that_cannot_be_sent_say_so_last(rankscope, tmp_path):
    done = run(rankscope, tmp_path, "std::vector<int> data(3, rank); comm.watch(\"data\", data); comm.allreduce(data);")
    assert done.code == 0
    done = rankscope("exec", "-n", 3, "--as", "allreduce", "--data", "dta", "parts.cpp")
    assert done.code == 2 and "is called 'dta'" in done.output, done.output
    done = run(rankscope, tmp_path, "const std::vector<int> data(3); comm.recv(0, data);")
    assert done.code == 2
    last = [line for line in done.output.splitlines() if "cannot be compiled" in line]
    assert "parts.cpp:" in last[0] and "pass memory that may be written" in last[0], done.output
