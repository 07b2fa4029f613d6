// Writes a job as a sentence, and parses sentences.
#include "gui/state/run/sentence.h"

#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/algorithm.h"
#include "engine/collectives/schedule.h"
#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/suggest.h"
#include "engine/core/base/utf8.h"
#include "engine/network/files/topology_file.h"
#include "engine/run/job/auto_algorithm.h"
#include "engine/run/job/given_values.h"
#include "engine/run/job/job_fields.h"
#include "engine/run/job/transports.h"
#include "gui/state/command/arguments.h"
#include "gui/state/run/run_state.h"

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

// Common words and their names here: a collective, an algorithm's short name, an operator, a mode.
constexpr std::array<Word, 25> kSynonyms = {
    {{"bcast", "broadcast"},    {"star", "flat"},
     {"butterfly", "bde"},      {"recursive-doubling", "bde"},
     {"hypercube", "bde"},      {"two-level", "hierarchical"},
     {"added", "sum"},          {"add", "sum"},
     {"multiplied", "product"}, {"prod", "product"},
     {"maximum", "max"},        {"greatest", "max"},
     {"minimum", "min"},        {"least", "min"},
     {"average", "avg"},        {"averaged", "avg"},
     {"mean", "avg"},           {"synchronous", "rendezvous"},
     {"float", "float32"},      {"floats", "float32"},
     {"double", "float64"},     {"doubles", "float64"},
     {"int", "int32"},          {"ints", "int32"},
     {"threads", "inproc"}}};

// Names of several words, joined before the text is cut into words.
constexpr std::array<Word, 22> kJoined = {{{"double binary tree", "double_tree"},
                                           {"double tree", "double_tree"},
                                           {"two level ring", "two_level_ring"},
                                           {"two-level ring", "two_level_ring"},
                                           {"one shot", "one_shot"},
                                           {"one-shot", "one_shot"},
                                           {"two shot", "two_shot"},
                                           {"two-shot", "two_shot"},
                                           {"point-to-point", "p2p"},
                                           {"point to point", "p2p"},
                                           {"all to all", "alltoall"},
                                           {"all-to-all", "alltoall"},
                                           {"all reduce", "allreduce"},
                                           {"all-reduce", "allreduce"},
                                           {"all gather", "allgather"},
                                           {"all-gather", "allgather"},
                                           {"reduce scatter", "reduce_scatter"},
                                           {"reduce-scatter", "reduce_scatter"},
                                           {"recursive doubling", "recursive-doubling"},
                                           {"two level", "two-level"},
                                           {"binomial tree", "binomial"},
                                           {"added up", "added"}}};

constexpr std::array<std::string_view, 17> kGlue = {
    "by", "on",   "with", "of",    "over", "in",    "and",    "the",  "a",
    "an", "each", "run",  "using", "at",   "sends", "taking", "which"};

// Collectives that are written unlike their names.
constexpr std::array<Word, 2> kWritten = {{{"alltoall", "all-to-all"}, {"p2p", "point-to-point"}}};

/// Microseconds before each message of a slow rank: long enough to be seen.
constexpr std::string_view kSlow = "20000";

constexpr std::string_view kTimes = "\u00D7";

std::string capitalised(std::string_view name) {
  const auto written = ranges::find(kWritten, name, &Word::first);
  std::string text(written == kWritten.end() ? name : written->second);
  ranges::replace(text, '_', '-');
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string_view operator_word(ReduceOp op) {
  const auto found = ranges::find(kOperators, to_string(op), &Word::first);
  return found == kOperators.end() ? to_string(op) : found->second;
}

/// Returns whether a word is a topology: some have names of algorithms, so it must follow "on".
bool names_topology(const std::vector<std::string>& words, std::size_t at) {
  return at > 0 && words[at - 1] == "on" && is_topology(words[at]);
}

std::vector<std::string> words_of(std::string_view text) {
  std::string plain = ascii_lower(std::string(text));
  for (const auto& [said, name] : kJoined)
    for (auto at = plain.find(said); at != std::string::npos; at = plain.find(said, at + 1))
      if (at == 0 || plain[at - 1] == ' ') plain.replace(at, said.size(), name);
  for (auto at = plain.find(kTimes); at != std::string::npos; at = plain.find(kTimes))
    plain.replace(at, kTimes.size(), "x");
  std::vector<std::string> words(1);
  for (const char c : plain) {
    const bool ends = c == ' ' || c == ',' || c == ':' || c == ';' || c == '\t';
    if (!ends) words.back() += c;
    else if (!words.back().empty()) words.emplace_back();
  }
  while (!words.empty() && words.back().empty()) words.pop_back();
  if (!words.empty() && words.back().ends_with('.')) words.back().pop_back();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto known = ranges::find(kSynonyms, words[i], &Word::first);
    if (known != kSynonyms.end() && !names_topology(words, i)) words[i] = known->second;
  }
  return words;
}

