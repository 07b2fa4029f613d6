// Writes a job as a sentence, and sets a job's fields.
#include "gui/state/run/sentence.h"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/algorithm.h"
#include "engine/collectives/schedule.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/network/files/topology_file.h"
#include "engine/run/job/auto_algorithm.h"
#include "engine/run/job/given_values.h"
#include "engine/run/job/job_fields.h"
#include "engine/run/job/transports.h"
#include "gui/state/command/arguments.h"

namespace rankscope::gui {

const CollectiveTraits* traits_of_job(const JobSpec& job) {
  if (const auto chosen = collective_of_auto(job.call.algorithm)) return &traits(*chosen);
  const auto* found = find_algorithm(job.call.algorithm);
  return found == nullptr ? nullptr : &traits(found->collective);
}

std::string way_to(Collective collective, std::string_view before) {
  const Algorithm* best = nullptr;
  bool best_is_plain = false;
  for (const auto& one : algorithms()) {
    if (to_string(one.collective) != to_string(collective)) continue;
    if (one.short_name() == before) return std::string(one.name);
    const bool plain = one.short_name() == "flat" || one.best_use == "comparison";
    if (best == nullptr || (best_is_plain && !plain)) {
      best = &one;
      best_is_plain = plain;
    }
  }
  return std::string(best->name);
}

namespace {

using Word = std::pair<std::string_view, std::string_view>;

// Operators in a sentence; others keep their names.
constexpr std::array<Word, 5> kOperators = {{{"SUM", "added up"},
                                             {"PRODUCT", "multiplied"},
                                             {"MIN", "taking the minimum"},
                                             {"MAX", "taking the maximum"},
                                             {"AVG", "averaged"}}};

// Collectives that are written unlike their names.
constexpr std::array<Word, 2> kWritten = {{{"alltoall", "all-to-all"}, {"p2p", "point-to-point"}}};

constexpr std::string_view kTimes = "\u00D7";

std::string capitalised(std::string_view name) {
  const auto written = ranges::find(kWritten, name, &Word::first);
  std::string text(written == kWritten.end() ? name : written->second);
  ranges::replace(text, '_', '-');
  return capitalized(std::move(text));
}

std::string_view operator_word(ReduceOp op) {
  const auto found = ranges::find(kOperators, to_string(op), &Word::first);
  return found == kOperators.end() ? to_string(op) : found->second;
}

}  // namespace

const Algorithm* algorithm_called(std::string_view name, const CollectiveTraits* now,
                                  bool is_meant) {
  const auto by = [&](std::string_view short_name) {
    const Algorithm* found = nullptr;
    for (const auto& one : algorithms()) {
      if (ascii_lower(std::string(one.short_name())) != short_name) continue;
      const bool here = now != nullptr && to_string(one.collective) == now->name;
      if (here || found == nullptr || one.collective == Collective::allreduce) found = &one;
      if (here) break;
    }
    return found;
  };
  const Algorithm* const found = by(name);
  // An allreduce's "doubling" has another short name.
  const bool here = found != nullptr && now != nullptr && to_string(found->collective) == now->name;
  return name == "doubling" && !is_meant && !here ? by("bde") : found;
}

std::vector<SentenceWord> sentence_of(const JobSpec& job) {
  const auto* const collective = traits_of_job(job);
  const auto* const algorithm = find_algorithm(job.call.algorithm);
  std::vector<SentenceWord> words;
  const auto add = [&](JobPart part, std::string before, std::string word) {
    words.push_back({part, std::move(before), std::move(word)});
  };
  const bool has_data = collective == nullptr || collective->in != Extent::nothing;
  add(JobPart::collective, "",
      capitalised(collective == nullptr ? job.call.algorithm : collective->name));
  add(JobPart::algorithm, "by",
      algorithm == nullptr ? "auto" : std::string(algorithm->short_name()));
  add(JobPart::ranks, "on", counted(static_cast<std::uint64_t>(job.world.size), "rank"));
  if (has_data)
    add(JobPart::data, "with",
        fmt::format("{} {}", fmt::join(job.call.shape, kTimes), to_string(job.call.dtype)));
  const bool combines = collective != nullptr && collective->reduces;
  if (combines) add(JobPart::op, ",", std::string(operator_word(job.call.op)));
  const std::string comma = combines ? ", " : "";
  if (collective != nullptr && collective->rooted)
    add(JobPart::root, comma + (collective->result_at_root ? "to" : "from"),
        fmt::format("rank {}", job.call.root));
  const std::string before = collective != nullptr && collective->rooted ? "" : comma;
  if (!job.is_simulated()) add(JobPart::transport, before + "over", job.transport.name);
  else if (job.network.topology.empty()) add(JobPart::transport, combines ? "," : "", "simulated");
  else
    add(JobPart::transport, before + "simulated on",
        job.network.topology.substr(job.network.topology.rfind('/') + 1));
  // An exercise depends on its sends, so they are always named.
  const bool exercise =
      ranges::find(exercises(), job.call.algorithm, &Algorithm::name) != exercises().end();
  if (job.transport.mode != SendMode::buffered || exercise)
    add(JobPart::mode, "with", fmt::format("{} sends", to_string(job.transport.mode)));
  std::vector<std::size_t> slow;
  for (std::size_t rank = 0; rank < job.world.delays_us.size(); ++rank)
    if (job.world.delays_us[rank] > 0) slow.push_back(rank);
  if (!slow.empty())
    add(JobPart::delays, "with",
        slow.size() == 1   ? fmt::format("slow rank {}", slow.front())
        : slow.size() == 2 ? fmt::format("slow ranks {} and {}", slow[0], slow[1])
                           : fmt::format("{} slow ranks", slow.size()));
  return words;
}

std::string sentence_text(const JobSpec& job) {
  std::string text;
  for (const auto& [part, before, word] : sentence_of(job)) {
    if (!text.empty() && !before.starts_with(',')) text += ' ';
    text += before + (before.empty() ? "" : " ") + word;
  }
  return text + '.';
}

namespace {

void set_delay(JobSpec& job, const std::string& rank_word, const std::string& value) {
  const auto rank = number_of<Rank>(rank_word, "the rank of the delay");
  const auto delay = number_of<double>(value, "the delay");
  check_delay(delay);
  if (rank < 0 || rank >= job.world.size)
    throw UserError(fmt::format("there is no rank {} to delay", rank));
  if (job.world.delays_us.size() <= static_cast<std::size_t>(rank))
    job.world.delays_us.resize(static_cast<std::size_t>(rank) + 1, 0);
  job.world.delays_us[static_cast<std::size_t>(rank)] = delay;
}

// Given values that no longer fit are dropped, as the panel has no field for them.
void forget_values_that_do_not_fit(JobSpec& job) {
  const auto fits = [&](const auto& row) {
    return row.size() == 1 || static_cast<Count>(row.size()) == Shape(job.call.shape).count();
  };
  const bool as_many = static_cast<int>(job.data.values.size()) == job.world.size;
  if (job.data.values.empty() || (as_many && ranges::all_of(job.data.values, fits))) return;
  give_values(job, "");
}

bool can_be_chosen(const std::string& transport) {
  return transport_can(transport, &Transport::processes) ||
         transport_can(transport, &Transport::virtual_time);
}

// A network implies the simulated transport; a real transport removes the network.
void follow_network(JobSpec& job, const JobField& field, const std::string& value) {
  if (field.key == "transport" && !job.is_simulated()) return forget_network(job);
  if (field.section != JobField::Section::network || value.empty()) return;
  job.transport.name = kSimTransport;
  if (field.key != "topology") return;
  // Settings of another network do not apply.
  const JobSpec usual;
  job.network.alpha_s = usual.network.alpha_s;
  job.network.bandwidth = usual.network.bandwidth;
  job.network.links.clear();
  job.network.placement.clear();
}

void apply(JobSpec& job, const std::string& key, const std::string& value) {
  if (key.starts_with("delay.")) return set_delay(job, key.substr(6), value);
  if (key == "count") {
    job.call.shape = {number_of<Count>(value, "count")};
    return;
  }
  const JobField* const field = find_job_field(&JobField::word, key);
  if (field == nullptr) {
    std::vector<std::string_view> names{"count"};
    for (const JobField& one : job_fields())
      if (!one.word.empty()) names.push_back(one.word);
    throw UserError(
        fmt::format("a job has no \"{}\": it has {}, delay.RANK", key, fmt::join(names, ", ")));
  }
  if (key == "algorithm" && !is_auto(value)) require_algorithm(value);
  if (key == "transport" && !can_be_chosen(value))
    throw UserError(fmt::format("the transport is {} or {}",
                                transport_names(", ", &Transport::processes), kSimTransport));
  set_field(job, *field, value, key);
  follow_network(job, *field, value);
  if (key == "algorithm") {  // only some algorithms run a schedule
    const auto* algorithm = find_algorithm(value);
    if (algorithm == nullptr || !runs_schedule(*algorithm)) job.call.schedule.clear();
  }
  if (key == "input" && job.data.input != InputPattern::given) job.data.values.clear();
  // Settings of ranks that are gone are dropped.
  if (job.world.size > 0 && job.world.delays_us.size() > static_cast<std::size_t>(job.world.size))
    job.world.delays_us.resize(static_cast<std::size_t>(job.world.size));
  if (key == "ranks" && job.call.root >= job.world.size) job.call.root = 0;
}

}  // namespace

void set_job_word(JobSpec& job, const std::string& key, const std::string& value) {
  apply(job, key, value);
  if (key == "ranks" || key == "count" || key == "shape") forget_values_that_do_not_fit(job);
}

void set_job_words(JobSpec& job, const std::vector<std::string>& words) {
  bool gives_values = false;
  for (const auto& word : words) {
    gives_values = gives_values || word.starts_with("values=");
    const auto equals = word.find('=');
    if (equals == std::string::npos) apply(job, "algorithm", word);
    else apply(job, word.substr(0, equals), word.substr(equals + 1));
  }
  if (!gives_values) forget_values_that_do_not_fit(job);
}

const std::vector<std::string>& known_topologies() {
  static const std::vector<std::string> kNames = [] {
    try {
      return topology_names();
    } catch (const UserError&) {  // a sentence needs none; a job that names one reports why
      return std::vector<std::string>{};
    }
  }();
  return kNames;
}

bool is_topology(std::string_view word) {
  return ranges::find(known_topologies(), word) != known_topologies().end();
}

int ranks_of_topology(const std::string& name) {
  try {
    return open_topology(name).ranks();
  } catch (const UserError&) {
    return 0;
  }
}

std::vector<std::string> with_topologies(const std::string& typed) {
  constexpr std::string_view kOn = " on ";
  const auto at = typed.rfind(kOn);
  if (at == std::string::npos) return {};
  const std::string begun = ascii_lower(typed.substr(at + kOn.size()));
  std::vector<std::string> whole;
  if (begun.find(' ') != std::string::npos) return whole;
  for (const std::string& name : known_topologies())
    if (name.starts_with(begun) && name != begun)
      whole.push_back(typed.substr(0, at + kOn.size()) + name);
  return whole;
}

}  // namespace rankscope::gui
