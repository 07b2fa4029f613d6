// Writes a program's runs as traces with records, and reads them back.
#include "lessons/coding/kept_runs.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/trace/trace_file.h"
#include "lessons/submissions/exercise_files.h"
#include "lessons/text/encodings.h"
#include "lessons/text/foreign_text.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Raised when a record no longer means what it did.
constexpr int kRecordVersion = 2;
constexpr std::string_view kCell = " [cell ";

std::string run_name(std::size_t number) { return fmt::format("run-{:03}.rankscope", number); }

std::string packed(const std::vector<std::byte>& bytes) {
  return base64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::vector<std::byte> unpacked(const json& text) {
  const auto bytes = bytes_of_base64(text.get_ref<const std::string&>());
  if (!bytes) throw FormatError("a value of a record is damaged");
  std::vector<std::byte> out(bytes->size());
  std::memcpy(out.data(), bytes->data(), out.size());
  return out;
}

/// The value up to `last` with this name.
template <class E>
E named(const json& name, E last) {
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (to_string(static_cast<E>(i)) == name.get_ref<const std::string&>())
      return static_cast<E>(i);
  throw FormatError("a record of another version");
}

/// A trace's record of a graded run. Throws UserError when it has none that is understood.
json record_of(const Trace& trace, const fs::path& file) {
  json record = parse_json_or_none(trace.meta().record);
  if (!record.is_object())
    throw UserError(
        fmt::format("{} holds only a run's messages, not what its ranks handed in: it cannot be "
                    "judged again. Grade the program with --keep-traces FOLDER",
                    file.string()));
  const auto version = record.find("version");
  if (version == record.end() || !version->is_number_integer() || *version != kRecordVersion)
    throw UserError(
        fmt::format("{} was kept by another version of rankscope: it cannot be judged "
                    "again. Grade the program again with --keep-traces FOLDER",
                    file.string()));
  return record;
}

json json_of(const std::optional<std::string>& text) { return text ? json(*text) : json(); }

std::optional<std::string> text_in(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
}

json json_of(const ProgramFacts& facts) {
  return {{"seed", facts.seed},
          {"cpp", facts.cpp},
          {"quick", facts.quick},
          {"run_timeout_s", facts.run_timeout_s},
          {"most_starts", facts.most_starts},
          {"imports", json_of(facts.text.imports)},
          {"calls", json_of(facts.text.calls)},
          {"diagnostics", facts.diagnostics},
          {"compiler_ended_by", to_string(facts.compiler_ended_by)}};
}

ProgramFacts facts_in(const json& from) {
  ProgramFacts out;
  out.seed = from.at("seed");
  out.cpp = from.at("cpp");
  out.quick = from.at("quick");
  out.run_timeout_s = from.at("run_timeout_s");
  out.most_starts = from.at("most_starts");
  out.text = {text_in(from.at("imports")), text_in(from.at("calls"))};
  out.diagnostics = from.at("diagnostics");
  out.compiler_ended_by = named(from.at("compiler_ended_by"), Cause::user);
  return out;
}

/// A wanted run as a record names it: compared, never read.
json json_of(const WantedRun& wanted) {
  const CodeCase& one = wanted.one;
  return {{"collective", to_string(one.collective)},
          {"ranks", one.ranks},
          {"shape", one.shape.extents()},
          {"dtype", to_string(one.dtype)},
          {"root", one.root},
          {"target", one.target},
          {"dims", {one.scatter_dim, one.gather_dim}},
          {"parameter", one.parameter},
          {"sizes", {one.heads, one.inner}},
          {"view", one.view},
          {"alone", one.alone},
          {"delays_us", one.delays_us},
          {"inputs", {one.traceable, one.counted}},
          {"buffered", one.buffered},
          {"overlooking", one.overlooking},
          {"altered", one.altered},
          {"cpp", one.cpp},
          {"seed", one.seed},
          {"timeout_s", wanted.timeout_s},
          {"late", wanted.late.value_or(-1)}};
}

json json_of(const capi::AgentReport& rank) {
  json results = json::array();
  for (const capi::TaskResult& one : rank.results)
    results.push_back({one.name, to_string(one.dtype), one.shape, packed(one.data)});
  return {{"results", std::move(results)},
          {"error", {rank.error, rank.error_class, rank.error_number, rank.error_after_stop}},
          {"first_sent", packed(rank.first_sent)},
          // The one number may be no number.
          {"sent",
           {rank.sent.count, rank.sent.alike, std::bit_cast<std::uint64_t>(rank.sent.value),
            rank.sent.bytes}},
          {"finished", rank.finished}};
}

capi::AgentReport report_in(const json& from) {
  capi::AgentReport out;
  for (const json& one : from.at("results")) {
    capi::TaskResult& result = out.results.emplace_back();
    result.name = one.at(0);
    result.dtype = named(one.at(1), DType::float64);
    result.shape = one.at(2).get<std::vector<Count>>();
    result.data = unpacked(one.at(3));
  }
  const json& error = from.at("error");
  out.error = error.at(0);
  out.error_class = error.at(1);
  out.error_number = error.at(2);
  out.error_after_stop = error.at(3);
  out.first_sent = unpacked(from.at("first_sent"));
  const json& sent = from.at("sent");
  out.sent.count = sent.at(0);
  out.sent.alike = sent.at(1);
  out.sent.value = std::bit_cast<double>(sent.at(2).get<std::uint64_t>());
  out.sent.bytes = sent.at(3);
  out.finished = from.at("finished");
  return out;
}

json json_of(const GradingRun& run) {
  json ranks = json::array();
  for (const capi::AgentReport& rank : run.ranks) ranks.push_back(json_of(rank));
  return {{"status", to_string(run.result.status)},
          {"message", run.result.message},
          {"trouble", run.trouble},
          {"trouble_cause", to_string(run.trouble_cause)},
          {"left_behind", run.left_behind},
          {"slept", run.slept},
          {"boxes_ended", run.boxes_ended},
          {"refused", run.refused},
          {"exact", run.exact},
          {"starts", run.starts},
          {"has_trace", run.trace.has_value()},
          {"ranks", std::move(ranks)}};
}

GradingRun run_in(const json& from, const Trace& trace) {
  GradingRun out;
  out.meta = trace.meta();
  out.result.status = named(from.at("status"), JobResult::Status::deadlock);
  out.result.message = from.at("message");
  out.trouble = from.at("trouble");
  out.trouble_cause = named(from.at("trouble_cause"), Cause::user);
  out.left_behind = from.at("left_behind");
  out.slept = from.at("slept");
  out.boxes_ended = from.at("boxes_ended");
  out.refused = from.at("refused");
  out.exact = from.at("exact");
  out.starts = from.at("starts");
  if (from.at("has_trace")) out.trace.emplace(trace);
  for (const json& rank : from.at("ranks")) out.ranks.push_back(report_in(rank));
  return out;
}

UserError damaged(const fs::path& file) {
  return UserError(fmt::format("{} is damaged: it cannot be judged again", file.string()));
}

/// Reads a part of a record. Throws UserError with the file where the part is not as it was written.
template <class Read>
auto from_record(const fs::path& file, Read read) {
  try {
    return read();
  } catch (const json::exception&) {
    throw damaged(file);
  } catch (const FormatError&) {
    throw damaged(file);
  }
}

}  // namespace

