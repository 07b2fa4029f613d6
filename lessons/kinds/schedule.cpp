// An algorithm as a table of steps, which is run:
//   collective = "allreduce"     broadcast, reduce, gather, allgather, reduce_scatter or allreduce
//   ranks = "=N"                 1 to 16
//   count = 8                    elements of a rank's input; default: one per chunk
//   chunks = 4                   into which the data is cut; default: one per rank
//   root = 0
//   reference = "allreduce.ring" an algorithm whose run is the key; left_ring, segment, group as in runs
//   rules = { rounds = "=2*(N-1)", chunks_sent = 6, messages = 12, peers = "ring", one_send = true }
// A wrong result is worth nothing. A right one keeps half of the points; the other half is shared equally by
// the rules, and each broken one costs its share.
#include "engine/collectives/schedule.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/run/job/transports.h"
#include "engine/studio/proof/proof.h"
#include "engine/studio/recorded/schedule_of_run.h"
#include "engine/studio/tasks/schedule_tasks.h"
#include "lessons/kinds/kind.h"
#include "lessons/lesson/lesson_runs.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

// The peers of each step and rank; several chunks to one peer are one message.
using Peers = std::map<std::pair<int, Rank>, std::set<Rank>>;
std::string crowded(const Peers& peers, std::string_view verb) {
  for (const auto& [at, others] : peers)
    if (others.size() > 1)
      return fmt::format("In step {} rank {} {} {} ranks; one is allowed.", at.first, at.second,
                         verb, others.size());
  return "";
}

/// The limits of a schedule; 0 or false for none.
struct ScheduleRules {
  int rounds = 0;         ///< Steps, at most.
  int chunks_sent = 0;    ///< Chunks that one rank sends, at most.
  int messages = 0;       ///< Rows of the table in all, at most.
  bool ring = false;      ///< Messages go only to a neighbour, rank ± 1.
  bool one_send = false;  ///< In a step each rank sends at most once and receives at most once.
  int count() const noexcept {
    return (rounds > 0 ? 1 : 0) + (chunks_sent > 0 ? 1 : 0) + (messages > 0 ? 1 : 0) +
           (ring ? 1 : 0) + (one_send ? 1 : 0);
  }
};
/// Says where the data goes wrong: "Rank 0 adds chunk 0 from rank 1 in step 2, and then has rank 1's chunk 0 twice: …";
/// empty if every rank ends with what the collective promises, or if `ended_well` and nothing can be proved.
std::string schedule_fault(const Schedule& schedule, const ScheduleUse& use, bool ended_well) {
  try {
    const ScheduleProof proof = prove(posted_tasks(schedule, use, Posting::nonblocking), false);
    // Only what the ranks end with counts: an unneeded message may carry anything.
    if (proof.right() || (ended_well && proof.wrong_places == 0)) return {};
    const std::string first = capitalized(proof.faults.front().words) + ".";
    return proof.wrong_places < 2
               ? first
               : fmt::format("{} In the end {} places are wrong.", first, proof.wrong_places);
  } catch (const UserError&) {
    return {};  // the ranks cannot share so many chunks equally: the run alone decides
  }
}

/// A sentence for each rule that is broken, with figures.
std::vector<std::string> broken_rules(const Schedule& schedule, int ranks,
                                      const ScheduleRules& rules) {
  std::set<int> steps;
  std::map<Rank, int> sent;
  Peers senders, receivers;
  std::string stranger;
  for (const ScheduleMove& move : schedule.moves) {
    steps.insert(move.step);
    sent[move.from] += move.chunk == ScheduleMove::kWhole ? schedule.chunks_for(ranks) : 1;
    senders[{move.step, move.from}].insert(move.to);
    receivers[{move.step, move.to}].insert(move.from);
    const bool neighbours =
        wrap(move.from + 1, ranks) == move.to || wrap(move.from - 1, ranks) == move.to;
    if (!neighbours && stranger.empty())
      stranger = fmt::format("In step {} rank {} sends to rank {}, which is not its neighbour.",
                             move.step, move.from, move.to);
  }
  std::vector<std::string> out;
  const int used = static_cast<int>(steps.size());
  if (rules.rounds > 0 && used > rules.rounds)
    out.push_back(fmt::format("It takes {} steps; {} are enough.", used, rules.rounds));
  const auto busiest = ranges::max_element(sent, {}, [](const auto& one) { return one.second; });
  if (rules.chunks_sent > 0 && busiest != sent.end() && busiest->second > rules.chunks_sent)
    out.push_back(fmt::format("Rank {} sends {} chunks; {} are enough.", busiest->first,
                              busiest->second, rules.chunks_sent));
  const int messages = static_cast<int>(schedule.moves.size());
  if (rules.messages > 0 && messages > rules.messages)
    out.push_back(fmt::format("It sends {} messages; {} are enough.", messages, rules.messages));
  if (rules.ring && !stranger.empty()) out.push_back(stranger);
  std::string crowd = crowded(senders, "sends to");
  if (crowd.empty()) crowd = crowded(receivers, "receives from");
  if (rules.one_send && !crowd.empty()) out.push_back(crowd);
  return out;
}

