// Sets a job's fields from words such as "ranks=8".
#include "gui/state/run/job_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/algorithm.h"
#include "engine/collectives/schedule.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/run/job/auto_algorithm.h"
#include "engine/run/job/given_values.h"
#include "engine/run/job/job_fields.h"
#include "engine/run/job/transports.h"
#include "gui/state/command/arguments.h"

namespace rankscope::gui {
namespace {

void set_delay(JobSpec& job, const std::string& rank_word, const std::string& value) {
  const auto rank = number_of<Rank>(rank_word, "the rank of the delay");
  const auto delay = number_of<double>(value, "the delay");
  check_delay(delay);
  if (rank < 0 || rank >= job.world_size)
    throw UserError(fmt::format("there is no rank {} to delay", rank));
  if (job.delays_us.size() <= static_cast<std::size_t>(rank))
    job.delays_us.resize(static_cast<std::size_t>(rank) + 1, 0);
  job.delays_us[static_cast<std::size_t>(rank)] = delay;
}

// The panel has no field for given values, so a job that they no longer fit goes on without.
void forget_values_that_do_not_fit(JobSpec& job) {
  const auto fits = [&](const auto& row) {
    return row.size() == 1 || static_cast<Count>(row.size()) == Shape(job.shape).count();
  };
  const bool as_many = static_cast<int>(job.values.size()) == job.world_size;
  if (job.values.empty() || (as_many && ranges::all_of(job.values, fits))) return;
  give_values(job, "");
}

bool can_be_chosen(const std::string& transport) {
  return transport_can(transport, &Transport::processes) ||
         transport_can(transport, &Transport::virtual_time);
}

// A network is simulated, and a job on processes has none: one word says both.
void follow_network(JobSpec& job, const JobField& field, const std::string& value) {
  if (field.key == "transport" && !job.is_simulated()) return forget_network(job);
  if (field.section != JobField::Section::network || value.empty()) return;
  job.transport = kSimTransport;
  if (field.key != "topology") return;
  // What was said of another network.
  const JobSpec usual;
  job.alpha_s = usual.alpha_s;
  job.bandwidth = usual.bandwidth;
  job.links.clear();
  job.placement.clear();
}

void apply(JobSpec& job, const std::string& key, const std::string& value) {
  if (key.starts_with("delay.")) return set_delay(job, key.substr(6), value);
  if (key == "count") {
    job.shape = {number_of<Count>(value, "count")};
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
    if (algorithm == nullptr || !runs_schedule(*algorithm)) job.schedule.clear();
  }
  if (key == "input" && job.input != InputPattern::given) job.values.clear();
  // Fewer ranks: what was said of those that are gone is forgotten.
  if (job.world_size > 0 && job.delays_us.size() > static_cast<std::size_t>(job.world_size))
    job.delays_us.resize(static_cast<std::size_t>(job.world_size));
  if (key == "ranks" && job.root >= job.world_size) job.root = 0;
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

}  // namespace rankscope::gui