void write_run(const fs::path& file, const std::vector<EventBatch>& events, TraceMeta meta) {
  TraceWriter writer(file, meta);
  for (EventBatch batch : events) writer.deliver(std::move(batch));
  writer.close(std::move(meta));
}

RunKeeper::RunKeeper(fs::path folder, const CodingExercise& exercise, const ProgramFacts& facts)
    : folder_(std::move(folder)), exercise_(exercise), facts_(facts) {
  if (folder_.empty()) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error)
    throw UserError(
        fmt::format("cannot make the folder {}: {}", folder_.string(), error.message()));
  for (std::size_t number = 0; fs::remove(folder_ / run_name(number), error); ++number) {
  }
  if (facts_.diagnostics.empty()) return;
  GradingRun none;
  none.refused = true;
  keep({}, none);
}

void RunKeeper::keep(const WantedRun& wanted, const GradingRun& run) {
  TraceMeta meta = run.meta;
  if (meta.world_size == 0) meta.world_size = wanted.one.ranks;
  meta.complete = true;
  meta.record = dump_json(json{{"version", kRecordVersion},
                               {"exercise", exercise_.id},
                               {"program", json_of(facts_)},
                               {"wanted", json_of(wanted)},
                               {"run", json_of(run)}});
  write_run(folder_ / run_name(next_++), run.events, std::move(meta));
}

