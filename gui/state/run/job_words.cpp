#include "gui/state/run/job_words.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/error.h"
#include "engine/run/job/auto_algorithm.h"
#include "engine/run/job/given_values.h"
#include "engine/run/job/transports.h"
#include "gui/state/app/arguments.h"

namespace rankscope::gui {
namespace {

template <typename T>
T known(std::optional<T> value, const std::string& word, std::string_view what,
        std::string_view choices) {
  if (!value) throw UserError(fmt::format("{} \"{}\" is not known: {}", what, word, choices));
  return *value;
}

std::vector<Count> shape_of(const std::string& text) {
  std::vector<Count> shape;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find('x', at), text.size());
    shape.push_back(number_of<Count>(text.substr(at, end - at), "an extent of the shape"));
    at = end + 1;
  }
  return shape;
}

struct Key {
  std::string_view name;
  void (*set)(JobSpec&, const std::string&);
};

// The numbers' ranges are checked by JobSpec::validate().
const std::array<Key, 20> kKeys = {{
    {"algorithm",
     [](JobSpec& j, const std::string& w) {
       if (!is_auto(w)) require_algorithm(w);
       j.algorithm = w;
       if (!w.ends_with(".schedule")) j.schedule.clear();  // nobody else runs one
     }},
    {"ranks", [](JobSpec& j, const std::string& w) { j.world_size = number_of<int>(w, "ranks"); }},
    {"count", [](JobSpec& j, const std::string& w) { j.shape = {number_of<Count>(w, "count")}; }},
    {"shape", [](JobSpec& j, const std::string& w) { j.shape = shape_of(w); }},
    {"dtype",
     [](JobSpec& j, const std::string& w) {
       j.dtype = known(parse_dtype(w), w, "the dtype", "uint8, int32, int64, float32, float64");
     }},
    {"op",
     [](JobSpec& j, const std::string& w) {
       j.op = known(parse_reduce_op(w), w, "the operator",
                    "sum, product, min, max, avg, band, bor, bxor");
     }},
    {"root", [](JobSpec& j, const std::string& w) { j.root = number_of<Rank>(w, "root"); }},
    {"transport",
     [](JobSpec& j, const std::string& w) {
       if (!transport_can(w, &Transport::processes))
         throw UserError(
             fmt::format("the transport is {}", transport_names(" or ", &Transport::processes)));
       j.transport = w;
     }},
    {"mode",
     [](JobSpec& j, const std::string& w) {
       j.mode = known(parse_send_mode(w), w, "the send mode", "buffered, rendezvous");
     }},
    {"segment",
     [](JobSpec& j, const std::string& w) {
       j.segment_bytes = number_of<std::uint64_t>(w, "segment");
     }},
    {"group", [](JobSpec& j, const std::string& w) { j.group_size = number_of<int>(w, "group"); }},
    {"seed",
     [](JobSpec& j, const std::string& w) { j.seed = number_of<std::uint64_t>(w, "seed"); }},
    {"input",
     [](JobSpec& j, const std::string& w) {
       j.input = known(parse_input_pattern(w), w, "the input", "exact, index, rank, real");
       if (j.input != InputPattern::given) j.values.clear();
     }},
    {"timeout",
     [](JobSpec& j, const std::string& w) { j.timeout_s = number_of<double>(w, "timeout"); }},
    {"trace",
     [](JobSpec& j, const std::string& w) {
       j.trace = known(parse_trace_level(w), w, "what is recorded", "light, full");
     }},
    {"scatter-dim",
     [](JobSpec& j, const std::string& w) { j.scatter_dim = number_of<int>(w, "scatter-dim"); }},
    {"gather-dim",
     [](JobSpec& j, const std::string& w) { j.gather_dim = number_of<int>(w, "gather-dim"); }},
    {"left-ring",
     [](JobSpec& j, const std::string& w) { j.left_ring = Arguments({w}).switched(j.left_ring); }},
    {"values", [](JobSpec& j, const std::string& w) { give_values(j, w); }},
    {"schedule", [](JobSpec& j, const std::string& w) { j.schedule = w; }},
}};

void set_delay(JobSpec& job, const std::string& rank_word, const std::string& value) {
  const auto rank = number_of<Rank>(rank_word, "the rank of the delay");
  const auto delay = number_of<double>(value, "the delay");
  if (rank < 0 || rank >= job.world_size)
    throw UserError(fmt::format("there is no rank {} to delay", rank));
  if (!(delay >= 0 && delay <= 1e7)) throw UserError("a delay is 0 to 10,000,000 microseconds");
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
  if (job.values.empty() || (as_many && std::ranges::all_of(job.values, fits))) return;
  give_values(job, "");
}

void apply(JobSpec& job, const std::string& key, const std::string& value) {
  if (key.starts_with("delay.")) return set_delay(job, key.substr(6), value);
  const auto found = std::ranges::find(kKeys, key, &Key::name);
  if (found == kKeys.end()) {
    std::vector<std::string_view> names;
    for (const Key& one : kKeys) names.push_back(one.name);
    throw UserError(
        fmt::format("a job has no \"{}\": it has {}, delay.RANK", key, fmt::join(names, ", ")));
  }
  found->set(job, value);
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