// ---- The kind ----

using nlohmann::json;

constexpr std::size_t kMostMoves = 1000;
constexpr int kMostRanks = 16, kMostChunks = 64, kMostCount = 1024, kMostStep = 1000;
constexpr std::string_view kRow =
    "a row is like { step = 1, from = 0, to = 1, chunk = 0, add = true }";

int whole_of(const Question& question, const Variant& variant, const char* key, int otherwise,
             int most) {
  if (!question.data.contains(key)) return otherwise;
  return answer_whole(expand(question.data[key], variant.values), fmt::format("'{}'", key), 1,
                      most);
}

/// The job that the question is about, without its algorithm.
struct Task {
  std::string collective;
  int ranks = 4, chunks = 4;
  JobSpec job;
};

Task task_of(const Question& question, const Variant& variant) {
  Task out;
  out.collective = question.data.at("collective").get<std::string>();
  out.ranks = whole_of(question, variant, "ranks", 4, kMostRanks);
  out.chunks = whole_of(question, variant, "chunks", out.ranks, kMostChunks);
  const auto* collective = find_collective(out.collective);
  const bool gathers = collective != nullptr && collective->counts_all_ranks();
  const int each = gathers ? std::max(1, out.chunks / out.ranks) : out.chunks;
  json job = {{"ranks", out.ranks},
              {"dtype", "int64"},
              {"input", "index"},
              {"transport", kThreadTransport}};
  job["count"] = whole_of(question, variant, "count", each, kMostCount);
  for (const char* key : {"root", "left_ring", "segment", "group"})
    if (question.data.contains(key)) job[key] = question.data[key];
  out.job = LessonRuns::job_of(job, variant.values);
  return out;
}

ScheduleRules rules_of(const Question& question, const Variant& variant) {
  ScheduleRules out;
  const json rules = expand(question.data.value("rules", json::object()), variant.values);
  for (const auto& [name, limit] : {std::pair{"rounds", &out.rounds},
                                    {"chunks_sent", &out.chunks_sent},
                                    {"messages", &out.messages}})
    if (rules.contains(name))
      *limit = answer_whole(rules[name], fmt::format("'{}'", name), 0, 1 << 20);
  out.ring = rules.value("peers", "any") == "ring";
  out.one_send = rules.value("one_send", false);
  return out;
}

// ---- Answers ----

int chunk_of(const json& row) {
  const json* chunk = filled_in(row, "chunk");
  if (chunk == nullptr) throw UserError(fmt::format("'chunk' is missing: {}", kRow));
  if (*chunk == "all" || *chunk == "everything") return ScheduleMove::kWhole;
  std::string text = answer_text(*chunk);
  if (text.starts_with("chunk")) text.erase(0, 5);
  return answer_whole(text, "the chunk", 0, kMostChunks);
}

bool add_of(const json& row) {
  if (filled_in(row, "add") == nullptr)
    throw UserError("'add' is missing: say whether the receiver adds what comes or keeps it");
  const json& add = row["add"];
  if (add.is_boolean()) return add.get<bool>();
  // "a" and "b": the letters of the choice.
  for (const char* yes : {"add", "a", "true", "yes", "1"})
    if (add == yes) return true;
  for (const char* no : {"keep", "b", "false", "no", "0"})
    if (add == no) return false;
  if (add == 1 || add == 0) return add == 1;
  throw UserError(fmt::format(R"('add' must be "add" or "keep", not {})", brief(add)));
}

ScheduleMove move_of(const json& row) {
  for (const char* key : {"step", "from", "to"})
    if (filled_in(row, key) == nullptr)
      throw UserError(fmt::format("'{}' is missing: {}", key, kRow));
  return {answer_whole(row["step"], "the step", 1, kMostStep),
          answer_whole(row["from"], "the sending rank", 0, kMostRanks - 1),
          answer_whole(row["to"], "the receiving rank", 0, kMostRanks - 1), chunk_of(row),
          add_of(row)};
}