KeptRuns::KeptRuns(const CodingExercise& exercise, fs::path folder)
    : exercise_(exercise), folder_(std::move(folder)) {
  std::error_code error;
  if (fs::is_regular_file(folder_, error)) {
    record_of(TraceReader::open(folder_), folder_);
    throw UserError(
        fmt::format("{} is one of a program's runs: give their folder", folder_.string()));
  }
  if (!fs::exists(file(0), error))
    throw UserError(fmt::format("{} has no {}: no grading kept its runs there (--keep-traces)",
                                folder_.string(), run_name(0)));
  const json record = record_of(TraceReader::open(file(0)), file(0));
  const auto id = from_record(file(0), [&] { return record.at("exercise").get<std::string>(); });
  if (id != exercise.id)
    throw UserError(fmt::format("the runs in {} are of the exercise {}, not of {}",
                                folder_.string(), id, exercise.id));
  facts_ = from_record(file(0), [&] { return facts_in(record.at("program")); });
}

fs::path KeptRuns::file(std::size_t number) const { return folder_ / run_name(number); }

GradingRun KeptRuns::next(const WantedRun& wanted) {
  const fs::path path = file(next_++);
  const Trace trace = TraceReader::open(path);
  const json record = record_of(trace, path);
  if (!record.contains("wanted") || record["wanted"] != json_of(wanted))
    throw UserError(
        fmt::format("{} is another run than the one that is needed next: the exercise asks for "
                    "other runs than when it was kept. Grade the program again",
                    path.string()));
  GradingRun run = from_record(path, [&] { return run_in(record.at("run"), trace); });
  const auto ranks = static_cast<std::size_t>(wanted.one.ranks);
  if (!run.refused && run.result.status != JobResult::Status::interrupted &&
      (run.ranks.size() != ranks || (run.trace && trace.world_size() != wanted.one.ranks)))
    throw damaged(path);
  return run;
}

std::vector<std::pair<std::string, std::string>> submitted_sources(
    const Trace& trace, const std::filesystem::path& submission) {
  std::map<std::string, int> named;
  for (const Definition& site : trace.definitions(Definition::Kind::site))
    if (site.id != 0 && !site.file.empty()) ++named[site.file];
  std::vector<std::pair<int, std::string>> order;
  for (const auto& [file, times] : named) order.emplace_back(-times, file);
  ranges::sort(order);
  std::vector<std::pair<std::string, std::string>> sources;
  for (const auto& [times, file] : order) {
    const std::filesystem::path path(file);
    // Takes files of the submission: by their path in the boxes, or by their name as the compiler got it.
    if (path.has_parent_path() && path.parent_path().filename() != "submission") continue;
    std::string fault, name = path.filename().string();
    int cell = 0;  // "worker.ipynb [cell 5]"
    if (const auto at = name.rfind(kCell); at != name.npos) {
      cell = std::atoi(name.c_str() + at + kCell.size());
      name.resize(at);
    }
    DecodedText source = decoded_text(program_text(submission / name, fault, cell));
    if (fault.empty() && source.fault.empty() && !source.text.empty())
      sources.emplace_back(file, std::move(source.text));
  }
  return sources;
}

}  // namespace rankscope
