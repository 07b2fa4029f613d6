// Records a live run, makes documents of its growing trace, and keeps the session's unsaved traces in a locked folder of the cache.
#include "gui/state/run/recording.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"

namespace rankscope::gui {
namespace {

constexpr std::chrono::milliseconds kLeastRest{90};
/// After making a document, the thread rests this many times as long, to leave the processors to the ranks.
constexpr int kRestPerWork = 3;

}  // namespace

Recording::Recording(TraceMeta meta, std::string file, std::function<void()> grown)
    : file_(std::move(file)), grown_(std::move(grown)), builder_(meta) {
  if (file_.empty()) return;
  try {
    writer_ = std::make_unique<TraceWriter>(file_, std::move(meta));
  } catch (const UserError&) {  // records in memory only
  }
}

void Recording::write(const std::function<void(TraceWriter&)>& action) {
  const std::lock_guard lock(mutex_);
  if (!writer_) return;
  try {
    action(*writer_);
  } catch (const UserError&) {
    writer_.reset();
  }
}

void Recording::deliver(EventBatch&& batch) {
  builder_.deliver(EventBatch(batch));
  write([&](TraceWriter& writer) {
    used_ = true;
    writer.deliver(std::move(batch));
  });
  grown_();
}

void Recording::flush() {
  write([](TraceWriter& writer) { writer.flush(); });
}

void Recording::close(TraceMeta meta) {
  builder_.set_meta(meta);
  write([&](TraceWriter& writer) { writer.close(std::move(meta)); });
}

std::string Recording::file() const {
  const std::lock_guard lock(mutex_);
  return writer_ && used_ ? file_ : std::string();
}

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

std::filesystem::path cache_folder() {
  const auto base = user_folder("XDG_CACHE_HOME", ".cache");
  return base.empty() ? base : base / "rankscope" / "gui";
}

RunCache::RunCache() noexcept {
  try {
    const auto base = cache_folder();
    if (base.empty()) return;
    std::error_code error;
    std::filesystem::create_directories(base.parent_path(), error);
    ::mkdir(base.c_str(), 0700);
    folder_.emplace(base, "session-", ScratchFolder::Locked::kept);
  } catch (const std::exception&) {  // runs go without a file
  }
}

std::string RunCache::next_file() {
  if (!folder_) return {};
  while (files_.size() >= kMostFiles) {
    std::error_code ignored;
    if (const Fd lock = locked(files_.front())) std::filesystem::remove(files_.front(), ignored);
    files_.pop_front();
  }
  files_.push_back(folder_->path() / fmt::format("run-{}.rankscope", ++number_));
  return files_.back().string();
}

}  // namespace rankscope::gui
