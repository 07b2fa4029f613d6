// Sentences about runs: each has one for every step, what they claim is in the trace, and some are approved texts.
#include "engine/analysis/narration/narration.h"

#include <cstdio>
#include <set>

#include <fmt/format.h>

#include "engine/analysis/narration/words.h"
#include "tests/support/catch.h"
#include "tests/support/golden.h"
#include "tests/support/job_traces.h"
#include "tests/support/scripted_run.h"

using namespace rankscope;
using test::ScriptedRun;

namespace {

Trace narrated_job(JobSpec spec, bool complete = true) {
  spec.transport.name = "inproc";
  spec.recording.trace = TraceLevel::light;
  CollectingSink sink;
  InprocRunner runner;
  const JobResult result = runner.run(spec, sink);
  REQUIRE(result.ok());
  TraceMeta meta = meta_of(spec);
  if (complete) meta.outcome = result;
  meta.complete = complete;
  return make_trace(sink.take(), meta);
}

JobSpec narrated_spec(std::string_view algorithm, int ranks, Count count) {
  JobSpec spec;
  spec.call.algorithm = algorithm;
  spec.world.size = ranks;
  spec.call.shape = {count};
  return spec;
}

std::string all_sentences(const Trace& trace) {
  const Narration narration{TraceAnalysis(trace)};
  std::string text;
  for (int step = 0; step <= narration.steps() + 1; ++step) text += narration.sentence(step) + "\n";
  return text;
}

/// The same facts as a sentence's, read off the trace in another way.
class Facts {
 public:
  explicit Facts(const Trace& trace) : analysis_(trace), world_(trace.world_size()) {}

  const TraceAnalysis& analysis() const { return analysis_; }

  std::set<Rank> receivers(int step) const {
    std::set<Rank> found;
    each_message(step, [&](const MessageRecord& one) { found.insert(one.to); });
    return found;
  }
  std::set<Rank> senders(int step) const {
    std::set<Rank> found;
    each_message(step, [&](const MessageRecord& one) { found.insert(one.from); });
    return found;
  }
  std::set<int> distances(int step) const {
    std::set<int> found;
    each_message(step, [&](const auto& one) { found.insert(std::abs(one.to - one.from)); });
    return found;
  }
  std::set<int> shifts(int step) const {
    std::set<int> found;
    each_message(step, [&](const auto& one) { found.insert(wrap(one.to - one.from, world_)); });
    return found;
  }

  /// For each element of the data as a whole, the number of ranks whose data is in a rank's; 0 where it has none.
  std::vector<int> summands(Rank rank, int step) const {
    const Pieces& pieces = analysis_.pieces();
    const auto* buffer = pieces.work(rank) != nullptr ? pieces.work(rank) : pieces.data(rank);
    std::vector<int> ranks(static_cast<std::size_t>(pieces.whole()), 0);
    for (const account::Stretch& one : analysis_.contributions().of(buffer->id, cut(rank, step)))
      std::fill_n(ranks.begin() + one.elements.offset + pieces.base_of(buffer).value(),
                  one.elements.count, one.shares.most() > 1 ? -1 : one.shares.count());
    return ranks;
  }
  /// Chunks all of whose elements hold so many; empty ones do not count.
  int chunks_with(Rank rank, int step, int summands_each) const {
    const auto all = summands(rank, step);
    const Partition chunks(static_cast<Count>(all.size()), world_);
    int count = 0;
    for (int c = 0; c < world_; ++c) {
      const auto begin = all.begin() + chunks[c].offset;
      count += chunks[c].count > 0 &&
               std::count(begin, begin + chunks[c].count, summands_each) == chunks[c].count;
    }
    return count;
  }
  bool has_whole_sum(Rank rank, int step) const {
    const auto all = summands(rank, step);
    return std::ranges::all_of(all, [&](int ranks) { return ranks == world_; });
  }
  int ranks_with_whole_sum(int step) const {
    int count = 0;
    for (Rank rank = 0; rank < world_; ++rank) count += has_whole_sum(rank, step);
    return count;
  }

