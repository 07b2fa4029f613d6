// Parts of an analysis: made once, by the first that asks, and as the functions make them that they come from.
#include "engine/analysis/trace_analysis.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <thread>

#include "engine/analysis/phase_spans.h"
#include "engine/core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/job_traces.h"
#include "tests/support/paths.h"
#include "tests/support/runs.h"

using namespace rankscope;
using Part = TraceAnalysis::Part;

namespace {

/// Whether `text` calls a function of this name, or makes a value of this type, of something: "rounds(trace)",
/// "const Pieces pieces(trace)". Not the members of the same names.
bool makes(const std::string& text, std::string_view name, bool type) {
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    auto end = at + name.size();
    if (at > 0 && (in_word(text[at - 1]) || text[at - 1] == '.' || text[at - 1] == '>')) continue;
    if (type && end < text.size() && text[end] == ' ')
      while (++end < text.size() && in_word(text[end])) {
      }
    if (end + 1 >= text.size() || (text[end] != '(' && text[end] != '{')) continue;
    const auto close = text.find_first_of(")};", end);
    const auto given = text.substr(end + 1, close - end - 1);
    if (type ? given.find("race") != std::string::npos : !given.empty()) return true;
  }
  return false;
}

/// The files of the program outside of the analysis in which `found` says yes.
template <class Found>
std::vector<std::string> files_where(const Found& found) {
  std::vector<std::string> out;
  for (const char* folder : {"engine", "cli", "gui", "lessons"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(test::source_root() / folder)) {
      const auto file = entry.path().lexically_relative(test::source_root()).generic_string();
      if (!file.ends_with(".cpp") && !file.ends_with(".h")) continue;
      if (file.starts_with("engine/analysis/") || file.starts_with("engine/account/")) continue;
      std::ifstream in(entry.path());
      if (found(std::string(std::istreambuf_iterator<char>(in), {}))) out.push_back(file);
    }
  std::ranges::sort(out);
  return out;
}

}  // namespace

TEST_CASE("parts of a trace are computed by its analysis alone", "[analysis]") {
  REQUIRE(makes("const auto found = rankscope::rounds(trace).count;", "rounds", false));
  REQUIRE(makes("const Pieces pieces(trace_);", "Pieces", true));
  REQUIRE_FALSE(makes("analysis.rounds().count + rounds()", "rounds", false));
  constexpr std::array kFunctions{"rounds", "messages", "findings", "statistics", "round_cuts"};
  CHECK(files_where([&](const std::string& text) {
          return std::ranges::any_of(kFunctions,
                                     [&](const char* name) { return makes(text, name, false); }) ||
                 makes(text, "Pieces", true) || makes(text, "Contributions", true);
        }) == std::vector<std::string>{});
}

// Code that is given an analysis makes no other one, which would compute everything again.
TEST_CASE("an analysis is made where its trace comes from", "[analysis]") {
  CHECK(files_where([](const std::string& text) { return makes(text, "TraceAnalysis", true); }) ==
        std::vector<std::string>{"cli/program/check_command.cpp", "cli/run/demo_command.cpp",
                                 // For a schedule that was proved wrong, and a recorded run.
                                 "cli/schedule/schedule_command.cpp",
                                 "cli/schedule/schedule_files.cpp", "cli/trace/export_command.cpp",
                                 "cli/trace/trace_commands.cpp", "cli/train/overlap_command.cpp",
                                 // For large traces, to be dropped again.
                                 "gui/state/model/export_job.cpp"});
}

TEST_CASE("a phase that ranks enter again is a span each time", "[analysis]") {
  using Names = std::vector<std::string>;
  // Two ranks swap a number in each phase; they enter phases in this order.
  const auto spans = [](const Names& phases) {
    const Trace trace = test::trace_of(2, [&](Communicator& comm) {
      Buffer data = test::ring_input(comm.rank(), 2);
      comm.watch("data", data);
      for (const std::string& name : phases) {
        const auto phase = comm.phase(name);
        comm.sendrecv(1 - comm.rank(), data, 1 - comm.rank(), data);
      }
    });
    const Rounds found = rounds(trace);
    return phase_spans(trace, found, [&](std::size_t i) {
      return std::optional(std::pair{found.round[i] - 1.0, static_cast<double>(found.round[i])});
    });
  };
  const auto text = [&](const Names& phases) {
    std::string out;
    for (const PhaseSpan& span : spans(phases))
      out += span.name + ":" + std::to_string(static_cast<int>(span.begin)) + "-" +
             std::to_string(static_cast<int>(span.end)) + " ";
    return out;
  };
  CHECK(text({"a", "b"}) == "a:0-1 b:1-2 ");
  CHECK(text({"a", "b", "a", "b"}) == "a:0-1 b:1-2 a:2-3 b:3-4 ");
  CHECK(text({"a", "a", "b", "a"}) == "a:0-2 b:2-3 a:3-4 ");
  Names many;
  for (int i = 0; i < 9; ++i) many.insert(many.end(), {"a", "b"});
  CHECK(text(many) == "a:0-17 b:1-18 ");  // bars as narrow as a step say nothing
}

