// The recording of a live run: a trace in memory, a file, which stays in a cache until the run is saved, and the documents that are
// made of it while it grows.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "engine/core/base/scratch_folder.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/core/trace/trace_file.h"
#include "gui/state/run/document.h"

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

/// Makes documents of a run while it goes on, in a thread of its own.
class DocumentMaker {
 public:
  /// `made` is called when there is a document to take, `failed` with the reason why there will be none.
  DocumentMaker(std::function<void()> made, std::function<void(std::string)> failed);
  ~DocumentMaker();

  /// Makes documents of this run from now on. `plan`: see Document::make.
  void begin(std::shared_ptr<Recording> recording, std::optional<TraceAnalysis> plan = {});
  /// Reports that the run has grown. The pause between documents grows with the time for making one, so that watching a huge run
  /// does not slow it down.
  void grown();
  /// Waits for the document of a closed run, or until give_up().
  void finish();
  /// Gives up the current run's last document because another run begins.
  void give_up();
  /// Returns whether the document that was taken last shows all of the run.
  bool up_to_date() const;
  /// Returns the newest document, once.
  DocumentPtr take();

 private:
  using Clock = std::chrono::steady_clock;
  void work();
  DocumentPtr make(Recording& recording, bool whole, const TraceAnalysis* plan);

  const std::function<void()> made_;
  const std::function<void(std::string)> failed_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Recording> recording_;
  std::optional<TraceAnalysis> plan_;
  bool grown_ = false, closed_ = false, given_up_ = false, making_ = false, quit_ = false;
  Clock::time_point earliest_{};
  DocumentPtr ready_;
  std::thread thread_;
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
