// Parses event queries, tests events against them, and suggests completions.
#include "gui/state/search/event_query.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/analysis/events/event_text.h"
#include "engine/analysis/statistics.h"
#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope::gui {
namespace {

struct QueryKey {
  std::string_view name, meaning;
};
constexpr std::array<QueryKey, 5> kQueryKeys = {
    {{"rank", "of a rank, or of several: rank:0,2"},
     {"phase", "in a phase: a part of its name"},
     {"op", "send, recv, reduce … or messages, work, phases, buffers, calls, notes"},
     {"peer", "to or from a rank"},
     {"size", "message size in bytes: size:64, size:>1KiB, size:1KiB-4KiB"}}};

constexpr std::uint16_t bit(EventKind kind) {
  return static_cast<std::uint16_t>(1U << unsigned(kind));
}
struct Group {
  std::string_view name;
  std::uint16_t kinds;
};
constexpr std::array<Group, 9> kGroups = {
    {{"messages",
      std::uint16_t(bit(EventKind::posted) | bit(EventKind::matched) | bit(EventKind::completed))},
     {"work", bit(EventKind::local)},
     {"phases", std::uint16_t(bit(EventKind::phase) | bit(EventKind::job))},
     {"buffers", bit(EventKind::watch)},
     {"calls", bit(EventKind::call)},
     {"notes", bit(EventKind::note)},
     {"posted", bit(EventKind::posted)},
     {"matched", bit(EventKind::matched)},
     {"completed", bit(EventKind::completed)}}};

// Returns whether the text before a colon may be a key, unlike that of "allreduce_ring.cpp:27".
bool is_name(std::string_view text) {
  return !text.empty() &&
         ranges::all_of(text, [](unsigned char c) { return std::isalpha(c) != 0; });
}

/// One word of a query; in quotes, also behind the colon, it may contain blanks.
struct Word {
  std::string_view as_written;
  std::string key, value;  ///< Without a key, a word to look for.
};

std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == ' ' || text[at] == '\t') {
      ++at;
      continue;
    }
    Word word;
    const std::size_t begin = at;
    bool quoted = false;
    for (; at < text.size() && (quoted || (text[at] != ' ' && text[at] != '\t')); ++at) {
      if (text[at] == '"') quoted = !quoted;
      else if (text[at] == ':' && word.key.empty() && !quoted && text[begin] != '"' &&
               is_name(word.value))
        word.key = std::exchange(word.value, {});
      else word.value += text[at];
    }
    word.as_written = text.substr(begin, at - begin);
    words.push_back(std::move(word));
  }
  return words;
}

std::vector<std::string> verbs() {
  std::vector<std::string> names;
  for (int verb = 0; verb < kVerbCount; ++verb)
    names.emplace_back(to_string(static_cast<Verb>(verb)));
  return names;
}

std::vector<std::string> operation_words() {
  std::vector<std::string> words;
  for (const auto& group : kGroups) words.emplace_back(group.name);
  for (auto& verb : verbs()) words.push_back(std::move(verb));
  return words;
}

std::vector<Rank> ranks_in(std::string_view key, std::string_view list, int world_size) {
  std::vector<Rank> ranks;
  for (const auto part : split_at(list, ",")) {
    const Rank rank = as_number<Rank>(part).value_or(-1);
    if (rank < 0 || rank >= world_size)
      throw UserError(fmt::format("{}:{} is no rank: this run has the ranks 0 to {}", key, part,
                                  world_size - 1));
    ranks.push_back(rank);
  }
  return ranks;
}

std::string advice(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string meant = did_you_mean(word, candidates);
  return meant.empty() ? fmt::format("write one of {}", fmt::join(candidates, ", ")) : meant;
}

std::string in_quotes(std::string_view value) {
  return value.find(' ') == std::string_view::npos ? std::string(value)
                                                   : fmt::format("\"{}\"", value);
}

}  // namespace