bool is_number(std::string_view word) {
  return !word.empty() && ranges::all_of(word, [](unsigned char c) { return std::isdigit(c); });
}
bool is_shape(std::string_view word) {
  return word.find('x') != std::string_view::npos && word.front() != 'x' && word.back() != 'x' &&
         ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) || c == 'x'; });
}

/// Finds a word in a list, ignoring case; returns the list's spelling.
std::optional<std::string> listed(const std::vector<std::string>& all, const std::string& word) {
  for (const auto& one : all)
    if (ascii_lower(one) == word) return one;
  return std::nullopt;
}

/// Parses a text word by word.
class Listener {
 public:
  Listener(JobSpec job, std::string_view text) : job_(std::move(job)), words_(words_of(text)) {}

  JobSpec hear() {
    if (words_.empty()) throw UserError("say what to run: ring 16; broadcast from 2; max over tcp");
    name_collective();
    for (at_ = 0; at_ < words_.size(); ++at_) hear_word(words_[at_]);
    apply_network();
    apply_delays();
    return std::move(job_);
  }

 private:
  // Finds the collective first, wherever it stands: algorithms and numbers depend on it.
  void name_collective() {
    for (const auto& word : words_)
      if (const auto* const found = find_collective(word)) {
        const auto* const now = find_algorithm(job_.call.algorithm);
        if (const auto* const before = traits_of_job(job_);
            before == nullptr || before->name != found->name)
          set("algorithm", way_to(found->collective, now == nullptr ? "" : now->short_name()));
        named_ = found;
      }
  }

  void hear_word(const std::string& word) {
    if (names_topology(words_, at_)) return topology(word);
    if (find_collective(word) != nullptr || ranges::find(kGlue, word) != kGlue.end()) return;
    if (is_number(word)) return number(word);
    if (is_shape(word)) return set("shape", word);
    if (word == "from" || word == "to" || word == "root") return root();
    if (word == "simulated" || word == kSimTransport) {
      simulated_ = true;
      return;
    }
    if (word == "slow") return slow();
    if (word == "fast") return fast();
    if (word == "rank" || word == "ranks" || word == "elements") return;
    if (const auto type = listed(choices_of(job_field("dtype")), word)) return set("dtype", *type);
    if (const auto op = listed(choices_of(job_field("op")), word)) return set("op", *op);
    if (const auto mode = listed(choices_of(job_field("send_mode")), word))
      return set("mode", *mode);
    if (const auto link = listed(transport_list(&Transport::processes), word))
      return set("transport", *link);
    if (algorithm(word)) return;
    if (!is_topology(word)) unknown(word);
    topology(word);
  }

  std::string next() const { return at_ + 1 < words_.size() ? words_[at_ + 1] : std::string(); }

  void topology(const std::string& word) {
    topology_ = word;
    set("topology", word);
  }
  // Applies the topology with all its ranks unless their number is given; only "simulated" means no topology.
  void apply_network() {
    if (simulated_) set("transport", std::string(kSimTransport));
    if (simulated_ && topology_.empty()) set("topology", "");
    if (topology_.empty() && has_ranks_ && !job_.network.topology.empty()) drop_small_topology();
    if (topology_.empty() || has_ranks_) return;
    const int ranks = ranks_of_topology(topology_);
    if (ranks > 0 && ranks <= kMostShownRanks) set("ranks", fmt::format("{}", ranks));
  }

  // "ring 16" after a run on a network of 8 ranks: without a word on a network, none is meant.
  void drop_small_topology() {
    const int ranks = ranks_of_topology(job_.network.topology);
    if (ranks == 0 || job_.world.size <= ranks) return;
    job_.network.topology.clear();
    job_.network.links.clear();
    job_.network.placement.clear();
    job_.network.failures.clear();
  }

