// Formats of others: written and read again, small files as they are published, mistakes, and random damage.
#include <functional>
#include <map>

#include "engine/core/base/error.h"
#include "engine/core/base/random.h"
#include "engine/studio/formats/chakra.h"
#include "engine/studio/formats/goal.h"
#include "engine/studio/formats/msccl.h"
#include "engine/studio/formats/schedule_file.h"
#include "engine/studio/proof/proof.h"
#include "tests/studio/studio_schedules.h"
#include "tests/support/catch.h"

using namespace rankscope;
using namespace rankscope::test;
using enum Collective;

namespace {

struct NamedSchedule {
  Schedule schedule;
  ScheduleUse use;
};

std::vector<NamedSchedule> examples() {
  std::vector<NamedSchedule> out;
  for (const int n : {2, 3, 4, 7}) {
    out.push_back({ring_schedule(n, true, true), schedule_use(allreduce, n)});
    out.push_back({ring_schedule(n, true, false), schedule_use(reduce_scatter, n)});
    out.push_back({ring_schedule(n, false, true), schedule_use(allgather, n)});
  }
  out.push_back({doubling_schedule(8), schedule_use(allreduce, 8)});
  out.push_back(
      {parse_schedule(
           "chunks 6; 1: 2 -> 0 chunk 1 keep; 1: 2 -> 0 chunk 2 keep; 4: 0 -> 1 all keep"),
       schedule_use(broadcast, 3, 2)});
  return out;
}

OperationFile chakra_again(const OperationFile& in) {
  OperationFile out;
  for (Rank rank = 0; rank < static_cast<Rank>(in.ranks.size()); ++rank)
    read_chakra(write_chakra(in, rank), "x.et", out);
  return out;
}

}  // namespace

TEST_CASE("schedules are written in each format and read back equal", "[studio]") {
  for (const auto& [schedule, use] : examples()) {
    const TaskGraph tasks = dataflow_tasks(schedule, use);
    const Schedule table = normalised(schedule, use.ranks);
    INFO(to_text(schedule));
    const TaskGraph msccl = read_msccl(write_msccl(tasks), "x.xml");
    CHECK(schedule_of(msccl) == table);
    CHECK(read_msccl(write_msccl(msccl), "x.xml") == msccl);
    CHECK(msccl.collective == use.collective);
    CHECK(msccl.root == use.root);
    const OperationFile operations = operations_of(tasks, {});
    const TaskGraph goal = tasks_of(read_goal(write_goal(operations), "x.goal"), "x.goal");
    CHECK(goal == tasks);
    const TaskGraph chakra = tasks_of(chakra_again(operations), "x.et");
    CHECK(chakra == tasks);
    // Tasks of a file stand by thread block, and wait for later ones.
    const OperationFile blocks = operations_of(msccl, {});
    CHECK(tasks_of(read_goal(write_goal(blocks), "x"), "x") == msccl);
    CHECK(tasks_of(chakra_again(blocks), "x") == msccl);
    // Whatever a proof says of one it says of all.
    const bool right = prove(tasks).right();
    CHECK(prove(msccl).right() == right);
    CHECK(prove(goal).right() == right);
  }
}

TEST_CASE("messages are as long as their parts of the vector", "[studio]") {
  const auto tasks = dataflow_tasks(ring_schedule(3, true, true), schedule_use(allreduce, 3));
  const OperationFile file = operations_of(tasks, {.bytes = 40, .element = 4, .gamma = 1e-9});
  std::map<std::uint64_t, int> lengths;
  for (const auto& one : file.ranks[0].operations)
    if (one.kind == ScheduleOperation::send) ++lengths[one.bytes];
  CHECK(lengths == std::map<std::uint64_t, int>{{12, 3}, {16, 1}});  // 4, 3 and 3 elements
  for (const auto& one : file.ranks[0].operations)
    if (one.kind == ScheduleOperation::compute) CHECK(one.time_ns == one.bytes);
  const auto gathered = dataflow_tasks(ring_schedule(3, false, true), schedule_use(allgather, 3));
  CHECK(operations_of(gathered, {.bytes = 40}).ranks[1].operations[0].bytes == 40);
}

