// `rankscope list`: the algorithms and what they cost.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/job_options.h"
#include "cli/option_list.h"
#include "cli/sizes.h"
#include "cli/terminal/text.h"
#include "engine/analysis/findings/findings.h"
#include "engine/collectives/algorithm.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope::cli {
namespace {

struct ListOptions {
  std::string which;
  bool exercises = false;
  bool findings = false;
  std::string ranks = "8", bytes, count;
  JobOptions job;
};

struct Question {
  int ranks = 8, radix = 0;
  std::uint64_t bytes = 0, segment = 0;
  DType dtype = DType::float32;
};

constexpr std::uint64_t kDefaultBytes = 1 << 20;
constexpr int kMostRanks = 1 << 20;

Question question_of(const ListOptions& options) {
  Question question;
  question.ranks = static_cast<int>(parse_integer(options.ranks, "--ranks", 1, kMostRanks));
  const JobSpec job = options.job.fields();
  question.dtype = job.call.dtype;
  question.segment = job.call.segment_bytes;
  question.radix = job.call.radix;
  question.bytes = options.bytes.empty() ? kDefaultBytes : parse_size(options.bytes, "--bytes");
  if (!options.count.empty())
    question.bytes = static_cast<std::uint64_t>(
                         parse_integer(options.count, "--count", 0, std::int64_t{1} << 50)) *
                     dtype_size(question.dtype);
  // The bytes that all ranks send together must fit into a number.
  if (question.bytes > (std::uint64_t{1} << 62) / static_cast<std::uint64_t>(question.ranks))
    throw UserError(fmt::format("{} bytes on {} ranks cannot be counted: name fewer",
                                question.bytes, question.ranks));
  return question;
}

/// Rounds up to whole elements, and for a gather or an allgather to whole parts.
ClosedFormInput input_of(const Algorithm& algorithm, const Question& question) {
  const bool parts = traits(algorithm.collective).counts_all_ranks();
  const std::uint64_t unit =
      dtype_size(question.dtype) * static_cast<std::uint64_t>(parts ? question.ranks : 1);
  const auto count = static_cast<Count>((question.bytes + unit - 1) / unit);
  return {.n = question.ranks,
          .shape = Shape::flat(count),
          .dtype = question.dtype,
          .segment_bytes = question.segment,
          .radix = question.radix};
}

/// Returns the algorithms of a collective, of that name, or with that word in it; all of them for an empty word.
std::vector<const Algorithm*> chosen(std::string which, std::span<const Algorithm> table) {
  ranges::replace(which, '-', '_');
  std::vector<const Algorithm*> found, similar;
  for (const auto& algorithm : table) {
    if (which.empty() || which == to_string(algorithm.collective) || which == algorithm.name)
      found.push_back(&algorithm);
    else if (algorithm.name.find(which) != std::string_view::npos) similar.push_back(&algorithm);
  }
  if (found.empty()) found = std::move(similar);
  // Puts the algorithms of plug-ins beside the built-in ones.
  ranges::stable_sort(found, {}, [](const Algorithm* one) { return one->collective; });
  if (!found.empty()) return found;
  auto known = words_for("COLLECTIVE");
  for (const auto& algorithm : table) known.emplace_back(algorithm.name);
  throw UserError(
      fmt::format("there is no collective or algorithm '{}'{}", which, nearest_hint(which, known)));
}

void print_json(const Console& console, const std::vector<const Algorithm*>& list,
                const Question& question) {
  auto rows = nlohmann::json::array();
  for (const auto* algorithm : list) {
    const ClosedFormInput in = input_of(*algorithm, question);
    nlohmann::json row{
        {"name", algorithm->name},    {"collective", to_string(algorithm->collective)},
        {"title", algorithm->title},  {"rounds", nullptr},
        {"busiest_bytes", nullptr},   {"best_use", algorithm->best_use},
        {"source", algorithm->source}};
    if (algorithm->rounds != nullptr) row["rounds"] = algorithm->rounds(in);
    if (algorithm->busiest_bytes != nullptr) row["busiest_bytes"] = algorithm->busiest_bytes(in);
    rows.push_back(std::move(row));
  }
  const nlohmann::json answer{
      {"ranks", question.ranks}, {"bytes", question.bytes}, {"algorithms", rows}};
  console.print_raw(json_text(answer));
}

void print_table(const Console& console, const std::vector<const Algorithm*>& list,
                 const Question& question) {
  Table table({{"algorithm", kLeft}, "rounds", "busiest sends", {"best for", kLeft}});
  std::string_view group;
  for (const auto* algorithm : list) {
    if (const auto name = to_string(algorithm->collective); name != group) {
      group = name;
      table.add_section(std::string(name));
    }
    const ClosedFormInput in = input_of(*algorithm, question);
    const bool counted = algorithm->rounds != nullptr, sized = algorithm->busiest_bytes != nullptr;
    table.add_row({"  " + std::string(algorithm->name),
                   counted ? std::to_string(algorithm->rounds(in)) : "-",
                   sized ? format_bytes(algorithm->busiest_bytes(in)) : "-",
                   std::string(algorithm->best_use)});
  }
  console.print(table.to_string(console.out()));
  console.print(fmt::format(
      "\n{}, {} of data (gather and allgather: of all ranks together). \"Busiest sends\" is what "
      "the\nbusiest rank sends in all.\n",
      plural(question.ranks, "rank"), format_bytes(question.bytes)));
}

void print_details(const Console& console, const Algorithm& algorithm) {
  const auto& style = console.out();
  std::string text = fmt::format("\n{}: {}\n", style.bold(algorithm.name), algorithm.title);
  if (!algorithm.source.empty()) text += fmt::format("Source: {}\n", algorithm.source);
  const auto built_in = built_in_algorithms();
  if (ranges::find(built_in, algorithm.name, &Algorithm::name) != built_in.end())
    text += fmt::format("See it run: rankscope demo {}\n", algorithm.name);
  console.print(text);
}

// Leaves costs out, as students are to find them out.
void print_exercises(const Console& console, const std::vector<const Algorithm*>& list) {
  if (console.json()) {
    auto rows = nlohmann::json::array();
    for (const auto* exercise : list)
      rows.push_back({{"name", exercise->name},
                      {"collective", to_string(exercise->collective)},
                      {"title", exercise->title}});
    console.print_raw(json_text(nlohmann::json{{"exercises", rows}}));
    return;
  }
  Table table({{"exercise", kLeft}, {"is to be", kLeft}, {"collective", kLeft}});
  for (const auto* exercise : list)
    table.add_row({std::string(exercise->name), std::string(exercise->title),
                   std::string(to_string(exercise->collective))});
  console.print(table.to_string(console.out()));
  console.print("\nPrograms that are wrong, or needlessly slow: run one and find out why.\n");
}

void print_findings(const Console& console) {
  auto rows = nlohmann::json::array();
  Table table({{"finding", kLeft}, {"usually", kLeft}, {"what it is", kLeft}});
  for (const FindingKind& row : kFindingKinds) {
    const std::string name(row.name), severity(to_string(row.severity)), summary(row.summary);
    rows.push_back({{"name", name}, {"severity", severity}, {"summary", summary}});
    table.add_row({name, severity, summary});
  }
  if (console.json()) console.print_raw(json_text(nlohmann::json{{"findings", rows}}));
  else console.print(table.to_string(console.out()));
}

Action define_list(OptionList app) {
  const auto options = std::make_shared<ListOptions>();
  app.add_option("WHICH", "COLLECTIVE", options->which,
                 "A collective, an algorithm, or a part of a name");
  app.add_with_default("-n,--ranks", "N", options->ranks, "Number of ranks");
  const auto bytes =
      app.add_option("-b,--bytes", "SIZE", options->bytes, "Size of the data").default_str("1MiB");
  app.add_option("-c,--count", "ELEMENTS", options->count, "Size of the data, in elements")
      .excludes(bytes);
  options->job.add(app, "dtype");
  options->job.add(app, "segment_bytes");
  options->job.add(app, "radix");
  app.add_flag("--exercises", options->exercises,
               "The faulty programs of the find-the-bug exercises instead");
  app.add_flag("--findings", options->findings, "What `rankscope check` finds instead");
  return [options](const Console& console) {
    if (options->findings) return print_findings(console), kOk;
    const auto question = question_of(*options);
    if (options->exercises) {
      print_exercises(console, chosen(options->which, exercises()));
      return kOk;
    }
    const auto list = chosen(options->which, algorithms());
    if (console.json()) {
      print_json(console, list, question);
    } else {
      print_table(console, list, question);
      if (list.size() == 1) print_details(console, *list.front());
    }
    return kOk;
  };
}

}  // namespace

constinit const CommandEntry kListCommand{
    .name = "list",
    .group = kRunning,
    .summary = "list the algorithms, with rounds and bytes",
    .details =
        "The figures are closed forms for the number of ranks and the size that you give; the "
        "tests compare them with what the ranks really do.",
    .examples =
        "rankscope list  # all of them, for 8 ranks and 1 MiB\n"
        "rankscope list allreduce -n 16 --bytes 64KiB  # one collective\n"
        "rankscope list ring --json  # all whose name has \"ring\" in it, for a script",
    .define = define_list,
    .takes_plugins = true,
};

}  // namespace rankscope::cli
