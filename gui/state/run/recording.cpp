// Records a live run, and keeps the session's unsaved traces in a locked folder of the cache.
#include "gui/state/run/recording.h"

#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/user_folder.h"

namespace rankscope::gui {

Recording::Recording(TraceMeta meta, std::string file, std::function<void()> grown)
    : file_(std::move(file)), grown_(std::move(grown)), builder_(meta) {
  if (file_.empty()) return;
  try {
    writer_ = std::make_unique<TraceWriter>(file_, std::move(meta));
  } catch (const UserError&) {  // without a file
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

namespace {

namespace fs = std::filesystem;
constexpr std::string_view kPrefix = "session-";

/// Locks a file; returns -1 if another process holds it, or it cannot be opened.
int locked(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  if (file >= 0) ::close(file);
  return -1;
}

void remove_unless_in_use(const fs::path& file) {
  const int lock = locked(file);
  if (lock < 0) return;
  std::error_code ignored;
  fs::remove(file, ignored);
  ::close(lock);
}

void remove_folder(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    remove_unless_in_use(entry.path());
  fs::remove(folder, ignored);  // stays when a file did
}

void remove_stale(const fs::path& base) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(base, ignored)) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with(kPrefix) && !name.starts_with(fmt::format(".{}", kPrefix))) continue;
    const int lock = locked(entry.path());
    if (lock < 0) continue;
    remove_folder(entry.path());
    ::close(lock);
  }
}

}  // namespace

fs::path cache_folder() {
  const auto base = user_folder("XDG_CACHE_HOME", ".cache");
  return base.empty() ? base : base / "rankscope" / "gui";
}

RunCache::RunCache() noexcept {
  try {
    const auto base = cache_folder();
    if (base.empty()) return;
    std::error_code error;
    fs::create_directories(base.parent_path(), error);
    ::mkdir(base.c_str(), 0700);
    remove_stale(base);
    make_folder(base);
  } catch (const std::exception&) {  // runs go without a file
  }
}

void RunCache::make_folder(const fs::path& base) {
  for (int i = 0; i < 100 && lock_ < 0; ++i) {
    const auto name = fmt::format("{}{}-{}", kPrefix, ::getpid(), i);
    // Renamed once it is locked, so that it never looks like a dead session's.
    const auto unnamed = base / ("." + name);
    if (::mkdir(unnamed.c_str(), 0700) != 0) continue;
    lock_ = locked(unnamed);
    if (lock_ < 0) continue;
    std::error_code error;
    fs::rename(unnamed, base / name, error);
    if (!error) {
      folder_ = base / name;
      return;
    }
    fs::remove(unnamed, error);
    ::close(std::exchange(lock_, -1));
  }
}

RunCache::~RunCache() {
  if (folder_.empty()) return;
  remove_folder(folder_);
  ::close(lock_);
}

std::string RunCache::next_file() {
  if (folder_.empty()) return {};
  while (files_.size() >= kMostFiles) {
    remove_unless_in_use(files_.front());
    files_.pop_front();
  }
  files_.push_back(folder_ / fmt::format("run-{}.rankscope", ++number_));
  return files_.back().string();
}

}  // namespace rankscope::gui
