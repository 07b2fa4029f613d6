// Which line of a program's text writes to an array.
#include "engine/analysis/findings/source_lines.h"

#include "engine/analysis/findings/early_reads.h"
#include "engine/analysis/findings/findings.h"
#include "engine/analysis/findings/source_calls.h"
#include "engine/analysis/findings/source_peers.h"
#include "tests/support/catch.h"
#include "tests/support/scripted_run.h"

using namespace rankscope;
using finder::writes_to;
using test::ScriptedRun;

namespace {

/// worker.py with this text; the sites of its lines are those of `at`.
class Program {
 public:
  explicit Program(std::string text) : run_(2) {
    run_.meta.sources = {{"course/worker.py", std::move(text)}};
  }
  std::uint32_t site(std::uint32_t line) {
    run_.line(line);
    run_.send(0, 1);
    return run_.last().site;
  }
  Trace trace() const { return run_.trace(); }

 private:
  ScriptedRun run_;
};

/// The text of a program in C++, at a line of it.
Trace cpp_program(std::string text, std::uint32_t line) {
  TraceMeta meta;
  meta.world_size = 1;
  meta.sources = {{"worker.cpp", std::move(text)}};
  EventBatch batch;
  batch.rank = 0;
  Definition site;
  site.kind = Definition::Kind::site;
  site.id = 1;
  site.rank = 0;
  site.file = "worker.cpp";
  site.line = line;
  batch.definitions.push_back(site);
  return make_trace({batch}, meta);
}

std::size_t early_read(const std::string& text, std::size_t wait) {
  Program program(text);
  const auto site = program.site(1);
  const Trace trace = program.trace();
  const auto found = finder::find_early_read(finder::SourceText(trace, site), 1, wait);
  return found ? found->line : 0;
}

}  // namespace

TEST_CASE("source lines: what writes to an array, and what only reads it", "[findings]") {
  for (const char* line :
       {"  x = y", "x += 1", "x[0] = 3", "x[a[1]][2] -= 1", "x.add_(y)", "x.fill(0)",
        "x[1:3].mul_(2)", "x //= 2", "x[i]*=2;", "for (long& v : x) v = b;",
        "for (int i = 0; i < n; ++i) x[i] = i;", "std::fill(x.begin(), x.end(), 0);"}) {
    INFO(line);
    CHECK(writes_to(line, "x"));
  }
  for (const char* line :
       {"y = x", "x == y", "xs = 1", "print(x)", "x.sum()", "x[0", "dist.send(x, 1)", "x.__len__()",
        "", "x", "for (double& v : x) sum += v;", "for (double v : x) v = 1;",
        "std::fill(y.begin(), x.begin(), 0);"}) {
    INFO(line);
    CHECK_FALSE(writes_to(line, "x"));
  }
  CHECK(writes_to("self.grad[2] = 1", "self.grad"));
  CHECK_FALSE(writes_to("anything = 1", ""));
}

TEST_CASE("findings: memory that is written too early is blamed on the write's line",
          "[findings]") {
  ScriptedRun run(2);
  run.meta.sources = {{"course/worker.py",
                       "a\nb\nrequest = isend(data[0])\nprint(data)\n"
                       "data[1] = 4\nrecv(other)\nrequest.wait()\n"}};
  run.memory("data", 0);
  run.line(3);
  const OpId out = run.isend(0, 1);
  run.line(6);
  const std::uint32_t data = run.buffer(0);
  const bool beside = GENERATE(false, true);
  StepEvent& write = run.work(Verb::touch, 0);
  write.kind = EventKind::watch;
  write.out_buffer = data;
  write.out_offset = beside ? 16 : 0;
  write.bytes = 16;
  run.line(7);
  run.wait(out);
  run.memory("");
  run.recv(1, out);
  run.end_all();
  const auto found = findings(run.trace());
  if (beside) {
    CHECK(found.empty());
    return;
  }
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == Finding::Kind::buffer_in_use);
  CHECK(found[0].site == "worker.py:5");
  CHECK_THAT(found[0].what, ContainsSubstring("the code at worker.py:5 writes memory of \"data\""));
}

TEST_CASE("findings: a message that has come is no write of the program", "[findings]") {
  const bool same_line = GENERATE(true, false), has_text = GENERATE(true, false);
  ScriptedRun run(2);
  if (has_text)
    run.meta.sources = {
        {"course/worker.py", "a\nb\nc\nd\ne\nf = irecv(data)\ndata[1] = 4\nisend(g)\n"}};
  const OpId out = run.send(0, 1);
  run.memory("data", 0);
  run.line(6);
  const OpId in = run.irecv(1, 0);
  run.arrive(in, out);
  run.line(same_line ? 6 : 8);
  const std::uint32_t data = run.buffer(1);
  StepEvent& write = run.work(Verb::touch, 1);
  write.kind = EventKind::watch;
  write.out_buffer = data;
  write.bytes = 16;
  run.wait(in);
  run.end_all();
  CHECK(findings(run.trace()).empty() == (same_line || !has_text));
}

