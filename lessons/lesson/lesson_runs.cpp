// Makes the runs that lessons ask about, and measures quantities in them.
#include "lessons/lesson/lesson_runs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/run/make_runner.h"
#include "lessons/lesson/lesson.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

using nlohmann::json;

bool holds(Range range, Count element) { return element >= range.offset && element < range.end(); }

const Definition& buffer_of(const RunRecord& run, Rank rank, std::string_view name) {
  std::vector<std::string> known;
  for (const Definition& one : run.trace().definitions(Definition::Kind::buffer)) {
    if (one.id == 0 || one.rank != rank) continue;
    if (one.name == name) return one;
    known.push_back(one.name);
  }
  throw UserError(fmt::format("rank {} has no buffer '{}' in this run (it has {})", rank, name,
                              fmt::join(known, ", ")));
}

Cursor cursor_after(const RunRecord& run, Rank rank, int after) {
  const auto& cuts = run.cuts().cut.at(static_cast<std::size_t>(rank));
  if (after < 0 || cuts.empty()) return run.trace().size();
  return cuts[std::min(cuts.size() - 1, static_cast<std::size_t>(after))];
}

std::vector<double> values_of(const Definition& buffer, const BufferState& state) {
  const Count count = count_of(buffer);
  std::vector<double> out(static_cast<std::size_t>(count),
                          std::numeric_limits<double>::quiet_NaN());
  const Sampling sampling(count);
  visit_dtype(buffer.dtype, [&]<class T>() {
    for (std::size_t k = 0; k < state.known.size(); ++k) {
      if (!state.known[k]) continue;
      T value;
      std::memcpy(&value, state.samples.data() + k * sizeof value, sizeof value);
      out[static_cast<std::size_t>(sampling.position(static_cast<Count>(k)))] =
          static_cast<double>(value);
    }
  });
  return out;
}

json json_numbers(const std::vector<double>& values) {
  json out = json::array();
  for (const double value : values) out.push_back(std::isnan(value) ? json() : json(value));
  return out;
}