Schedule read(const json& answer) {
  if (answer.is_string()) {
    const auto& text = answer.get_ref<const std::string&>();
    if (text.find_first_not_of(" \t\r\n.") == std::string::npos || text == "none") return {};
    if (text.size() > 64 * kMostMoves) throw UserError("this is too long for a schedule");
    return parse_schedule(text);
  }
  if (!answer.is_array())
    throw UserError(fmt::format("moves are expected, such as \"1: 0 -> 1 chunk 0 add\", not {}",
                                brief(answer)));
  Schedule out;
  if (answer.size() > kMostMoves)
    throw UserError(fmt::format("a schedule has at most {} moves here", kMostMoves));
  for (const json& row : answer) {
    if (blank(row)) continue;  // an empty row of the form
    if (row.is_string()) {
      for (const ScheduleMove& move : parse_schedule(row.get_ref<const std::string&>()).moves)
        out.moves.push_back(move);
    } else if (row.is_object()) {
      out.moves.push_back(move_of(row));
    } else {
      throw UserError(fmt::format("{} is no move; {}", brief(row), kRow));
    }
  }
  return out;
}

// The answer as a checked schedule with the question's number of chunks.
Schedule schedule_in(const json& answer, const Task& task) {
  Schedule out = read(answer);
  if (out.moves.size() > kMostMoves)
    throw UserError(fmt::format("a schedule has at most {} moves here", kMostMoves));
  if (out.chunks > 0 && out.chunks != task.chunks)
    throw UserError(fmt::format("the data is cut into {} here, not into {}",
                                counted(static_cast<std::uint64_t>(task.chunks), "chunk"),
                                out.chunks));
  out.chunks = task.chunks;
  check_schedule(out, task.ranks);
  for (const ScheduleMove& move : out.moves)
    if (move.step > kMostStep) throw UserError(fmt::format("steps go up to {} here", kMostStep));
  return out;
}

json rows_of(const Schedule& schedule) {
  if (schedule.moves.empty()) return "none";
  json out = json::array();
  for (const ScheduleMove& move : schedule.moves) {
    json row = {{"step", move.step}, {"from", move.from}, {"to", move.to}, {"add", move.add}};
    row["chunk"] = move.chunk == ScheduleMove::kWhole ? json("all") : json(move.chunk);
    out.push_back(std::move(row));
  }
  return out;
}

constexpr KindKey kScheduleRules[] = {{.name = "rounds"},
                                      {.name = "chunks_sent"},
                                      {.name = "messages"},
                                      {.name = "peers", .is = KindKey::Is::text},
                                      {.name = "one_send", .is = KindKey::Is::flag}};
constexpr KindKey kScheduleKeys[] = {
    {.name = "collective", .is = KindKey::Is::text, .required = true, .students = true},
    {.name = "ranks", .required = true, .students = true},
    {.name = "count", .students = true},
    {.name = "chunks", .students = true},
    {.name = "root"},
    {.name = "left_ring"},
    {.name = "segment"},
    {.name = "group"},
    {.name = "reference", .is = KindKey::Is::text, .required = true},
    {.name = "rules", .parts = kScheduleRules},
};
constexpr KindRow kScheduleRow{.name = "schedule",
                               .title = "a table of steps",
                               .answer = "a list of rows (objects), or the text of one",
                               .keys = kScheduleKeys,
                               .lines = 8};

class ScheduleKind : public QuestionKind {
 public:
  const KindRow& row() const override { return kScheduleRow; }

  void check_further(TomlNode& question) const override {
    const std::string collective = question.text("collective");
    std::vector<std::string> known;
    for (const Algorithm& one : schedule_algorithms())
      known.emplace_back(to_string(one.collective));
    if (!collective.empty() && ranges::find(known, collective) == known.end())
      question.at("collective")
          .complain(fmt::format("no schedule of a '{}' can be run; use {}", collective,
                                fmt::join(known, ", ")));
    const std::string reference = question.text("reference");
    if (!reference.empty() && find_algorithm(reference) == nullptr)
      question.at("reference").complain(fmt::format("there is no algorithm '{}'", reference));
    TomlNode rules = question.at("rules");
    if (const json& peers = rules.value("peers");
        peers.is_string() && peers != "any" && peers != "ring")
      rules.at("peers").complain(R"('peers' is "ring" or "any")");
  }