  void number(const std::string& word) {
    const std::string unit = next();
    const bool counts_ranks = unit == "ranks" || unit == "rank" || unit == "processes" ||
                              unit == "workers" || unit == "gpus" || unit == "nodes";
    const bool counts_data = unit == "elements" || unit == "element" || unit == "numbers" ||
                             listed(choices_of(job_field("dtype")), unit).has_value();
    if (counts_ranks || (!counts_data && !has_ranks_)) {
      has_ranks_ = true;
      set("ranks", word);
      if (counts_ranks) ++at_;
    } else {
      set("count", word);
      if (unit == "element" || unit == "numbers") ++at_;
    }
  }

  void root() {
    while (next() == "rank" || next() == "the" || next() == "root") ++at_;
    if (!is_number(next())) {
      if (words_[at_] == "to") return;
      throw UserError(
          fmt::format("\"{}\" which rank? Say for example: broadcast from 2", words_[at_]));
    }
    set("root", words_[++at_]);
  }

  // Applies "slow rank 2", "slow ranks 1 and 3", "slow rank" once the rest is known.
  void slow() {
    bool somebody = false;
    for (; next() == "rank" || next() == "ranks" || next() == "and" || is_number(next()); ++at_) {
      if (!is_number(next())) continue;
      const std::string unit = at_ + 2 < words_.size() ? words_[at_ + 2] : std::string();
      if (somebody && (unit == "ranks" || unit == "elements")) break;
      slow_.push_back(next());
      somebody = true;
    }
    any_slow_ = any_slow_ || !somebody;
  }
  void fast() {
    job_.world.delays_us.clear();
    slow_.clear();
    any_slow_ = false;
  }
  void apply_delays() {
    if (any_slow_) slow_.emplace_back(job_.world.size > 1 ? "1" : "0");
    for (const auto& rank : slow_) set("delay." + rank, std::string(kSlow));
  }

  bool algorithm(const std::string& word) {
    if (find_algorithm(word) != nullptr) return set("algorithm", word), true;
    const auto* const now = traits_of_job(job_);
    const Algorithm* found = nullptr;
    for (const auto& one : algorithms()) {
      if (ascii_lower(std::string(one.short_name())) != word) continue;
      const bool here = now != nullptr && to_string(one.collective) == now->name;
      if (here || found == nullptr || one.collective == Collective::allreduce) found = &one;
      if (here) break;
    }
    if (found == nullptr) return false;
    if (named_ != nullptr && to_string(found->collective) != named_->name) {
      std::vector<std::string_view> names;
      for (const auto& one : algorithms())
        if (to_string(one.collective) == named_->name) names.push_back(one.short_name());
      throw UserError(fmt::format("{} has no algorithm \"{}\": {}", named_->name, word,
                                  fmt::join(names, ", ")));
    }
    set("algorithm", std::string(found->name));
    return true;
  }

  [[noreturn]] static void unknown(const std::string& word) {
    std::vector<std::string> known;
    for (const auto& one : collectives()) known.emplace_back(one.name);
    for (const auto& one : algorithms()) known.emplace_back(one.short_name());
    for (const auto& [said, name] : kSynonyms) known.emplace_back(said);
    for (const auto& name : known_topologies()) known.push_back(name);
    ranges::sort(known);
    known.erase(std::ranges::unique(known).begin(), known.end());
    auto close = nearest(word, known);
    const auto guess = did_you_mean(word, close);
    throw UnknownWord(
        fmt::format("\"{}\" is not understood{} Say for example: ring 16; broadcast from 2; "
                    "allreduce by bde on 8 ranks with 32 float64, max, over tcp",
                    word, guess.empty() ? "." : ": " + guess),
        word, std::move(close));
  }

  void set(const std::string& key, const std::string& value) { set_job_word(job_, key, value); }

  JobSpec job_;
  std::vector<std::string> words_;
  std::size_t at_ = 0;
  const CollectiveTraits* named_ = nullptr;
  bool has_ranks_ = false;
  std::vector<std::string> slow_;  ///< Ranks.
  bool any_slow_ = false;          ///< A slow rank without a number.
  bool simulated_ = false;
  std::string topology_;
};

}  // namespace

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

JobSpec job_said(JobSpec job, std::string_view text) {
  return Listener(std::move(job), text).hear();
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

// A network implies a simulated transport, and a real transport no network.
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
    } catch (const UserError&) {  // a sentence does without them; a job that names one says why not
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
