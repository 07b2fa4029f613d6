// Records a live run, and keeps the session's unsaved traces in a locked folder of the cache.
#include "gui/state/run/recording.h"

#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

#include "engine/core/base/error.h"
#include "engine/core/base/user_folder.h"

namespace rankscope::gui {

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
