// Builds documents from the growing trace of a live run in a background thread.
#include "gui/state/run/document_maker.h"

#include <algorithm>
#include <utility>

namespace rankscope::gui {
namespace {

constexpr std::chrono::milliseconds kLeastRest{90};
/// After making a document, the thread rests this many times as long, to leave the processors to the ranks.
constexpr int kRestPerWork = 3;

}  // namespace

DocumentMaker::DocumentMaker(std::function<void()> made, std::function<void(std::string)> failed)
    : made_(std::move(made)), failed_(std::move(failed)), thread_([this] { work(); }) {}

DocumentMaker::~DocumentMaker() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void DocumentMaker::begin(std::shared_ptr<Recording> recording, std::optional<TraceAnalysis> plan) {
  const std::lock_guard lock(mutex_);
  plan_ = std::move(plan);
  recording_ = std::move(recording);
  grown_ = closed_ = given_up_ = false;
  earliest_ = {};
}

void DocumentMaker::grown() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(grown_, true)) return;
  }
  changed_.notify_all();
}

void DocumentMaker::finish() {
  std::unique_lock lock(mutex_);
  closed_ = true;
  changed_.notify_all();
  changed_.wait(lock, [this] { return !closed_ || given_up_; });
}

void DocumentMaker::give_up() {
  {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
  }
  changed_.notify_all();
}

bool DocumentMaker::up_to_date() const {
  const std::lock_guard lock(mutex_);
  return !grown_ && !closed_ && !making_ && !ready_;
}

DocumentPtr DocumentMaker::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(ready_, nullptr);
}

DocumentPtr DocumentMaker::make(Recording& recording, bool whole, const TraceAnalysis* plan) {
  try {
    Trace trace = whole ? recording.builder().finish() : recording.builder().snapshot();
    // Without a path: the file in the cache has no name for the user.
    return trace.size() == 0 ? nullptr : Document::make(std::move(trace), "", plan);
  } catch (const std::exception& e) {
    failed_(e.what());
    return nullptr;
  }
}

void DocumentMaker::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return quit_ || (recording_ && (grown_ || closed_)); });
    if (!closed_ && !quit_)
      changed_.wait_until(lock, earliest_, [this] { return quit_ || closed_; });
    if (quit_) return;
    if (!recording_ || !(grown_ || closed_)) continue;  // another run began meanwhile
    const auto recording = recording_;
    const auto plan = plan_;
    const bool whole = closed_;
    grown_ = false;
    making_ = true;
    lock.unlock();
    const auto began = Clock::now();
    auto document = make(*recording, whole, plan ? &*plan : nullptr);
    const auto end = Clock::now();
    lock.lock();
    making_ = false;
    if (recording != recording_) continue;
    earliest_ = end + std::max<Clock::duration>(kLeastRest, kRestPerWork * (end - began));
    if (document) ready_ = std::move(document);
    if (whole) closed_ = false;
    lock.unlock();
    changed_.notify_all();
    made_();
    lock.lock();
  }
}

}  // namespace rankscope::gui
