// Opens traces of any size; in the background, reads the events around the cursor and counts all messages of a run too large
// for memory.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gui/state/run/document.h"

namespace rankscope::gui {

/// The progress of opening a file; shared with the thread that reads it.
struct Reading {
  std::atomic<int> percent{-1};  ///< -1 if it is soon done, or unknown.
  std::atomic<bool> stop{false};
};

/// Opens a trace: a part of one with more than most_events_held() events, with `soon` also of one that takes long to read
/// (is_to_be_read() then), others whole. `whole_path`: the document's path(). Throws what the reader throws, and UserError when
/// it was stopped.
DocumentPtr open_document(const std::string& path, std::string whole_path, bool soon,
                          Reading& reading);
/// Returns whether it is a part of a run that fits into memory, shown until the run is read.
bool is_to_be_read(const Document& document);
/// Returns whether its picture is an estimate until all of its messages have been counted.
bool is_to_be_counted(const Document& document);
/// "big.rankscope: 20,000,000 events; those around the cursor are in the other views"
std::string what_is_shown(const Document& document, const std::string& name);

class PartReader {
 public:
  PartReader() = default;
  PartReader(const PartReader&) = delete;
  PartReader& operator=(const PartReader&) = delete;
  ~PartReader();

  /// Reads the part around `moment` if `shown` has too little of it, or was read before all of the run's damage was
  /// known; `changed` is called when it is read. `counted`: see best_counted(). Returns the document to show instead, or null.
  /// Throws UserError once if a part cannot be read.
  DocumentPtr follow(const DocumentPtr& shown, const std::shared_ptr<const StreamedTrace>& counted,
                     double moment, const std::function<void()>& changed);
  bool busy() const noexcept { return reading_.valid(); }

 private:
  std::future<DocumentPtr> reading_;
  /// The document and moment of the last request, so that a part that cannot be read is not tried again.
  std::uint64_t asked_for_ = 0;
  double asked_at_ = 0;
};

class RunCounter {
 public:
  RunCounter() = default;
  RunCounter(const RunCounter&) = delete;
  RunCounter& operator=(const RunCounter&) = delete;
  ~RunCounter();

  /// Counts this run in place of another one. `changed` is called when there is news.
  void begin(std::shared_ptr<const StreamedTrace> run, std::function<void()> changed);
  bool busy() const noexcept { return job_ != nullptr; }

  struct Notice {
    std::string ended;  ///< A message at the end; empty before.
    bool failed = false;
  };
  /// Stores the news of `document`'s run in `counted` and `percent` (-1 outside of counting); returns nothing without news. Ends
  /// the counting of another run.
  std::optional<Notice> follow(const DocumentPtr& document,
                               std::shared_ptr<const StreamedTrace>& counted, int& percent);
  /// Ends the counting; what was counted so far stays. Returns a message on it.
  std::string end_early(int& percent);

 private:
  struct News {
    std::shared_ptr<const StreamedTrace>
        run;  // a better estimate, or the counted run; null if there is none yet
    int percent = 0;
    bool ended = false;
    std::string error;  // why it ended without the counted run
  };
  struct Job {
    std::atomic<bool> stop{false};
    std::mutex mutex;
    News news;
    bool is_new = true;
    void tell(const std::function<void(News&)>& change);
  };
  static void count(Job& job, const StreamedTrace& run, const std::function<void()>& changed);
  std::optional<News> take();  // what has changed since the last time
  void stop();                 // does not wait for it

  std::shared_ptr<Job> job_;  // null: nothing is counted
  std::uint64_t run_ = 0;     // StreamedTrace::number() of the run counted now or last; 0 if none
  std::vector<std::future<void>> threads_;  // those of earlier jobs, too: they end soon
};

/// Returns the document's run with the best known sums; null for a complete document.
std::shared_ptr<const StreamedTrace> best_counted(
    const Document& document, const std::shared_ptr<const StreamedTrace>& counted);

}  // namespace rankscope::gui