  /// Which elements of whose data a rank has, anywhere.
  std::set<std::pair<Rank, Count>> owned(Rank rank, Cursor cursor) const {
    std::set<std::pair<Rank, Count>> found;
    for (const auto& buffer : analysis_.trace().definitions(Definition::Kind::buffer)) {
      if (buffer.rank != rank) continue;
      for (const account::Stretch& one : analysis_.contributions().of(buffer.id, cursor))
        for (Count i = 0; one.origin() >= 0 && i < one.elements.count; ++i)
          found.emplace(one.origin(), one.origin_element() + i);
    }
    return found;
  }
  /// Ranks of whose data a rank has all that it ends with.
  int origins_held(Rank rank, Rank as, int step) const {
    std::set<std::pair<Rank, Count>> wanted;
    const auto* data = analysis_.pieces().data(as);
    for (const account::Stretch& one :
         analysis_.contributions().of(data->id, analysis_.trace().size()))
      for (Count i = 0; i < one.elements.count; ++i)
        wanted.emplace(one.origin(), one.origin_element() + i);
    const auto have = owned(rank, cut(rank, step));
    std::set<Rank> whole, lacking;
    for (const auto& one : wanted) (have.contains(one) ? whole : lacking).insert(one.first);
    for (const Rank origin : lacking) whole.erase(origin);
    return static_cast<int>(whole.size());
  }
  int ranks_supplied(int step) const {
    int count = 0;
    for (Rank rank = 0; rank < world_; ++rank) count += origins_held(rank, rank, step) == 1;
    return count;
  }

 private:
  Cursor cut(Rank rank, int step) const {
    return analysis_.cuts()
        .cut.at(static_cast<std::size_t>(rank))
        .at(static_cast<std::size_t>(step));
  }
  template <class Take>
  void each_message(int step, Take take) const {
    const Rounds& rounds = analysis_.rounds();
    for (std::size_t m = 0; m < rounds.messages.size(); ++m)
      if (rounds.round[m] == step && !rounds.messages[m].sync) take(rounds.messages[m]);
  }
  const TraceAnalysis analysis_;
  const int world_;
};

/// The numbers that stand where `form` has %d, of the first place that fits; empty: there is none.
template <std::size_t N>
std::vector<int> numbers_in(const std::string& text, const char (&form)[N]) {
  std::string start(form);
  start = start.substr(0, start.find('%'));
  for (auto at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
    int a = -1, b = -1, end = -1;
    std::sscanf(text.c_str() + at, form, &a, &b, &end);
    if (end > 0) return {a, b};
  }
  return {};
}

/// Compares what a sentence says with the trace; returns how many of its claims it knew.
int check_claims(const Facts& facts, const std::string& said, int step, int world) {
  int known = 0;
  const auto receivers = facts.receivers(step);
  const auto claim = [&](bool holds) {
    ++known;
    CHECK(holds);
  };
  const auto each_receiver = [&](auto holds) {
    for (const Rank rank : receivers) claim(holds(rank));
  };
  if (said.starts_with("Every rank") && said.find(';') == std::string::npos)
    claim(static_cast<int>(facts.senders(step).size()) == world);
  if (const auto n = numbers_in(said, "now holds the sum of %d of the %d vectors%n"); !n.empty())
    each_receiver([&](Rank rank) {
      const auto all = facts.summands(rank, step);
      return n[1] == world && std::ranges::all_of(all, [&](int ranks) { return ranks == n[0]; });
    });
  if (const auto n = numbers_in(said, "one chunk on each rank holds %d of %d%n"); !n.empty())
    for (Rank rank = 0; rank < world; ++rank) claim(facts.chunks_with(rank, step, n[0]) == 1);
  if (const auto n = numbers_in(said, "now has %d of %d chunks of the sum%n"); !n.empty())
    each_receiver([&](Rank rank) { return facts.chunks_with(rank, step, world) == n[0]; });
  if (said.find("now holds one chunk of the whole sum") != std::string::npos)
    each_receiver([&](Rank rank) { return facts.chunks_with(rank, step, world) == 1; });
  if (said.ends_with("now every rank holds the whole sum."))
    claim(facts.ranks_with_whole_sum(step) == world);
  if (const auto n = numbers_in(said, "now %d of %d ranks hold the whole sum%n"); !n.empty())
    claim(facts.ranks_with_whole_sum(step) == n[0] && n[0] < world);
  if (const auto n = numbers_in(said, "now %d of %d ranks have it%n"); !n.empty())
    claim(facts.ranks_supplied(step) == n[0]);
  if (const auto n = numbers_in(said, "now %d of %d ranks have their chunk%n"); !n.empty())
    claim(facts.ranks_supplied(step) == n[0]);
  if (said.ends_with("now every rank has it.") || said.ends_with("now every rank has its chunk."))
    claim(facts.ranks_supplied(step) == world);
  if (said.ends_with("now every rank has all of the data."))
    claim(facts.ranks_supplied(step) == world);
  if (const auto n = numbers_in(said, "every rank now has %d of its %d blocks%n"); !n.empty())
    each_receiver([&](Rank rank) { return facts.origins_held(rank, rank, step) == n[0]; });
  if (const auto n = numbers_in(said, "every rank now has %d of %d blocks%n"); !n.empty())
    each_receiver([&](Rank rank) { return facts.origins_held(rank, rank, step) == n[0]; });
  if (said.find("now every rank has all") != std::string::npos && said.ends_with("blocks."))
    each_receiver([&](Rank rank) { return facts.origins_held(rank, rank, step) == world; });
  if (said.starts_with("Every rank") && said.find("the rank next to it") != std::string::npos)
    claim(facts.distances(step) == std::set<int>{1});
  for (int distance = 2; distance <= 8; ++distance) {
    const auto word = narration::number_word(distance);
    if (said.starts_with("Every rank") &&
        said.find("the rank " + word + " away") != std::string::npos)
      claim(facts.distances(step) == std::set{distance});
    if (said.starts_with("Every rank") &&
        said.find("the rank " + word + " after it") != std::string::npos)
      claim(facts.shifts(step) == std::set{distance});
  }
  if (said.starts_with("Every rank") && said.find("its right neighbour") != std::string::npos)
    claim(facts.shifts(step) == std::set{1});
  return known;
}

/// "What has to be so of any sentence."
void check_sentence(const std::string& said) {
  CHECK(said.size() > 10);
  CHECK(narration::length_of(said) <= Narration::kLongest);
  CHECK(said.find_first_of("{}_") == std::string::npos);
  CHECK(said.find("  ") == std::string::npos);
  CHECK((said.back() == '.' && said[said.size() - 2] != '.'));
  CHECK((said.front() >= 'A' && said.front() <= 'Z') !=
        (said.front() >= '0' && said.front() <= '9'));
}

}  // namespace

