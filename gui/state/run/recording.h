// What the events of a live run go into.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "engine/core/trace/trace_builder.h"
#include "engine/core/trace/trace_file.h"

namespace rankscope::gui {

/// A trace in memory, to be shown, and the same in a file, to be saved. Thread-safe.
class Recording : public EventSink {
 public:
  /// `file` empty: none is written. `grown` is called when there is more.
  Recording(TraceMeta meta, std::string file, std::function<void()> grown);

  void deliver(EventBatch&& batch) override;
  void flush() override;
  /// No more events will come, and this is known of the run now.
  void close(TraceMeta meta);
  /// Empty: nothing was recorded, or it could not be written. The trace in memory is whole then, too:
  /// a full disk must not end a lecture's run.
  std::string file() const;
  TraceBuilder& builder() noexcept { return builder_; }

 private:
  void write(const std::function<void(TraceWriter&)>& action);

  const std::string file_;
  const std::function<void()> grown_;
  TraceBuilder builder_;
  mutable std::mutex mutex_;
  std::unique_ptr<TraceWriter> writer_;  ///< Null: there is no file, or it failed.
  bool used_ = false;
};

/// Returns the folder that an environment variable names, else the one of this name at home; empty without a home.
std::filesystem::path user_folder(const char* variable, const char* at_home);
/// Returns the folder for traces that nobody has saved yet: $XDG_CACHE_HOME/rankscope/gui, mode 0700.
std::filesystem::path cache_folder();

/// A folder of this session's own in cache_folder(). It holds a lock on it as long as it lives: what
/// another session finds without a lock was left by a process that is gone, and is removed.
class RunCache {
 public:
  RunCache() noexcept;
  RunCache(const RunCache&) = delete;
  RunCache& operator=(const RunCache&) = delete;
  /// Removes its files, but those that somebody holds a lock on (who records or copies one).
  ~RunCache();

  /// A name that was not used before. Of many runs, only the last few keep their file. Empty: there
  /// is no place for one (no home, a full disk), and runs go without.
  std::string next_file();

 private:
  static constexpr std::size_t kMostFiles = 8;
  void make_folder(const std::filesystem::path& base);

  std::filesystem::path folder_;  ///< Empty: none.
  int lock_ = -1;
  int number_ = 0;
  std::deque<std::filesystem::path> files_;
};

}  // namespace rankscope::gui