std::string event_words(const StepEvent& e) {
  const bool alone = e.kind == EventKind::local || e.kind == EventKind::phase ||
                     e.kind == EventKind::watch || e.kind == EventKind::job;
  if (e.kind == EventKind::call) return e.verb == Verb::phase_begin ? "call" : "return";
  if (e.kind == EventKind::note) return fmt::format("note: {}", note_text(e.tag));
  return alone ? std::string(to_string(e.verb))
               : fmt::format("{} {}", to_string(e.verb), to_string(e.kind));
}

std::string event_place(const Trace& trace, const StepEvent& e) {
  if (e.kind == EventKind::phase) {
    const auto* phase = trace.definition(Definition::Kind::phase, e.phase);
    return phase == nullptr ? "" : phase->name;
  }
  std::string text;
  if (e.kind == EventKind::call) text = call_text(trace, e);
  else if (e.peer >= 0) text = fmt::format("{} rank {}", is_send(e.verb) ? "to" : "from", e.peer);
  const auto* site = trace.definition(Definition::Kind::site, e.site);
  if (site == nullptr) return text;
  return fmt::format("{}{}{}:{}", text, text.empty() ? "" : "  ", file_name(site->file),
                     site->line);
}

std::vector<std::string> phase_names(const Trace& trace) {
  std::vector<std::string> names;
  for (const auto& phase : trace.definitions(Definition::Kind::phase))
    if (phase.id != 0 && ranges::find(names, phase.name) == names.end())
      names.push_back(phase.name);
  return names;
}

EventQuery::EventQuery(std::string_view text, const Trace& trace) {
  for (const auto& word : words_of(text)) {
    none_ = false;
    if (word.key.empty()) words_.push_back(ascii_lower(word.value));
    else ask(ascii_lower(word.key), word.value, trace);
  }
}

void EventQuery::ask(std::string_view key, std::string_view value, const Trace& trace) {
  std::vector<std::string> names;
  for (const auto& known : kQueryKeys) names.emplace_back(known.name);
  const auto known = ranges::find(names, key);
  if (known == names.end()) {
    throw UserError(
        fmt::format("there is no filter \"{}:\"; {} (in quotes it is searched for as it is)", key,
                    advice(key, names)));
  }
  if (value.empty())
    throw UserError(
        fmt::format("{}: what follows? {}", key,
                    kQueryKeys[static_cast<std::size_t>(known - names.begin())].meaning));
  if (key == "rank") ranks_ = ranks_in(key, value, trace.world_size());
  else if (key == "peer") peers_ = ranks_in(key, value, trace.world_size());
  else if (key == "phase") ask_phase(value, trace);
  else if (key == "op") ask_operation(value);
  else ask_size(value);
}

void EventQuery::ask_phase(std::string_view value, const Trace& trace) {
  const auto definitions = trace.definitions(Definition::Kind::phase);
  const std::string part = ascii_lower(value);
  std::vector<bool> wanted(definitions.size() + 1, false);
  bool any = false;
  for (const auto& phase : definitions) {
    const bool meant =
        phase.id != 0 && ascii_lower(phase_path(trace, phase.id)).find(part) != std::string::npos;
    if (phase.id < wanted.size() && meant) wanted[phase.id] = any = true;
  }
  if (!any) {
    const auto names = phase_names(trace);
    throw UserError(
        names.empty() ? std::string("this run has no phases")
                      : fmt::format("no phase is called \"{}\"; {}", value, advice(value, names)));
  }
  phases_ = std::move(wanted);
}

void EventQuery::ask_operation(std::string_view value) {
  const auto names = verbs();
  for (const auto part : split_at(value, ",")) {
    const auto group = ranges::find(kGroups, part, &Group::name);
    const auto verb = ranges::find(names, part);
    if (group != kGroups.end()) kinds_ |= group->kinds;
    else if (verb != names.end()) operations_ |= 1U << static_cast<unsigned>(verb - names.begin());
    else
      throw UserError(
          fmt::format("op:{} is no operation; {}", part, advice(part, operation_words())));
  }
}