TEST_CASE("narration: every step of every algorithm has a sentence, and what it claims holds",
          "[analysis]") {
  const int n = GENERATE(1, 2, 3, 4, 5, 7, 8, 13, 16);
  int known = 0, steps = 0;
  for (const auto& algorithm : algorithms()) {
    JobSpec spec = narrated_spec(algorithm.name, n, 2 * n + (n % 2));
    spec.call.root = n / 2;
    if (!traits(algorithm.collective).rooted) spec.call.root = 0;
    const Trace trace = narrated_job(spec);
    const Facts facts(trace);
    const Narration narration(facts.analysis());
    for (int step = 0; step <= narration.steps() + 1; ++step) {
      const std::string& said = narration.sentence(step);
      INFO(algorithm.name << " on " << n << " ranks, step " << step << ": " << said);
      check_sentence(said);
      if (step < 1 || step > narration.steps()) continue;
      known += check_claims(facts, said, step, n);
      ++steps;
    }
    CHECK(narration.steps() == facts.analysis().rounds().count);
  }
  if (n > 2) CHECK(known > steps);  // the claims above are those that are made
}

TEST_CASE("narration: empty chunks and other operators are spoken of", "[analysis]") {
  for (const auto& algorithm : algorithms()) {
    JobSpec spec = narrated_spec(algorithm.name, 5, 3);
    spec.call.op = ReduceOp::max;
    const Narration narration{TraceAnalysis(narrated_job(spec))};
    for (int step = 0; step <= narration.steps() + 1; ++step) {
      INFO(algorithm.name << ", step " << step << ": " << narration.sentence(step));
      check_sentence(narration.sentence(step));
      CHECK(narration.sentence(step).find("sum") == std::string::npos);
      CHECK(narration.sentence(step).find("adds") == std::string::npos);
    }
  }
}

TEST_CASE("narration: approved texts", "[analysis]") {
  std::string text;
  const auto narrate = [&](const std::string& title, const JobSpec& spec) {
    text += title + "\n" + all_sentences(narrated_job(spec)) + "\n";
  };
  narrate("ring, 4 ranks", narrated_spec("allreduce.ring", 4, 8));
  narrate("ring, 5 ranks and 7 elements", narrated_spec("allreduce.ring", 5, 7));
  narrate("recursive doubling, 8 ranks", narrated_spec("allreduce.bde", 8, 8));
  narrate("recursive doubling, 6 ranks", narrated_spec("allreduce.bde", 6, 8));
  narrate("broadcast along a binomial tree, 8 ranks", narrated_spec("broadcast.binomial", 8, 8));
  narrate("scatter and allgather, 4 ranks", narrated_spec("broadcast.scatter_allgather", 4, 8));
  narrate("reduction along a binomial tree, 8 ranks", narrated_spec("reduce.binomial", 8, 8));
  narrate("all-to-all in pairs, 4 ranks", narrated_spec("alltoall.pairwise", 4, 8));
  narrate("Bruck's all-to-all, 5 ranks", narrated_spec("alltoall.bruck", 5, 10));
  narrate("groups and leaders, 16 ranks", narrated_spec("allreduce.hierarchical", 16, 16));
  narrate("Rabenseifner, 8 ranks", narrated_spec("allreduce.rabenseifner", 8, 16));
  narrate("dissemination barrier, 5 ranks", narrated_spec("barrier.dissemination", 5, 1));
  narrate("Bruck's allgather, 6 ranks", narrated_spec("allgather.bruck", 6, 2));
  narrate("gather along a tree, 4 ranks", narrated_spec("gather.binomial", 4, 2));
  test::check_golden("narration", text);
}

