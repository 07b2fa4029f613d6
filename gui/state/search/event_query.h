// Queries for events, such as `rank:2 phase:allgather peer:3 size:>1KiB recv`, and the search for them.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "engine/core/trace/trace.h"
#include "gui/state/run/document.h"

namespace rankscope::gui {

/// An event in the list: "send posted", and "to rank 2  allreduce_ring.cpp:27".
std::string event_words(const StepEvent& event);
std::string event_place(const Trace& trace, const StepEvent& event);

/// A query, all of whose words must hold. `key:value` asks for a rank, a phase (a part of its name), an operation or a kind of
/// event, a peer, a size; other words are searched in the list's text. Ranks, peers and operations may be several, separated by
/// commas.
class EventQuery {
 public:
  EventQuery() = default;
  /// Throws UserError that names the wrong word and what to write instead.
  EventQuery(std::string_view text, const Trace& trace);

  bool none() const noexcept { return none_; }
  /// Not const, since it keeps the verdicts on similar events.
  bool meets(const Trace& trace, const StepEvent& event);

 private:
  struct EventKey {
    std::uint64_t what = 0, where = 0;
    bool operator==(const EventKey&) const = default;
  };
  struct EventKeyHash {
    std::size_t operator()(const EventKey& a) const noexcept {
      return (a.what * 0x9e3779b97f4a7c15ULL) ^ ((a.where + 1) * 0xc2b2ae3d27d4eb4fULL);
    }
  };
  void ask(std::string_view key, std::string_view value, const Trace& trace);
  void ask_phase(std::string_view value, const Trace& trace);
  void ask_operation(std::string_view value);
  void ask_size(std::string_view value);
  bool says(const Trace& trace, const StepEvent& event);

  static constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  bool none_ = true;
  std::vector<Rank> ranks_, peers_;  ///< Empty for any.
  std::vector<bool> phases_;         ///< By definition number; empty for any.
  std::uint32_t operations_ = 0;     ///< A bit for each verb; 0 for any.
  std::uint16_t kinds_ = 0;          ///< A bit for each kind; 0 for any.
  std::uint64_t least_ = 0, most_ = kMost;
  std::vector<std::string> words_;  ///< In lower case.
  std::unordered_map<EventKey, bool, EventKeyHash> verdicts_;
};

/// A completion of the last word of a query.
struct QueryHint {
  std::string word;     ///< All of it: "phase:allgather".
  std::string meaning;  ///< "this rank's events"
};
std::vector<QueryHint> query_hints(std::string_view text, const Trace& trace);
/// Returns the query with its last word replaced, and a blank behind it unless the word is a key ("rank:").
std::string with_last_word(std::string_view text, std::string_view word);
/// Returns the query with this `key:value` in place of those of the same key; an empty value removes them.
std::string with_filter(std::string_view text, std::string_view key, std::string_view value);
/// Returns the value that a query asks of a key; empty if there is none, or several.
std::string filter_of(std::string_view text, std::string_view key);
/// Returns the names of the trace's phases for `phase:`.
std::vector<std::string> phase_names(const Trace& trace);

/// A search in the background. Results come in parts, in the trace's order, so that a list can show the first ones while it
/// goes on.
class EventSearch {
 public:
  EventSearch() = default;
  ~EventSearch();
  EventSearch(const EventSearch&) = delete;
  EventSearch& operator=(const EventSearch&) = delete;

  /// Starts a search in place of the one before.
  void start(DocumentPtr document, EventQuery query);
  void stop();
  /// Takes what was found since the last call; returns false when the search is over.
  bool take();

  std::uint64_t size() const noexcept { return begins_.back(); }
  /// Returns the position in the trace of the i-th result.
  std::uint64_t operator[](std::uint64_t i) const noexcept;
  /// Returns the number of results before this position of the trace.
  std::uint64_t before(std::uint64_t event) const noexcept;

 private:
  using Part = std::vector<std::uint32_t>;
  struct Shared;
  static void look(const DocumentPtr& document, EventQuery query, Shared& shared);

  std::vector<Part> parts_;  ///< None is empty.
  std::vector<std::uint64_t> begins_ = {
      0};  ///< The beginning of each part, and the end of the last.
  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace rankscope::gui
