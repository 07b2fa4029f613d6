// Polls the times of files, and reports which were saved.
#include "gui/state/code/file_watch.h"

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"

namespace rankscope::gui {

namespace fs = std::filesystem;

namespace {

/// More files of a program's folder are not watched.
constexpr int kMostLookedAt = 200;

std::string state_of(const fs::path& file) {
  std::error_code error;
  const auto time = fs::last_write_time(file, error);
  if (error) return {};
  const auto size = fs::is_regular_file(file, error) ? fs::file_size(file, error) : 0;
  return fmt::format("{} {} {};", file.filename().string(), time.time_since_epoch().count(), size);
}

}  // namespace

FileWatch::FileWatch(std::function<void()> changed, std::chrono::milliseconds rest)
    : changed_(changed ? std::move(changed) : [] {}), rest_(rest), thread_([this] { work(); }) {}

FileWatch::~FileWatch() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

std::string FileWatch::look_at(const fs::path& file) {
  std::error_code error;
  if (!fs::is_directory(file, error)) return state_of(file);
  std::vector<std::string> all;
  for (fs::directory_iterator at(file, error), end; !error && at != end; at.increment(error)) {
    if (static_cast<int>(all.size()) >= kMostLookedAt) break;
    if (at->path().filename().string().starts_with(".")) continue;  // of editors
    if (at->is_regular_file(error)) all.push_back(state_of(at->path()));
  }
  ranges::sort(all);
  std::string text;
  for (const auto& one : all) text += one;
  return text;
}

void FileWatch::set(const std::string& key, const std::string& file) {
  const std::string now = file.empty() ? "" : look_at(file);
  {
    const std::lock_guard lock(mutex_);
    if (file.empty()) watched_.erase(key);
    else watched_[key] = {file, now, now, false};
  }
  wake_.notify_all();
}

std::vector<std::string> FileWatch::take() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> saved;
  for (auto& [key, one] : watched_)
    if (std::exchange(one.saved, false)) saved.push_back(key);
  return saved;
}

void FileWatch::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return quit_ || !watched_.empty(); });
    wake_.wait_for(lock, rest_, [this] { return quit_; });
    if (quit_) return;
    std::vector<std::pair<std::string, std::string>> files;
    for (const auto& [key, one] : watched_) files.emplace_back(key, one.file);
    lock.unlock();
    std::vector<std::string> now;
    for (const auto& [key, file] : files) now.push_back(look_at(file));
    lock.lock();
    bool news = false;
    for (std::size_t i = 0; i < files.size(); ++i) {
      const auto found = watched_.find(files[i].first);
      if (found == watched_.end() || found->second.file != files[i].second) continue;
      Watched& one = found->second;
      const bool rests = std::exchange(one.seen, now[i]) == now[i];
      if (!rests || now[i].empty() || now[i] == one.known) continue;
      one.known = now[i];
      one.saved = news = true;
    }
    if (!news) continue;
    lock.unlock();
    changed_();
    lock.lock();
  }
}

}  // namespace rankscope::gui