// In the way of the files that MSCCL's tools write: an allreduce of two ranks through scratch memory, with waits.
TEST_CASE("MSCCL's steps are read, with fused ones, waits and copies", "[studio]") {
  const std::string text = R"(<?xml version="1.0"?>
<!-- two ranks, both ways at once -->
<algo name="exchange" proto="LL" nchannels="1" nchunksperloop="1" ngpus="2" coll="allreduce" inplace="1">
  <gpu id="0" i_chunks="1" o_chunks="0" s_chunks="1">
    <tb id="0" send="1" recv="1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"/>
      <step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"/>
    </tb>
    <tb id="1" send="-1" recv="-1" chan="0">
      <step s="0" type="nop" srcbuf="i" srcoff="-1" dstbuf="o" dstoff="-1" cnt="0" depid="0" deps="0" hasdep="0"/>
      <step s="1" type="re" srcbuf="s" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="0" deps="1" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="1" o_chunks="0" s_chunks="1">
    <tb id="0" send="0" recv="0" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="rrc" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
</algo>
)";
  const TaskGraph tasks = read_msccl(text, "exchange.xml");
  CHECK(tasks.size() == 6);
  CHECK(tasks.protocol == "LL");
  CHECK(prove(tasks, false).right());
  // Both blocks send before they receive: with rendezvous none goes on.
  CHECK(prove(tasks).faults.at(0).kind == account::Fault::Kind::cycle);
  std::string early = text;
  early.replace(early.find(R"(depid="0" deps="1")"), 18, R"(depid="0" deps="0")");
  CHECK(prove(read_msccl(early, "x.xml"), false).faults.at(0).kind == account::Fault::Kind::race);
  CHECK_THROWS_WITH(schedule_of(tasks), Catch::Contains("scratch"));
}

TEST_CASE("a ring of fused steps is a table of moves", "[studio]") {
  std::string text = R"(<algo name="ring" ngpus="3" coll="allreduce" inplace="1">)";
  for (int r = 0; r < 3; ++r) {
    text += fmt::format(
        R"(<gpu id="{}" i_chunks="3" o_chunks="0"><tb id="0" send="{}" recv="{}" chan="0">)", r,
        (r + 1) % 3, (r + 2) % 3);
    const char* types[] = {"s", "rrs", "rrcs", "rcs", "r"};
    for (int s = 0; s < 5; ++s)
      text += fmt::format(
          R"(<step s="{}" type="{}" srcbuf="i" srcoff="{}" dstbuf="i" dstoff="{}" cnt="1" depid="-1" deps="-1" hasdep="0"/>)",
          s, types[s], (r - s + 6) % 3, (r - s + 6) % 3);
    text += "</tb></gpu>";
  }
  const TaskGraph tasks = read_msccl(text + "</algo>", "ring.xml");
  CHECK(prove(tasks, false).right());
  Schedule ring;
  for (int step = 1; step <= 4; ++step)
    for (Rank r = 0; r < 3; ++r)
      ring.moves.push_back({step, r, wrap(r + 1, 3), wrap(r - step + 1, 3), step < 3});
  CHECK(schedule_of(tasks) == normalised(ring, 3));
}

TEST_CASE("GOAL of others is read: order and sizes are known, data is not", "[studio]") {
  const std::string text =
      "num_ranks 3\n/* a tree\n of three */\nrank 0 {\nl1: send 8b to 1 tag 0 cpu 0\nl2: send 8b "
      "to 2 // the other\n}\n"
      "rank 1 {\nl1: recv 8b from 0 tag 0\nl2: calc 100 cpu 1\nl2 requires l1\n}\nrank 2 {\nrecv "
      "8b from 0\n}\n";
  const TaskGraph tasks = tasks_of(read_goal(text, "tree.goal"), "tree.goal");
  CHECK(tasks.ranks() == 3);
  CHECK(tasks.tasks[1][1].time_ns == 100);
  CHECK(tasks.tasks[1][1].after == std::vector<int>{0});
  const auto proof = prove(tasks);
  CHECK(proof.right());
  CHECK_FALSE(proof.knows_data);
  CHECK_THROWS_WITH(schedule_of(tasks), Catch::Contains("does not say which chunks"));
  // A cycle of waits between two ranks, and a message of another length.
  const std::string blocked =
      "num_ranks 2\nrank 0 {\na: recv 1b from 1\nb: send 1b to 1\nb requires a\n}\nrank 1 {\na: "
      "recv 1b from 0\nb: send 1b to "
      "0\nb requires a\n}\n";
  CHECK(prove(tasks_of(read_goal(blocked, "x"), "x"), false).faults.at(0).kind ==
        account::Fault::Kind::cycle);
  const std::string longer =
      "num_ranks 2\nrank 0 {\nsend 9b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\n";
  CHECK(prove(tasks_of(read_goal(longer, "x"), "x")).faults.at(0).kind ==
        account::Fault::Kind::length);
  CHECK(write_goal(read_goal(write_goal(read_goal(text, "x")), "x")) ==
        write_goal(read_goal(text, "x")));
}

