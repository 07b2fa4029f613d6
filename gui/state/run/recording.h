// What the events of a live run go into.
#pragma once

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

}  // namespace rankscope::gui