void EventQuery::ask_size(std::string_view value) {
  const auto size = [](std::string_view text) { return parse_size(text, "size:"); };
  if (const auto to = value.find('-'); to != std::string_view::npos && to > 0) {
    least_ = size(value.substr(0, to));
    most_ = size(value.substr(to + 1));
    if (least_ > most_)
      throw UserError(fmt::format("size:{}: the smaller size comes first", value));
  } else if (value.starts_with(">=")) {
    least_ = size(value.substr(2));
  } else if (value.starts_with('>')) {
    least_ = size(value.substr(1)) + 1;
  } else if (value.starts_with("<=")) {
    most_ = size(value.substr(2));
  } else if (value.starts_with('<')) {
    const auto bound = size(value.substr(1));
    if (bound == 0) throw UserError("size:<0: nothing is smaller than nothing");
    most_ = bound - 1;
  } else {
    least_ = most_ = size(value.substr(value.starts_with('=') ? 1 : 0));
  }
}

bool EventQuery::meets(const Trace& trace, const StepEvent& e) {
  const auto among = [](const std::vector<Rank>& list, Rank rank) {
    return list.empty() || ranges::find(list, rank) != list.end();
  };
  if (!among(ranks_, e.rank) || !among(peers_, e.peer)) return false;
  if (e.bytes < least_ || e.bytes > most_) return false;
  if (!phases_.empty() && (e.phase >= phases_.size() || !phases_[e.phase])) return false;
  // The verbs of calls and notes are no operations.
  const bool verb_counts = e.kind != EventKind::call && e.kind != EventKind::note;
  if ((kinds_ != 0 || operations_ != 0) && (kinds_ & bit(e.kind)) == 0 &&
      (!verb_counts || (operations_ & 1U << static_cast<unsigned>(e.verb)) == 0))
    return false;
  return words_.empty() || says(trace, e);
}

bool EventQuery::says(const Trace& trace, const StepEvent& e) {
  const auto has_words = [&] {
    const std::string listed = ascii_lower(event_words(e) + " " + event_place(trace, e));
    return ranges::all_of(words_,
                          [&](const auto& word) { return listed.find(word) != std::string::npos; });
  };
  // Calls and notes are few and may all differ: not kept.
  if (e.kind == EventKind::call || e.kind == EventKind::note) return has_words();
  const auto number = [](auto value) { return std::uint64_t{static_cast<std::uint32_t>(value)}; };
  const EventKey key{number(e.kind) << 40 | number(e.verb) << 32 | number(e.peer),
                     number(e.site) << 32 | number(e.phase)};
  const auto [verdict, fresh] = verdicts_.try_emplace(key, false);
  if (fresh) verdict->second = has_words();
  return verdict->second;
}

std::vector<QueryHint> query_hints(std::string_view text, const Trace& trace) {
  std::vector<QueryHint> hints;
  const bool fresh = text.empty() || text.back() == ' ';
  const auto words = words_of(text);
  const Word last = fresh ? Word{} : words.back();
  if (last.key.empty()) {
    for (const auto& key : kQueryKeys)
      if (key.name.starts_with(ascii_lower(last.value)))
        hints.push_back({fmt::format("{}:", key.name), std::string(key.meaning)});
    return hints;
  }
  const std::string key = ascii_lower(last.key);
  const auto comma = last.value.rfind(',');
  const std::string before = comma == std::string::npos ? "" : last.value.substr(0, comma + 1);
  const std::string part = ascii_lower(last.value.substr(before.size()));
  const auto offer = [&](const std::string& value, std::string meaning) {
    if (ascii_lower(value).starts_with(part) ||
        (key == "phase" && ascii_lower(value).find(part) != std::string::npos))
      hints.push_back({fmt::format("{}:{}", key, in_quotes(before + value)), std::move(meaning)});
  };
  if (key == "rank" || key == "peer")
    for (Rank rank = 0; rank < trace.world_size(); ++rank) offer(fmt::format("{}", rank), "");
  if (key == "phase")
    for (const auto& name : phase_names(trace)) offer(name, "");
  if (key == "op")
    for (const auto& word : operation_words()) offer(word, "");
  if (key == "size")
    for (const auto* size : {">1KiB", ">=1MiB", "<1KiB", "1KiB-64KiB"}) offer(size, "");
  return hints;
}

