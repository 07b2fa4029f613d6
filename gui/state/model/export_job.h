// Pictures and files of a trace, written by a thread of its own.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>

#include "engine/diagrams/export/export_trace.h"
#include "gui/state/command/made_later.h"
#include "gui/state/model/app_state.h"

namespace rankscope::gui {

/// Returns the request for a diagram as its view shows it, at the cursor; `whole`: all rounds, for an animation.
DiagramRequest request_of(const AppState& state, const DiagramKind& kind, bool whole = false);

/// Returns the export of `export OUTPUT VIEW`, where VIEW may be the name of a diagram. `sources`: the files of traces that have
/// one. Throws UserError for an unknown ending, and for a view without a diagram of the shown run.
TraceExport export_of(const AppState& state, const std::string& output, const std::string& view,
                      std::vector<std::string> sources);

/// One export. The destructor stops an unfinished one, which leaves no file.
class ExportJob {
 public:
  /// `changed` is called from the thread when there is news.
  ExportJob(const AppState& state, TraceExport what, std::function<void()> changed);
  ~ExportJob();
  ExportJob(const ExportJob&) = delete;
  ExportJob& operator=(const ExportJob&) = delete;

  void stop() noexcept { shared_->stopped = true; }
  /// "writing ring.gif: frame 3 of 40".
  std::string progress() const;
  bool ended() const { return is_ready(outcome_); }
  struct Outcome {
    bool failed = false;  ///< A stopped export has not failed.
    std::string message;  ///< The file that was written, or why none was.
  };
  /// Returns the outcome once, after the end.
  Outcome outcome() { return outcome_.get(); }

 private:
  struct Shared {
    std::atomic<bool> stopped = false;
    std::atomic<std::size_t> done = 0, all = 0;
  };
  std::string output_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::future<Outcome> outcome_;
};

}  // namespace rankscope::gui
