// Counts the events of a run whose sums are an estimate, in the background.
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

class RunCounter {
 public:
  RunCounter() = default;
  RunCounter(const RunCounter&) = delete;
  RunCounter& operator=(const RunCounter&) = delete;
  ~RunCounter();

  /// In place of what is counted now. `changed` is called when there is news.
  void begin(std::shared_ptr<const StreamedTrace> run, std::function<void()> changed);
  bool busy() const noexcept { return job_ != nullptr; }

  struct Told {
    std::string ended;  ///< Words on it; empty: it goes on.
    bool failed = false;
  };
  /// Takes what is new of `document`'s run into `counted` and `percent` (-1 outside of counting). Returns nothing if there is
  /// no news. The counting of any other run ends.
  std::optional<Told> follow(const DocumentPtr& document,
                             std::shared_ptr<const StreamedTrace>& counted, int& percent);
  /// Ends the counting; what was counted so far stays. Returns words on it.
  std::string end_early(int& percent);

 private:
  struct News {
    std::shared_ptr<const StreamedTrace>
        run;  // a better estimate, or the counted run; null: none yet
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
  std::uint64_t run_ = 0;     // StreamedTrace::number() of what is, or was, counted; 0: none
  std::vector<std::future<void>> threads_;  // those of earlier jobs, too: they end soon
};

/// The document's run with the best sums that are known of it. Null: it is no part of one.
std::shared_ptr<const StreamedTrace> best_counted(
    const Document& document, const std::shared_ptr<const StreamedTrace>& counted);

}  // namespace rankscope::gui