TEST_CASE("nothing of a trace is computed before somebody asks for it", "[analysis]") {
  const TraceAnalysis run(test::trace_of(4, test::ring_of(8)));
  const auto parts = {Part::rounds,        Part::cuts,       Part::pieces,
                      Part::contributions, Part::statistics, Part::findings};
  for (const Part part : parts) CHECK(run.computed(part) == 0);
  CHECK(run.rounds().count == 6);
  CHECK(run.computed(Part::rounds) == 1);
  for (const Part part : parts)
    if (part != Part::rounds) CHECK(run.computed(part) == 0);
}

TEST_CASE("parts of an analysis use each other and are made once", "[analysis]") {
  const TraceAnalysis run(test::trace_of(4, test::ring_of(8)));
  const TraceAnalysis copy = run;
  for (const TraceAnalysis& one : {run, copy}) {
    CHECK(one.statistics().rounds == 6);
    CHECK(one.cuts().cut.size() == 4);
    CHECK(one.contributions().at({}).size() == 4);
    CHECK(one.messages().size() == one.rounds().round.size());
    CHECK(one.findings().empty());
  }
  for (const Part part : {Part::rounds, Part::cuts, Part::pieces, Part::contributions,
                          Part::statistics, Part::findings})
    CHECK(copy.computed(part) == 1);
  CHECK(&run.rounds() == &copy.rounds());
  CHECK(run.rounds().round == rounds(run.trace()).round);
  CHECK(run.statistics().total == statistics(run.trace(), run.rounds()).total);
  CHECK(run.contributions().of(1, run.trace().size()) ==
        account::Contributions(run.trace(), Pieces(run.trace())).of(1, run.trace().size()));
}

TEST_CASE("threads that ask at the same time get the same part", "[analysis]") {
  const TraceAnalysis run(test::trace_of(4, test::ring_of(64, 20)));
  std::vector<std::thread> askers;
  std::vector<const Statistics*> found(8);
  for (const Statistics*& one : found)
    askers.emplace_back([&one, copy = run] { one = &copy.statistics(); });
  for (std::thread& asker : askers) asker.join();
  for (const Statistics* one : found) CHECK(one == found[0]);
  CHECK(run.computed(Part::statistics) == 1);
  CHECK(run.computed(Part::rounds) == 1);
}

TEST_CASE("a part that cannot be computed says so to everybody who asks", "[analysis]") {
  TraceMeta meta;
  meta.world_size = account::Contributions::kMostRanks + 1;
  const TraceAnalysis run(make_trace({}, meta));
  CHECK_THROWS_AS(run.contributions(), UserError);
  CHECK_THROWS_AS(run.contributions(), UserError);
  CHECK(run.computed(Part::contributions) == 0);
}

TEST_CASE("of a long trace no rounds are kept for the sake of its statistics", "[analysis]") {
  std::vector<EventBatch> batches(1);
  batches[0].rank = 0;
  batches[0].events.resize(TraceAnalysis::kManyEvents + 1);
  for (std::size_t i = 0; i < batches[0].events.size(); ++i) {
    StepEvent& event = batches[0].events[i];
    event.rank = 0;
    event.kind = EventKind::local;
    event.verb = Verb::compute;
    event.seq = static_cast<std::uint32_t>(i);
    event.time_ns = static_cast<std::int64_t>(i);
  }
  TraceMeta meta;
  meta.world_size = 1;
  const TraceAnalysis run(make_trace(std::move(batches), meta));
  REQUIRE(run.large());
  CHECK(run.statistics().events == run.trace().size());
  CHECK(run.computed(Part::rounds) == 1);  // and dropped
  CHECK(run.rounds().count == 0);
  CHECK(run.computed(Part::rounds) == 2);
  CHECK(run.rounds().count == run.statistics().rounds);
  CHECK(run.computed(Part::rounds) == 2);
}

TEST_CASE("a division between two phases belongs to the round before it", "[analysis]") {
  JobSpec spec;
  spec.call.algorithm = "exercise.average_a";
  spec.world.size = 4;
  spec.call.shape = {4};
  spec.call.op = ReduceOp::avg;
  spec.data.check = false;
  const TraceAnalysis twice(test::trace_of_job(spec));
  REQUIRE(twice.rounds().count == 12);
  CHECK_FALSE(twice.cuts().ends_differ);
  for (Cursor k = 0; k < twice.trace().size(); ++k) {
    const StepEvent& event = twice.trace()[k];
    if (event.verb != Verb::scale) continue;
    const auto& ends = twice.cuts().cut[static_cast<std::size_t>(event.rank)];
    CHECK(ends[5] <= k);
    CHECK(k < ends[6]);
  }
  spec.call.algorithm = "allreduce.ring";
  CHECK(TraceAnalysis(test::trace_of_job(spec)).cuts().ends_differ);
}