TEST_CASE("source calls: peers, loops and tags are read from the text", "[findings]") {
  Program program(
      "for step in range(3):\n"
      "    dist.send(x, partner, tag=2)\n"
      "    comm.Sendrecv(x, right, 0, y, (rank - 1) % size)\n"
      "    y = comm.recv(source=partner,\n"
      "                  tag=1)\n"
      "for peer in (1, 2):\n"
      "    dist.recv(y, src=peer, tag=peer)\n"
      "parts = [comm.recv(source=r) for r in others]\n"
      "dist.recv(y, 0, tag=7)\n");
  std::vector<std::uint32_t> sites{0};
  for (std::uint32_t line = 1; line <= 9; ++line) sites.push_back(program.site(line));
  const Trace trace = program.trace();
  const auto partner = [&](std::size_t line, bool send) {
    return finder::partner_text(trace, sites[line], send);
  };
  CHECK(partner(2, true) == "partner");
  CHECK(partner(2, false).empty());
  CHECK(partner(3, true) == "right");
  CHECK(partner(3, false) == "(rank - 1) % size");
  CHECK(partner(4, false) == "partner");
  CHECK(partner(7, false).empty());  // the loop's variable
  CHECK(partner(8, false).empty());
  CHECK(partner(9, false).empty());  // a number
  for (const std::size_t line : {2, 7, 8}) CHECK(finder::stands_in_for_loop(trace, sites[line]));
  CHECK_FALSE(finder::stands_in_for_loop(trace, sites[9]));
  CHECK(finder::later_tags(trace, sites[4], false) == std::vector<int>{1});
  CHECK(finder::later_tags(trace, sites[7], false) == std::vector<int>{1, 2});
  CHECK(finder::later_tags(trace, sites[2], true) == std::vector<int>{2});
}

TEST_CASE("findings: one array as input and output of an MPI collective", "[findings]") {
  const auto [arguments, shared] =
      GENERATE(table<std::string, bool>({{"x, x, op=MPI.SUM", true},
                                         {"recvbuf=x, sendbuf=x", true},
                                         {"MPI.IN_PLACE, x", false},
                                         {"x, y", false},
                                         {"x[0], x[0]", false}}));
  INFO(arguments);
  ScriptedRun run(2);
  run.meta.job->call.platform = "mpi";
  run.meta.sources = {{"worker.py", "comm.Allreduce(" + arguments + ")\n"}};
  run.line(1);
  for (const Rank rank : {0, 1}) {
    run.call(rank, "allreduce");
    run.returned(rank);
  }
  run.end_all();
  auto found = findings(run.trace());
  std::erase_if(found, [](const Finding& one) { return one.severity == Finding::Severity::hint; });
  REQUIRE(found.size() == (shared ? 1 : 0));
  if (!shared) return;
  CHECK(found[0].site == "worker.py:1");
  CHECK_THAT(found[0].what, ContainsSubstring("\"x\" as input and output"));
  CHECK_THAT(found[0].advice, ContainsSubstring("MPI.IN_PLACE"));
}

TEST_CASE("source lines: in a loop the write above the call is the next round's", "[findings]") {
  Program program("buf = zeros(4)\nfor to in (1, 2):\n    buf[:] = to\n    isend(buf, to)\n");
  const auto site = program.site(4);
  CHECK(finder::write_site(program.trace(), site, site, "buf") == "worker.py:3");
}

TEST_CASE("source lines: the only line that changes an array, where no call may change it",
          "[findings]") {
  const auto [line, found] =
      GENERATE(table<std::string, std::size_t>({{"y = x[0] + x[1];", 3},
                                                {"comm.send(1, x);", 3},
                                                {"if (std::max(x[0], y) > 1) y = 2;", 3},
                                                {"comm.recv(left, x[1]);", 0},
                                                {"std::swap(x[0], x[1]);", 0},
                                                {"std::cin >> x[1];", 0},
                                                {"auto& one = x[1];", 0},
                                                {"comm.sendrecv(1, x, 2, x);", 0}}));
  INFO(line);
  const Trace trace = cpp_program("watch(x);\n  " + line + "\n  x[0] = 4;\n}\n", 1);
  CHECK(finder::only_write(finder::SourceText(trace, 1), "x") == found);
}

TEST_CASE("source calls: an array is a function's own unless it came by reference", "[findings]") {
  const auto [head, line, own] = GENERATE(table<std::string, std::string, bool>(
      {{"Comm& c, int to", "std::vector<double> x(4);", true},
       {"Comm& c, std::vector<double> x", "", true},
       {"Comm& c, int to", "double x[4];", true},
       {"Comm& c, std::vector<double>& x", "", false},
       {"Comm& c, std::span<double> x", "", false},
       {"Comm& c, double *x", "", false},
       {"Comm& c, int to", "static std::vector<double> x(4);", false},
       {"Comm& c, Field& all", "auto& x = all.rows;", false},
       {"Comm& c, int to", "", false}}));
  INFO(head << " / " << line);
  const Trace trace = cpp_program(
      "static auto post(" + head + ") {\n  " + line + "\n  return c.isend(to, x);\n}\n", 3);
  CHECK(finder::is_own_array(finder::SourceText(trace, 1), true) == own);
}