TEST_CASE("mistakes in files are found with file and line", "[studio]") {
  const auto xml = [](std::string_view text, std::string_view what) {
    CHECK_THROWS_WITH(read_msccl(text, "a.xml"), Catch::Contains(std::string(what)));
  };
  xml("", "a.xml:1: there is no element");
  xml("<algo", "<algo has no end");
  xml("<algo name=\"a\" ngpus=\"1\">\n<gpu id=\"0\" i_chunks=\"1\"\n", "a.xml:2");
  xml("<algo name=\"a\" ngpus=\"0\"></algo>", "ngpus of <algo> should be a number from 1");
  xml("<algo name=\"a\" ngpus=\"1\"></algo>", "there is no <gpu id=\"0\">");
  xml("<algo name=\"a\" ngpus=\"1\">\n<tb/></algo>", "a.xml:2: <gpu> should be here");
  xml("<algo name=\"a\" ngpus=\"1\"><gpu id=\"0\" i_chunks=\"1\" o_chunks=\"1\">\n<tb id=\"0\" "
      "send=\"-1\" recv=\"-1\">\n<step s=\"0\" "
      "type=\"rrx\"/></tb></gpu></algo>",
      "a.xml:3: there is no type \"rrx\"");
  xml("<algo name=\"a&nbsp;\"></algo>", "is no entity of XML");
  xml("<algo name=\"a\" ngpus=\"1\">text</algo>", "text where an element");
  xml("<!DOCTYPE a [<!ENTITY b \"c\">]><a/>", "document types");
  const auto goal = [](std::string_view text, std::string_view what) {
    CHECK_THROWS_WITH(read_goal(text, "a.goal"), Catch::Contains(std::string(what)));
  };
  goal("", "no \"num_ranks N\"");
  goal("rank 0 {\n}\n", "a.goal:1: \"num_ranks N\" should come");
  goal("num_ranks 2\nrank 2 {\n}\n", "a.goal:2: the rank should be a number from 0 to 1");
  goal("num_ranks 2\nrank 0 {\nsend 8 to 1\n}\n", "a.goal:3: \"b\" should be here");
  goal("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 0 5\n}\n", "a.goal:3: \"5\" should not be there");
  goal("num_ranks 2\nrank 0 {\nl1 requires l2\n}\n", "a.goal:3: no operation");
  goal("num_ranks 2\nrank 0 {\nrecv 8b from -1\n}\n", "name the sender");
  goal("num_ranks 2\nrank 0 {\n", "have no end");
  OperationFile out;
  CHECK_THROWS_WITH(read_chakra("", "a.0.et", out),
                    Catch::Contains("a.0.et: byte 0: the file is empty"));
  CHECK_THROWS_WITH(read_chakra(std::string("\x01\x08\x07\x00", 4), "a.0.et", out),
                    Catch::Contains("a.0.et"));
  CHECK_THROWS_WITH(schedule_format_of("a.json"), Catch::Contains(".goal"));
  CHECK_THROWS_WITH(
      schedule_from_text("1: 0 -> 1 all", schedule_format_of("a.txt"), "a.txt", {allreduce, 2, {}}),
      Catch::Contains("a.txt: schedule, line 1"));
  CHECK_THROWS_WITH(schedule_from_text("", schedule_format_of("a.txt"), "a.txt", {}),
                    Catch::Contains("--collective"));
}

