// The recording of a live run: a trace in memory and a file, which stays in a cache until the run is saved.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "engine/core/base/scratch_folder.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/core/trace/trace_file.h"

namespace rankscope::gui {

/// A trace in memory, to be shown, and the same in a file, to be saved. Thread-safe.
class Recording : public EventSink {
 public:
  /// An empty `file` means none. `grown` is called when there is more.
  Recording(TraceMeta meta, std::string file, std::function<void()> grown);

  void deliver(EventBatch&& batch) override;
  void flush() override;
  /// Ends the recording with the final facts of the run.
  void close(TraceMeta meta);
  /// Returns the file; empty if nothing was recorded or it could not be written. The trace in memory is whole in any case: a full
  /// disk must not end a lecture's run.
  std::string file() const;
  TraceBuilder& builder() noexcept { return builder_; }

 private:
  void write(const std::function<void(TraceWriter&)>& action);

  const std::string file_;
  const std::function<void()> grown_;
  TraceBuilder builder_;
  mutable std::mutex mutex_;
  std::unique_ptr<TraceWriter> writer_;  ///< Null without a file, or after it failed.
  bool used_ = false;
};

/// Returns the folder for traces that nobody has saved yet: $XDG_CACHE_HOME/rankscope/gui, mode 0700.
std::filesystem::path cache_folder();

/// This session's folder in cache_folder().
class RunCache {
 public:
  /// Removes the folders of dead sessions; the destructor removes this one's. Locked files, which are being recorded or
  /// copied, stay.
  RunCache() noexcept;

  /// Returns an unused name; only the last few runs keep their file. Empty if there is no place for one (no home, a full disk).
  std::string next_file();

 private:
  static constexpr std::size_t kMostFiles = 8;

  std::optional<ScratchFolder> folder_;
  int number_ = 0;
  std::deque<std::filesystem::path> files_;
};

}  // namespace rankscope::gui
