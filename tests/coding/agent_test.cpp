// The agent of a boxed rank, against programs that do not keep to the protocol: nothing that they say crashes
// it, hangs it, or reaches another rank but as a message.
#include "engine/capi/agent.h"

#include <cstring>
#include <random>
#include <stdexcept>
#include <thread>

#include <nlohmann/json.hpp>
#include <sys/socket.h>

#include "engine/core/base/error.h"
#include "engine/core/base/fd.h"
#include "engine/core/message/rank_context.h"
#include "engine/run/conductor/process_runner.h"
#include "tests/support/catch.h"

namespace rankscope {
namespace {

using capi::Wire;
using capi::WireMessage;
using nlohmann::json;

constexpr std::uint64_t kMostMemory = std::uint64_t{64} << 20;

class SendCounter : public EventSink {
 public:
  void deliver(EventBatch&& batch) override {
    for (const StepEvent& event : batch.events)
      sends += event.kind == EventKind::posted && event.verb == Verb::send;
  }
  std::atomic<int> sends{0};
};

struct Line {
  Line() {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    ours = Fd(ends[0]);
    theirs = Fd(ends[1]);
  }
  Fd ours, theirs;
};

JobSpec hostile_program(int ranks) {
  JobSpec spec;
  spec.call.algorithm = "hostile.py";
  spec.call.platform = "torch";
  spec.world.size = ranks;
  spec.data.check = false;
  spec.recording.timeout_s = 20;
  return spec;
}

struct Outcome {
  JobResult result;
  std::vector<capi::AgentReport> reports;
  int sends = 0;
};

/// The agent did what it must not. Programs run in threads, where Catch2 can check nothing.
struct Unexpected : std::logic_error {
  using std::logic_error::logic_error;
};

// Each rank's program is a function on its socket.
Outcome run(const std::vector<std::function<void(Fd&)>>& programs) {
  const auto count = programs.size();
  std::vector<Line> lines(count);
  std::vector<std::unique_ptr<capi::Agent>> agents;
  Outcome out;
  out.reports.resize(count);
  std::vector<std::string> unexpected(count);
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < count; ++r) {
    agents.push_back(std::make_unique<capi::Agent>(lines[r].ours.get()));
    threads.emplace_back([&, r] {
      try {
        programs[r](lines[r].theirs);
      } catch (const Unexpected& what) {
        unexpected[r] = what.what();
      } catch (const std::exception&) {  // the agent has had enough
      }
      lines[r].theirs.reset();
    });
  }
  SendCounter events;
  RunnerOptions options;
  capi::AgentTask task{"{}", {std::vector<std::byte>(16)}};
  task.most_memory = kMostMemory;
  options.part = [&](RankContext& rank, const JobSpec& spec, std::uint32_t epoch) {
    const auto r = static_cast<std::size_t>(rank.rank());
    auto outcome = agents[r]->serve(rank, spec, epoch, task, out.reports[r]);
    if (!agents[r]->usable()) lines[r].ours.reset();
    return outcome;
  };
  out.result =
      InprocRunner(std::move(options)).run(hostile_program(static_cast<int>(count)), events);
  for (auto& line : lines) line.ours.reset();
  for (auto& thread : threads) thread.join();
  CHECK(unexpected == std::vector<std::string>(count));
  out.sends = events.sends;
  return out;
}

WireMessage ask(Wire& wire, const json& request, std::span<const std::byte> body = {}) {
  wire.send(request, body);
  auto answer = wire.receive(Deadline::in(test::kWaitLimit));
  if (!answer) throw Unexpected("no answer");
  return std::move(*answer);
}

json memory(int count) {
  return {{"count", count}, {"dtype", 3}, {"shape", json::array()}, {"array", 4096}};
}

void join(Wire& wire, int rank, int size) {
  ask(wire, {{"do", "next_task"}});
  const auto answer = ask(wire, {{"do", "join"}, {"rank", rank}, {"size", size}});
  if (answer.head.value("code", 0) != 0) throw Unexpected("the rank may not join");
}

void end(Wire& wire) {
  ask(wire, {{"do", "leave"}});
  wire.send({{"do", "next_task"}});
}

void quiet_peer(Fd& socket) {
  Wire wire(socket.get());
  join(wire, 1, 2);
  end(wire);
}

/// A request to send or receive elements; a send's bytes are its body.
json transfer(std::string_view verb, int peer, int flags, int elements) {
  const std::size_t body = verb == "isend" ? sizeof(float) * static_cast<std::size_t>(elements) : 0;
  return {{"do", verb},  {"comm", 1},      {"peer", peer},
          {"tag", 0},    {"flags", flags}, {"memory", memory(elements)},
          {"data", body}};
}

TEST_CASE("agent: a program that keeps to the protocol is served") {
  const std::vector<std::byte> data(8, std::byte{7});
  std::vector<std::byte> got;
  const auto sender = [&](Fd& socket) {
    Wire wire(socket.get());
    join(wire, 0, 2);
    const auto op = ask(wire, transfer("isend", 1, 1, 2), data).head.at("op");
    while (!ask(wire, {{"do", "wait"}, {"op", op}, {"ms", 100}}).head.at("done").get<bool>()) {
    }
    end(wire);
  };
  const auto receiver = [&](Fd& socket) {
    Wire wire(socket.get());
    join(wire, 1, 2);
    const auto op = ask(wire, transfer("irecv", 0, 1, 2)).head.at("op");
    for (WireMessage answer; got.empty(); got = answer.body)
      answer = ask(wire, {{"do", "wait"}, {"op", op}, {"ms", 100}});
    end(wire);
  };
  const Outcome out = run({sender, receiver});
  INFO(out.result.message);
  CHECK(out.result.ok());
  CHECK(got == data);
  CHECK(out.sends == 1);
  CHECK((out.reports[0].finished && out.reports[1].finished));
}

TEST_CASE("agent: no program is another rank, or of another world") {
  std::vector<std::string> refused;
  const auto forger = [&](Fd& socket) {
    Wire wire(socket.get());
    ask(wire, {{"do", "next_task"}});
    for (const auto& [rank, size] : {std::pair{1, 2}, {0, 3}, {7, 2}}) {
      const auto answer = ask(wire, {{"do", "join"}, {"rank", rank}, {"size", size}});
      if (answer.head.value("code", 0) < 0) refused.push_back(answer.head.value("error", ""));
    }
    // Without having joined nothing can be sent.
    const auto sent = ask(wire, transfer("isend", 1, 0, 0));
    if (sent.head.value("code", 0) < 0) refused.push_back("send");
    end(wire);
  };
  const Outcome out = run({forger, quiet_peer});
  CHECK(refused.size() == 4);
  CHECK(out.sends == 0);
  CHECK(out.result.ok());
}

TEST_CASE("agent: what is no request ends the rank's part, and the run says whose fault it is") {
  const std::string prefix("RSG1\0\0\0\0\0\0\0\0\0\0\0\0", 16);
  const std::vector<std::string> nonsense{"GET / HTTP/1.1\r\n\r\n", std::string(4096, '\xff'),
                                          prefix, prefix.substr(0, 7),
                                          // A body of 2^60 bytes.
                                          std::string("RSG1\2\0\0\0\0\0\0\0\0\0\0\x10", 16) + "{}"};
  for (const std::string& bytes : nonsense) {
    const auto hostile = [&](Fd& socket) {
      (void)!::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      ::shutdown(socket.get(), SHUT_WR);
    };
    const Outcome out = run({hostile, quiet_peer});
    CHECK_FALSE(out.result.ok());
    CHECK(out.reports[0].gone);
    CHECK_FALSE(out.reports[0].finished);
  }
}

TEST_CASE("agent: what a rank hands in, asks for and says has an end") {
  const auto end_of = [](const std::function<void(Wire&)>& floods) {
    const auto hostile = [&](Fd& socket) {
      Wire wire(socket.get());
      join(wire, 0, 2);
      floods(wire);
    };
    return run({hostile, quiet_peer});
  };
  const Outcome large = end_of([](Wire& wire) {
    const std::vector<std::byte> data(16 << 20);
    const json described{{"count", 4 << 20}, {"dtype", 3}, {"shape", {4 << 20}}, {"name", "more"}};
    while (wire.receive(Deadline::in(std::chrono::seconds(0))) == std::nullopt) {
      ask(wire, {{"do", "result"}, {"memory", described}}, data);
    }
  });
  CHECK(large.reports[0].gone);
  CHECK(large.reports[0].results.size() == 4);
  CHECK_THAT(large.result.message, Catch::Matchers::Contains("hands in more than 64 MiB"));

  // Judged by its head alone: no byte of what it names is there.
  const Outcome named = end_of([](Wire& wire) {
    json huge = memory(1);
    huge["shape"] = {20 << 20};
    huge["at"] = 0;
    ask(wire,
        {{"do", "irecv"}, {"comm", 1}, {"peer", 1}, {"tag", 0}, {"flags", 0}, {"memory", huge}});
  });
  CHECK(named.reports[0].gone);
  CHECK_THAT(named.result.message, Catch::Matchers::Contains("more than 64 MiB together"));
  const Outcome long_body = end_of([](Wire& wire) {
    wire.send({{"do", "watch"}}, std::vector<std::byte>(kMostMemory + 1));
  });
  CHECK_THAT(long_body.result.message, Catch::Matchers::Contains("more than the 64 MiB"));

  const Outcome often = end_of([](Wire& wire) {
    while (true) ask(wire, {{"do", "phase"}, {"comm", 1}, {"name", "x"}});
  });
  CHECK(often.reports[0].gone);
  CHECK_THAT(often.result.message, Catch::Matchers::Contains("made more than 50000 calls"));

  const Outcome words = end_of([](Wire& wire) {
    ask(wire, {{"do", "result"}, {"error", "x\x1b[2J\n6 of 6 points" + std::string(50'000, 'y')}});
    end(wire);
  });
  CHECK(words.reports[0].error.starts_with("x [2J 6 of 6 pointsyyy"));
  CHECK(words.reports[0].error.size() < 2'100);
}

// Copies are thrown away when there are too many: never one of two that belong to the same request.
TEST_CASE("agent: a collective on two arrays, after any number of others") {
  std::vector<std::byte> got;
  const auto many = [&](Fd& socket) {
    Wire wire(socket.get());
    ask(wire, {{"do", "next_task"}});
    ask(wire, {{"do", "join"}, {"rank", 0}, {"size", 1}});
    const auto at = [](int address) {
      json out = memory(2);
      out["array"] = address;
      return out;
    };
    // With the two of the collective, one more than are kept.
    for (int k = 1; k < 4096; ++k) {
      const json watched{{"do", "watch"}, {"comm", 1}, {"memory", at(k)}, {"data", 8}};
      ask(wire, watched, std::vector<std::byte>(8));
    }
    std::vector<std::byte> data(16, std::byte{7});
    got = ask(wire,
              {{"do", "collective"},
               {"comm", 1},
               {"collective", "allreduce"},
               {"op", 0},
               {"root", 0},
               {"async", false},
               {"in", at(9'000)},
               {"out", at(9'001)}},
              data)
              .body;
    end(wire);
  };
  const Outcome out = run({many});
  INFO(out.result.message);
  CHECK(out.result.ok());
  CHECK(got == std::vector<std::byte>(8, std::byte{7}));
}

std::vector<json> all_requests() {
  return {transfer("isend", 1, 0, 2),
          transfer("irecv", 1, 4, 2),
          {{"do", "wait"}, {"op", 1}, {"ms", 1}},
          {{"do", "any"}, {"ops", {1, 2}}, {"ms", 1}},
          {{"do", "test"}, {"op", 1}},
          {{"do", "drop"}, {"op", 1}},
          {{"do", "probe"}, {"comm", 1}, {"peer", 0}, {"tag", 0}},
          {{"do", "phase"}, {"comm", 1}, {"name", "x"}},
          {{"do", "phase_end"}, {"comm", 1}},
          {{"do", "note"}, {"comm", 1}, {"note", 3}, {"peer", 1}},
          {{"do", "watch"}, {"comm", 1}, {"memory", memory(2)}, {"data", 8}},
          {{"do", "input"}, {"index", 0}},
          {{"do", "result"}, {"memory", {{"count", 2}, {"dtype", 3}, {"shape", {2}}}}},
          {{"do", "threads"}, {"count", 2}},
          {{"do", "leave"}},
          {{"do", "nothing"}}};
}

std::vector<json> absurd_values() {
  return {-1,
          0,
          1,
          3,
          1e300,
          1ULL << 63,
          -(1LL << 62),
          "text",
          nullptr,
          true,
          json::array(),
          json::object(),
          json::array({1, "a", nullptr}),
          std::string(5000, 'x')};
}

// Requests that are nearly right: fields are left out, of another type, or of an absurd size.
TEST_CASE("agent: random requests crash and hang nothing") {
  std::mt19937 random(20'251);
  const auto pick = [&](std::uint32_t n) {
    return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random);
  };
  const auto requests = all_requests(), values = absurd_values();
  for (int round = 0; round < 150; ++round) {
    const auto seed = random();
    const auto hostile = [&](Fd& socket) {
      Wire wire(socket.get());
      join(wire, 0, 2);
      for (int k = 0; k < 30; ++k) {
        json request = requests[pick(static_cast<std::uint32_t>(requests.size()))];
        for (int change = 0; change < 2 && pick(3) != 0; ++change) {
          json* target = &request;
          if (request.contains("memory") && request["memory"].is_object() && pick(2) == 0)
            target = &request["memory"];
          auto at = target->begin();
          std::advance(at, pick(static_cast<std::uint32_t>(target->size())));
          if (at.key() == "do" && pick(4) != 0) continue;
          at.value() = values[pick(static_cast<std::uint32_t>(values.size()))];
        }
        wire.send(request, std::vector<std::byte>(pick(3) == 0 ? pick(64) : 8));
        if (!wire.receive(Deadline::in(test::kWaitLimit))) return;
      }
      wire.send({{"do", "next_task"}});
    };
    INFO("seed " << seed);
    const Outcome out = run({hostile, quiet_peer});
    CHECK(out.result.status != JobResult::Status::timeout);
    CHECK((out.reports[0].gone || out.reports[0].finished));
  }
}

}  // namespace
}  // namespace rankscope