// Reads and checks the fields of a measure's query.
class Query {
 public:
  Query(const json& query, const RunRecord& run) : query_(query), run_(run) {}
  int whole(const char* name, int otherwise) const {
    if (!query_.contains(name)) return otherwise;
    const json& value = query_[name];
    if (!value.is_number()) throw UserError(fmt::format("'{}' must be a number", name));
    return static_cast<int>(std::lround(value.get<double>()));
  }
  Rank rank() const {
    const int rank = whole("rank", 0);
    if (rank < 0 || rank >= run_.job.world.size)
      throw UserError(fmt::format("there is no rank {} in this run", rank));
    return rank;
  }
  bool has(const char* name) const { return query_.contains(name); }
  /// Returns the query's unit of time in seconds.
  double time_unit() const {
    const std::string unit = query_.value("unit", "s");
    for (const auto& [name, seconds] : {std::pair{"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}})
      if (unit == name) return seconds;
    throw UserError(fmt::format("a time is in s, ms or us, not '{}'", unit));
  }
  std::string buffer() const { return query_.value("buffer", "data"); }
  std::vector<double> values() const { return run_.values(rank(), buffer(), whole("after", -1)); }
  const RankStatistics& of_rank() const {
    return run_.statistics().ranks.at(static_cast<std::size_t>(rank()));
  }
  const RunRecord& run() const { return run_; }

 private:
  const json& query_;
  const RunRecord& run_;
};

json history(const Query& ask) {
  const RunRecord& run = ask.run();
  const Rank rank = ask.rank();
  const Count index = ask.whole("index", 0);
  const Definition& definition = buffer_of(run, rank, ask.buffer());
  json out = json::array();
  double last = std::numeric_limits<double>::quiet_NaN();
  for (std::uint64_t k = 0; k < run.trace().size(); ++k) {
    const StepEvent& event = run.trace()[k];
    if (event.rank != rank || event.out_buffer != definition.id) continue;
    if (!holds(elements_at(definition, event.out_offset, event.bytes), index)) continue;
    for (const BufferState& state : run.trace().seek(k + 1)) {
      if (state.buffer != definition.id || state.changed != k + 1) continue;
      const double now = values_of(definition, state).at(static_cast<std::size_t>(index));
      if (!std::isnan(last) && now != last) out.push_back(now);
      last = now;
    }
  }
  return out;
}

json value_at(const Query& ask) {
  const std::vector<double> list = ask.values();
  const int index = ask.whole("index", 0);
  if (index < 0 || static_cast<std::size_t>(index) >= list.size())
    throw UserError(fmt::format("the buffer has no element {}", index));
  return list[static_cast<std::size_t>(index)];
}

json busiest_sent(const Query& ask) {
  const auto& ranks = ask.run().statistics().ranks;
  return std::ranges::max(ranks, {}, [](auto& one) { return one.sent.bytes; }).sent.bytes;
}

// The virtual time at which a rank's part of the collective ended, or the last rank's.
json time_of(const Query& ask) {
  const RunRecord& run = ask.run();
  if (!run.job.is_simulated())
    throw UserError(
        "only a simulated run has a time that is the same each time: give the run a topology, or "
        "alpha and bandwidth");
  if (!run.result.ok()) throw UserError(fmt::format("the run fails: {}", run.result.message));
  double seconds = 0;
  for (const RankOutcome& one : run.result.ranks)
    if (!ask.has("rank") || one.rank == ask.rank())
      seconds = std::max(seconds, one.times_s.empty() ? 0 : one.times_s.back());
  return seconds / ask.time_unit();
}

struct Measure {
  std::string_view name;
  bool counts;  ///< It counts rounds, messages or bytes.
  json (*of)(const Query& ask);
};
constexpr Measure kMeasures[] = {
    {"rounds", true, [](const Query& ask) -> json { return ask.run().rounds().count; }},
    {"messages", true,
     [](const Query& ask) -> json { return ask.run().statistics().total.messages; }},
    {"bytes", true, [](const Query& ask) -> json { return ask.run().statistics().total.bytes; }},
    {"sent", true, [](const Query& ask) -> json { return ask.of_rank().sent.bytes; }},
    {"received", true, [](const Query& ask) -> json { return ask.of_rank().received.bytes; }},
    {"sent_messages", true, [](const Query& ask) -> json { return ask.of_rank().sent.messages; }},
    {"received_messages", true,
     [](const Query& ask) -> json { return ask.of_rank().received.messages; }},
    {"busiest_sent", true, busiest_sent},
    {"values", false, [](const Query& ask) { return json_numbers(ask.values()); }},
    {"value", false, value_at},
    {"history", false, history},
    {"time", false, time_of},
    {"status", false, [](const Query& ask) -> json { return to_string(ask.run().result.status); }},
};

}  // namespace

std::vector<double> RunRecord::values(Rank rank, std::string_view buffer, int after) const {
  const Definition& definition = buffer_of(*this, rank, buffer);
  for (const BufferState& state : trace().seek(cursor_after(*this, rank, after)))
    if (state.buffer == definition.id) return values_of(definition, state);
  return std::vector<double>(static_cast<std::size_t>(count_of(definition)),
                             std::numeric_limits<double>::quiet_NaN());
}

std::vector<std::vector<int>> RunRecord::contributions(Rank rank, std::string_view buffer,
                                                       int after) const {
  const Definition& definition = buffer_of(*this, rank, buffer);
  const account::Contents map = contributions().of(definition.id, cursor_after(*this, rank, after));
  const Partition chunks(count_of(definition), job.world.size);
  std::vector<std::vector<int>> out(static_cast<std::size_t>(job.world.size),
                                    std::vector<int>(static_cast<std::size_t>(job.world.size)));
  for (int chunk = 0; chunk < job.world.size; ++chunk)
    for (const account::Stretch& one : map) {
      if (!holds(one.elements, chunks[chunk].offset)) continue;
      for (const account::Share& share : one.shares)
        out[static_cast<std::size_t>(chunk)][static_cast<std::size_t>(share.rank)] = share.times;
    }
  return out;
}

LessonRuns::LessonRuns(std::span<const LessonRun> known) { know(known); }
LessonRuns::~LessonRuns() = default;

void LessonRuns::know(std::span<const LessonRun> known) {
  const std::lock_guard lock(mutex_);
  known_.clear();
  closed_ = ranges::any_of(known, &LessonRun::closed);
  for (const LessonRun& run : known) known_[run.id] = run.job;
}

const RunRecord& LessonRuns::run(std::string_view id, const Values& values) {
  return run(job(id, values));
}

JobSpec LessonRuns::job(std::string_view id, const Values& values) {
  json job;
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(id);
    if (found == known_.end()) {
      std::vector<std::string> names;
      for (const auto& [name, value] : known_) names.push_back(name);
      throw UserError(fmt::format("the lesson has no run '{}'{}", id, nearest_hint(id, names)));
    }
    job = found->second;
  }
  try {
    return job_of(job, values);
  } catch (const UserError&) {
    if (!closed_) throw;
  }
  throw UserError(fmt::format("the run '{}' does not fit this copy: fetch the copy again", id));
}

const RunRecord& LessonRuns::run_of_reference(const JobSpec& job) {
  const RunRecord& out = run(job);
  if (!out.result.ok())
    throw UserError(
        fmt::format("the reference {} fails: {}", job.call.algorithm, out.result.message));
  return out;
}

std::unique_ptr<const RunRecord> LessonRuns::run_once(const JobSpec& job) {
  const std::lock_guard lock(mutex_);
  return make(job);
}

const RunRecord& LessonRuns::run(const JobSpec& job) {
  const std::lock_guard lock(mutex_);
  auto& record = made_[job];
  if (!record) record = make(job);
  return *record;
}

std::unique_ptr<RunRecord> LessonRuns::make(const JobSpec& job) {
  validate(job);
  constexpr Count kMostElements = Count{1} << 27;  // this process holds all ranks' data
  if (!job.network.ghost && job.input_shape().count() > kMostElements / job.world.size)
    throw UserError(
        fmt::format("{} elements on each of {} ranks are too many for a lesson's run; its "
                    "algorithm shows as well with fewer",
                    job.input_shape().count(), job.world.size));
  const std::unique_ptr<Runner> simulator =
      job.is_simulated() ? make_runner(job.transport.name) : nullptr;
  if (!simulator && !runner_) runner_ = make_runner(kThreadTransport);
  TraceMeta meta;
  meta.job = job;
  meta.algorithm = job.call.algorithm;
  meta.collective = collective_of(job);
  meta.world_size = job.world.size;
  add_network(meta, job);
  TraceBuilder builder(meta);
  JobResult result = (simulator ? *simulator : *runner_).run(job, builder);
  meta.outcome = result;
  meta.complete = true;
  builder.set_meta(meta);
  return std::make_unique<RunRecord>(
      RunRecord{TraceAnalysis(builder.finish()), job, std::move(result)});
}

bool LessonRuns::counts(const json& measure) {
  return ranges::any_of(kMeasures,
                        [&](const Measure& one) { return one.counts && measure == one.name; });
}

json LessonRuns::measure(const json& query, const Values& values) {
  const RunRecord& record = run(query.at("run").get<std::string>(), values);
  const std::string what = query.at("measure").get<std::string>();
  std::vector<std::string> known;
  for (const Measure& one : kMeasures) {
    if (one.name == what) return one.of(Query(query, record));
    known.emplace_back(one.name);
  }
  throw UserError(
      fmt::format("there is no measure '{}'{}", what,
                  nearest_hint(what, known, fmt::format("use {}", fmt::join(known, ", ")))));
}

}  // namespace rankscope