namespace {

std::string from_hex(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return out;
}

// Made by `protoc --encode` from text, each message behind its length: what write_chakra() should write, and a file of
// others (waits as ctrl_deps, numbers of other types, a metadata node).
constexpr std::string_view kOwnBytes =
    "1d0a05302e302e3412140a0e72616e6b73636f70655f726f6f74ea01013051120373756d18043801"
    "520e0a0969735f6370755f6f70d80100520c0a076e756d5f6f707348c80152100a0b74656e736f72"
    "5f73697a6548c80152160a1172616e6b73636f70655f74696d655f6e7348dc0b5208011202696e18"
    "06520e0a0969735f6370755f6f70d80100520e0a09636f6d6d5f73697a6548ac02520c0a08636f6d"
    "6d5f7372633803520c0a08636f6d6d5f6473743800520c0a08636f6d6d5f74616738005808021203"
    "6f757418052a020001520e0a0969735f6370755f6f70d80100520f0a09636f6d6d5f73697a654880"
    "8040520c0a08636f6d6d5f7372633800520c0a08636f6d6d5f6473743801520c0a08636f6d6d5f74"
    "61673807";
constexpr std::string_view kOthersBytes =
    "030a017807080512016d18010908011201631804380349080212047265637618062201052a010142"
    "040a025b5d520d0a09636f6d6d5f73697a656840520d0a08636f6d6d5f73726388010252130a0863"
    "6f6d6d5f746167190000000000002240";

}  // namespace

TEST_CASE("Chakra's nodes are the bytes that protoc makes", "[studio]") {
  OperationFile file;
  file.facts = {{"root", "0"}};
  file.ranks.resize(4);
  file.ranks[0].operations = {
      {.bytes = 200, .time_ns = 1500, .label = "sum"},
      {.kind = ScheduleOperation::receive, .peer = 3, .bytes = 300, .label = "in"},
      {.kind = ScheduleOperation::send,
       .peer = 1,
       .bytes = 1 << 20,
       .tag = 7,
       .label = "out",
       .after = {0, 1}}};
  CHECK(write_chakra(file, 0) == from_hex(kOwnBytes));
  OperationFile others;
  read_chakra(from_hex(kOthersBytes), "a.0.et", others);
  const auto& read = others.ranks.at(0).operations;
  REQUIRE(read.size() == 2);
  CHECK(read[0].time_ns == 3000);
  CHECK(read[1].kind == ScheduleOperation::receive);
  CHECK(read[1].bytes == 64);
  CHECK(read[1].peer == 1);
  CHECK(read[1].tag == 9);
  CHECK(read[1].after == std::vector<int>{0});
}

namespace {

std::string damaged(std::string text, RandomNumbers& random) {
  for (auto changes = 1 + random.below(4); changes > 0 && !text.empty(); --changes) {
    const auto at = random.below(text.size());
    switch (random.below(5)) {
      case 0: text[at] = static_cast<char>(random.below(256)); break;
      case 1: text.erase(at, 1 + random.below(20)); break;
      case 2: text.insert(at, text.substr(random.below(text.size()), 1 + random.below(40))); break;
      case 3: text.resize(at); break;
      default: text[at] = "0123456789<>\"/{}:-"[random.below(18)];
    }
  }
  return text;
}

// Read, proved, made a table and written again: or refused with words.
void swallow(const std::function<TaskGraph()>& read, int& right) {
  try {
    const TaskGraph tasks = read();
    ++right;
    if (tasks.size() > 2000 || tasks.ranks() > 100 || tasks.chunks > 1000) return;
    const ScheduleProof proof = prove(tasks, false);
    for (const auto& fault : proof.faults) CHECK_FALSE(fault.words.empty());
    write_goal(operations_of(tasks, {}));
    schedule_of(tasks);
  } catch (const UserError& e) {
    CHECK(std::string_view(e.what()).size() > 10);
  }
}

}  // namespace

TEST_CASE("damaged files are refused with words, or read", "[studio]") {
  RandomNumbers random(3);
  const auto tasks = dataflow_tasks(doubling_schedule(4), schedule_use(allreduce, 4));
  const auto operations = operations_of(tasks, {});
  const std::string xml = write_msccl(tasks), goal = write_goal(operations);
  int right = 0;
  for (int k = 0; k < 1500; ++k) {
    swallow([&] { return read_msccl(damaged(xml, random), "a.xml"); }, right);
    swallow([&] { return tasks_of(read_goal(damaged(goal, random), "a.goal"), "a.goal"); }, right);
    swallow(
        [&] {
          OperationFile out;
          for (Rank rank = 0; rank < 4; ++rank) {
            const std::string bytes = write_chakra(operations, rank);
            read_chakra(rank == 1 ? damaged(bytes, random) : bytes, "a.et", out);
          }
          return tasks_of(out, "a.et");
        },
        right);
  }
  CHECK(right > 100);  // damage in a name or a number may leave a file
}
