// Searches a trace's events in a background thread.
#include "gui/state/search/event_search.h"

#include <algorithm>
#include <utility>

#include "engine/core/base/ranges.h"

namespace rankscope::gui {

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
