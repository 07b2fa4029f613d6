// The events of a trace that a query asks for, found in a thread of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "gui/state/run/document.h"
#include "gui/state/search/event_query.h"

namespace rankscope::gui {

/// What is found comes in parts, in the trace's order, so that a list can show the first ones while the
/// search goes on, however many events there are.
class EventSearch {
 public:
  EventSearch() = default;
  ~EventSearch();
  EventSearch(const EventSearch&) = delete;
  EventSearch& operator=(const EventSearch&) = delete;

  /// Gives up the search before.
  void start(DocumentPtr document, EventQuery query);
  void stop();
  /// Takes what was found since the last call; false: there will be no more.
  bool take();

  std::uint64_t size() const noexcept { return begins_.back(); }
  /// Position in the trace of the i-th that was taken.
  std::uint64_t operator[](std::uint64_t i) const noexcept;
  /// How many of them lie before this position of the trace.
  std::uint64_t before(std::uint64_t event) const noexcept;

 private:
  using Part = std::vector<std::uint32_t>;
  struct Shared;
  static void look(const DocumentPtr& document, EventQuery query, Shared& shared);

  std::vector<Part> parts_;                  ///< None is empty.
  std::vector<std::uint64_t> begins_ = {0};  ///< Of each part, and the end of the last.
  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace rankscope::gui