TEST_CASE("narration: a program of somebody else's is narrated as the algorithm that does the same",
          "[analysis]") {
  const JobSpec spec = narrated_spec("allreduce.ring", 4, 8);
  const Trace ours = narrated_job(spec);
  TraceMeta meta = ours.meta();
  meta.algorithm = "homework.py";
  meta.collective.reset();
  meta.job.emplace().call.platform = "torch";
  CollectingSink sink;
  InprocRunner().run(spec, sink);
  CHECK(all_sentences(make_trace(sink.take(), meta)) == all_sentences(ours));
}

TEST_CASE("narration: a run that goes wrong ends with what went wrong", "[analysis]") {
  ScriptedRun run(3);
  for (Rank rank = 0; rank < 3; ++rank) run.post(Verb::recv, rank, (rank + 1) % 3);
  run.status(JobResult::Status::deadlock);
  const Narration stuck{TraceAnalysis(run.trace())};
  CHECK(stuck.sentence(stuck.steps() + 1) ==
        "Deadlock: 3 ranks wait in a circle (0 → 1 → 2 → 0), so none of them can go on.");

  ScriptedRun other(2);
  other.recv(1, other.send(0, 1));
  other.meta.outcome->status = JobResult::Status::failed;
  other.meta.outcome->failures.push_back({1, "was killed by signal 9 (Killed)", "", 0});
  const Narration lost{TraceAnalysis(other.trace())};
  CHECK(lost.sentence(lost.steps() + 1) == "Rank 1 was killed by signal 9 (Killed).");

  Trace right = narrated_job(narrated_spec("allreduce.ring", 4, 8));
  TraceMeta meta = right.meta();
  JobResult& outcome = meta.outcome.emplace();
  outcome.status = JobResult::Status::wrong_result;
  outcome.ranks.emplace_back().rank = 2;
  outcome.ranks.back().mismatch = {5, "10", "7"};
  CollectingSink sink;
  InprocRunner().run(narrated_spec("allreduce.ring", 4, 8), sink);
  const Narration wrong{TraceAnalysis(make_trace(sink.take(), meta))};
  CHECK(wrong.sentence(wrong.steps() + 1) ==
        "Rank 2 has 7 in element 5 (chunk 2); it should have 10.");
}

TEST_CASE("narration: a run that goes on says what its last step did", "[analysis]") {
  const Narration ring{TraceAnalysis(narrated_job(narrated_spec("allreduce.ring", 4, 8), false))};
  CHECK(ring.sentence(ring.steps() + 1) == ring.sentence(ring.steps()));
}

TEST_CASE("narration: messages that nobody receives, and ranks that are idle", "[analysis]") {
  ScriptedRun run(4);
  run.send(0, 2);
  run.recv(3, run.send(1, 3));
  run.end_all();
  const Narration narration{TraceAnalysis(run.trace())};
  CHECK(narration.sentence(1) ==
        "Rank 0 sends 4 elements to rank 2, which nobody receives; rank 1 sends 4 elements to "
        "rank 3.");
  CHECK(narration.sentence(-1) == narration.sentence(0));
  CHECK(narration.sentence(7) == narration.sentence(narration.steps() + 1));
  ScriptedRun pair(4);
  pair.recv(2, pair.send(0, 2));
  pair.end_all();
  CHECK(Narration(TraceAnalysis(pair.trace())).sentence(1) ==
        "Rank 0 sends 4 elements to rank 2; ranks 1 and 3 are idle.");
  CHECK(Narration(TraceAnalysis()).sentence(0) == "Nothing has been recorded.");
}

TEST_CASE("narration: where steps are to be counted, the first sentence does not count them",
          "[analysis]") {
  const Narration ring{TraceAnalysis(narrated_job(narrated_spec("allreduce.ring", 4, 8)))};
  CHECK(ring.sentence(Narration::kCoveredStart) ==
        "Each of the 4 ranks begins with its own vector of 8 elements, cut into 4 chunks.");
  CHECK(ring.sentence(0).find("; 6 steps follow.") != std::string::npos);
}