std::string with_last_word(std::string_view text, std::string_view word) {
  const bool fresh = text.empty() || text.back() == ' ';
  if (!fresh) text.remove_suffix(words_of(text).back().as_written.size());
  const bool whole = !word.ends_with(':');
  return fmt::format("{}{}{}", text, word, whole ? " " : "");
}

std::string with_filter(std::string_view text, std::string_view key, std::string_view value) {
  std::string result;
  for (const auto& word : words_of(text))
    if (ascii_lower(word.key) != key)
      result += (result.empty() ? "" : " ") + std::string(word.as_written);
  if (value.empty()) return result;
  return fmt::format("{}{}{}:{}", result, result.empty() ? "" : " ", key, in_quotes(value));
}

std::string filter_of(std::string_view text, std::string_view key) {
  std::string found;
  for (const auto& word : words_of(text))
    if (ascii_lower(word.key) == key) {
      if (!found.empty()) return {};
      found = word.value;
    }
  return found;
}

namespace {
constexpr std::uint64_t kPart = 1 << 15, kPeek = 1 << 12;
}

struct EventSearch::Shared {
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::vector<Part> found;
  bool done = false;
};

EventSearch::~EventSearch() { stop(); }

void EventSearch::stop() {
  if (shared_) shared_->stop = true;
  if (thread_.joinable()) thread_.join();
  shared_.reset();
}

void EventSearch::start(DocumentPtr document, EventQuery query) {
  stop();
  parts_.clear();
  begins_ = {0};
  if (!document || query.none()) return;
  shared_ = std::make_shared<Shared>();
  thread_ =
      std::thread([document = std::move(document), query = std::move(query),
                   shared = shared_]() mutable { look(document, std::move(query), *shared); });
}

void EventSearch::look(const DocumentPtr& document, EventQuery query, Shared& shared) {
  const Trace& trace = document->trace();
  for (std::uint64_t at = 0; at < trace.size();) {
    Part part;
    for (const auto end = std::min(trace.size(), at + kPart); at < end;) {
      if (shared.stop) return;
      for (const auto next = std::min(end, at + kPeek); at < next; ++at)
        if (query.meets(trace, trace[at])) part.push_back(static_cast<std::uint32_t>(at));
    }
    if (part.empty()) continue;
    const std::lock_guard lock(shared.mutex);
    shared.found.push_back(std::move(part));
  }
  const std::lock_guard lock(shared.mutex);
  shared.done = true;
}

bool EventSearch::take() {
  if (!shared_) return false;
  bool done = false;
  {
    const std::lock_guard lock(shared_->mutex);
    for (auto& part : shared_->found) {
      begins_.push_back(begins_.back() + part.size());
      parts_.push_back(std::move(part));
    }
    shared_->found.clear();
    done = shared_->done;
  }
  if (done) stop();
  return !done;
}

std::uint64_t EventSearch::operator[](std::uint64_t i) const noexcept {
  const auto part = ranges::upper_bound(begins_, i) - begins_.begin() - 1;
  return parts_[static_cast<std::size_t>(part)]
               [static_cast<std::size_t>(i - begins_[static_cast<std::size_t>(part)])];
}

std::uint64_t EventSearch::before(std::uint64_t event) const noexcept {
  const auto part =
      std::ranges::partition_point(parts_, [&](const Part& one) { return one.back() < event; });
  const auto number = static_cast<std::size_t>(part - parts_.begin());
  if (part == parts_.end()) return size();
  return begins_[number] +
         static_cast<std::uint64_t>(ranges::lower_bound(*part, event) - part->begin());
}

}  // namespace rankscope::gui