TEST_CASE("source lines: a result that is read before the wait for it", "[findings]") {
  CHECK(early_read("w = dist.all_reduce(g, async_op=True)\nn = g.norm()\nw.wait()\n", 3) == 2);
  CHECK(early_read("w = [dist.all_reduce(g, async_op=True) for g in grads]\n"
                   "n = sum(x.norm() for x in grads)\nw[0].wait()\n",
                   3) == 2);
  CHECK(early_read("r = comm.Irecv(box, source=0)\nif box[0] > 1:\n  pass\nr.Wait()\n", 4) == 2);
  CHECK(early_read("r = comm.Irecv(box, source=0)\nrow = box[0]\nr.Wait()\n", 3) == 0);
  CHECK(early_read("r = comm.Irecv(box, source=0)\nprint(\"box\", box)\nr.Wait()\n", 3) == 2);
  CHECK(early_read("r = dist.irecv(y, 0)\nz = 2 * y\nr.wait()\n", 3) == 2);
  for (const char* between :
       {"n = len(y)", "n = y.shape[0]", "print(\"y\")", "z = x.norm()  # y.norm()",
        "kept.append(y)", "if late:\n  n = y.sum()", "y = torch.zeros(3)\nn = y.sum()",
        "finish(r, y)", "if late: n = y.sum()", "n = y[1:]", "r.wait()\nn = y.sum()", "f(y=3)",
        "v = y.view(2, 2)", "part = y.narrow(0, 0, 1)"}) {
    INFO(between);
    CHECK(early_read(std::string("r = dist.irecv(y, 0)\n") + between + "\nr.wait()\n", 5) == 0);
  }
  const auto reads_halo = [](const std::string& line) {
    const Trace trace = cpp_program("auto r = c.irecv(0, halo);\n" + line + "\nr.wait();\n", 1);
    return finder::find_early_read(finder::SourceText(trace, 1), 1, 3).has_value();
  };
  CHECK(reads_halo("x = halo.at(0);"));
  CHECK_FALSE(reads_halo("halo.at(f(0)) = 3;"));
  CHECK(early_read("r = dist.irecv(y[0:1], 0)\nn = y.sum()\nr.wait()\n", 3) == 0);
}

TEST_CASE("source peers: what an expression of a program's text gives on a rank", "[findings]") {
  Program program(
      "import torch.distributed as dist\n"
      "rank, size = dist.get_rank(), dist.get_world_size()\n"
      "left, right = (rank - 1) % size, (rank + 1) % size  # (both) sides\n"
      "partner = rank ^ 1\n"
      "for step in range(3):\n"
      "    other = rank + step\n"
      "far = left\n"
      "far += 1\n"
      "def next(self):\n"
      "    return (self.rank + 1) % self.n\n");
  const auto site = program.site(1);
  const Trace trace = program.trace();
  const finder::SourceText text(trace, site);
  const auto value = [&](std::string_view expression, Rank rank = 2, int size = 3) {
    return finder::value_of(text, expression, rank, size);
  };
  CHECK(value("right") == 0);
  CHECK(value("left", 0) == 2);
  CHECK(value("partner") == 3);
  CHECK(value("(rank + size - 1) % size", 0) == 2);
  CHECK(value("-rank // 2 + 2 * (size)", 1) == 5);
  CHECK(value("comm.Get_rank() + 1") == 3);
  CHECK(value("self.rank - 1") == 1);
  CHECK(value("self.next") == 0);
  for (const char* unknown : {"other", "far", "step", "peers[rank]", "rank % 0", "rank +",
                              "f(rank)", "", "rank if size else 0", "1.5", "x"}) {
    INFO(unknown);
    CHECK_FALSE(value(unknown));
  }
}

TEST_CASE("source peers: the half that comes next in the same block", "[findings]") {
  const auto next = [](const std::string& text, bool send, Rank peer) {
    Program program(text);
    const auto site = program.site(3);
    const Trace trace = program.trace();  // of two ranks
    return finder::next_peer(trace, {site, send, 1, peer});
  };
  const std::string head = "rank, size = comm.rank, comm.size\nif size > 1:\n";
  CHECK(next(head + "    comm.send(x, p)\n    y = comm.recv(source=p)\n", true, 0) == 0);
  CHECK(next(head + "    comm.recv(y, rank - 1)\n    comm.send(x, 1 - rank)\n", false, 0) == 0);
  // It is another peer than the text says, or another message comes between, or none comes.
  CHECK_FALSE(next(head + "    comm.recv(y, rank)\n    comm.send(x, 1 - rank)\n", false, 0));
  CHECK_FALSE(
      next(head + "    comm.send(x, p)\n    comm.send(y, p)\n    comm.recv(y, p)\n", true, 0));
  CHECK_FALSE(next(head + "    comm.send(x, p, tag=1)\n    comm.recv(y, p, tag=2)\n", true, 0));
  CHECK_FALSE(next(head + "    comm.send(x, p)\n", true, 0));
}