  json find_key(const Question& question, const Variant& variant, LessonRuns& runs) const override {
    if (!question.data.contains("reference")) return {};
    const Task task = task_of(question, variant);
    JobSpec job = task.job;
    job.call.algorithm = question.data["reference"].get<std::string>();
    return rows_of(schedule_of_run(runs.run_of_reference(job), task.chunks, job.call.algorithm,
                                   "choose another reference or number of chunks"));
  }

  AnswerForm form(const Question& question, const Variant& variant, LessonRuns&) const override {
    const Task task = task_of(question, variant);
    const auto* const collective = find_collective(task.collective);
    return {.how = fmt::format("moves, each with its step, sender, receiver, chunk (0 to {}, or "
                               "all), and whether the receiver adds what comes or keeps it",
                               task.chunks - 1),
            .fields = {{"/step", "step", AnswerField::Type::number},
                       {"/from", "from", AnswerField::Type::number},
                       {"/to", "to", AnswerField::Type::number},
                       {"/chunk", "chunk"},
                       {"/add", "receiver", AnswerField::Type::choice, {"add", "keep"}}},
            .rows = true,
            .example = "1: 0 -> 1 chunk 0 add; 2: 1 -> 0 chunk 0 keep",
            .picture = {.is = AnswerPicture::Is::messages,
                        .adds = collective != nullptr && collective->reduces}};
  }

  Judgement judge(const Question& question, const Variant& variant, const json&, const json& answer,
                  LessonRuns& runs) const override {
    const Task task = task_of(question, variant);
    const Schedule schedule = schedule_in(answer, task);
    JobSpec job = task.job;
    job.call.algorithm = task.collective + ".schedule";
    job.call.schedule = to_text(schedule);
    const auto run = runs.run_once(job);
    const auto status = run->result.status;
    if (status != JobResult::Status::ok && status != JobResult::Status::wrong_result)
      return {0, "It cannot be run: " + run->result.message};
    const ScheduleUse use{.collective = find_collective(task.collective)->collective,
                          .ranks = task.ranks,
                          .root = job.call.root};
    const std::string fault = schedule_fault(schedule, use, run->result.ok());
    if (!fault.empty() || !run->result.ok())
      return {0, fault.empty() ? run->result.message : fault};
    const ScheduleRules rules = rules_of(question, variant);
    const auto broken = broken_rules(schedule, task.ranks, rules);
    if (broken.empty()) return {1, ""};
    return {1 - 0.5 * static_cast<double>(broken.size()) / rules.count(),
            fmt::format("The result is right. {}", fmt::join(broken, " "))};
  }

  void require_form(const Question& question, const Variant& variant,
                    const json& answer) const override {
    schedule_in(answer, task_of(question, variant));
  }

  bool same(const Question&, const Variant&, const json& other, const json& answer,
            LessonRuns&) const override {
    return sorted_text(other) == sorted_text(answer);
  }

  json parse(const Question&, const Variant&, std::string_view typed) const override {
    const Schedule schedule = read(std::string(typed));
    // Rows cannot hold a number of chunks.
    return schedule.chunks > 0 ? json(std::string(typed)) : rows_of(schedule);
  }

  std::string show(const Question&, const json& answer) const override {
    if (answer.is_string()) return answer.get<std::string>();
    return joined(read(answer).moves, "; ", [](auto& move) { return to_text(move); });
  }

  bool trial(const Question& question, const Variant& variant, const json& answer,
             JobSpec& job) const override {
    const Task task = task_of(question, variant);
    Schedule drawn;
    for (const json& row : answer.is_array() ? answer : json::array({answer})) {
      try {
        for (const ScheduleMove& move : schedule_in(json::array({row}), task).moves)
          drawn.moves.push_back(move);
      } catch (const UserError&) {  // an incomplete move
      }
    }
    drawn.chunks = task.chunks;
    job = task.job;
    job.call.algorithm = task.collective + ".schedule";
    job.call.schedule = to_text(drawn);
    job.data.check = false;
    return true;
  }

 private:
  static std::vector<std::string> sorted_text(const json& answer) {
    std::vector<std::string> out;
    for (const ScheduleMove& move : read(answer).moves) out.push_back(to_text(move));
    ranges::sort(out);
    return out;
  }
};

}  // namespace

const QuestionKind& schedule_kind() { return only_kind<ScheduleKind>(); }

}  // namespace rankscope
