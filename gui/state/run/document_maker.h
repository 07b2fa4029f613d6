// Analyses a run while it goes on, in a thread of its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "gui/state/run/document.h"
#include "gui/state/run/recording.h"

namespace rankscope::gui {

class DocumentMaker {
 public:
  /// `made`: there is a document to take. `failed`: why there will be none.
  DocumentMaker(std::function<void()> made, std::function<void(std::string)> failed);
  ~DocumentMaker();

  /// From now on, documents are of this run.
  /// `plan`: see Document::make.
  void begin(std::shared_ptr<Recording> recording, std::optional<TraceAnalysis> plan = {});
  /// There is more of it. Documents are made one after the other, with rests that grow with what the
  /// making takes, so that a huge run is not slowed down by being watched.
  void grown();
  /// It is closed: waits for the document of all of it, or until make_now().
  void finish();
  /// Nobody wants the current run's last document any more: another run is to begin.
  void make_now();
  /// The newest document, once.
  DocumentPtr take();

 private:
  using Clock = std::chrono::steady_clock;
  void work();
  DocumentPtr make(Recording& recording, bool whole, const TraceAnalysis* plan);

  const std::function<void()> made_;
  const std::function<void(std::string)> failed_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Recording> recording_;
  std::optional<TraceAnalysis> plan_;
  bool grown_ = false, closed_ = false, make_now_ = false, quit_ = false;
  Clock::time_point earliest_{};
  DocumentPtr ready_;
  std::thread thread_;
};

}  // namespace rankscope::gui
