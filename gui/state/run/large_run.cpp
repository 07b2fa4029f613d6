// Opens traces of any size, and follows the cursor through those that are held in parts.
#include "gui/state/run/large_run.h"

#include <chrono>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/core/base/quantity.h"
#include "engine/core/trace/streamed_trace.h"
#include "engine/core/trace/summary_cache.h"
#include "engine/core/trace/trace_file.h"
#include "gui/state/command/made_later.h"

namespace rankscope::gui {
namespace {

/// Returns whether counting has found damage, or ranks, that were unknown when this part was read.
bool is_outdated(const Document& part, const StreamedTrace& best) {
  return part.run()->is_estimated() && !best.is_estimated() &&
         (part.run()->issues() != best.issues() || part.run()->world_size() != best.world_size());
}

}  // namespace

DocumentPtr open_document(const std::string& path, std::string whole_path, bool soon,
                          Reading& reading) {
  constexpr int kSteps = 20;            // each one redraws the window, which slows the reading
  constexpr std::uint64_t kAtOnce = 8;  // an eighth of the most events held is read in a second
  const std::uint64_t most = most_events_held();
  if (look_at_trace(path).events <= (soon ? most / kAtOnce : most))
    return Document::make(TraceReader::open(path), std::move(whole_path));
  const SummaryCache kept;
  auto run = StreamedTrace::open_soon(
      path,
      [&](double share) {
        reading.percent = static_cast<int>(share * kSteps) * 100 / kSteps;
        return !reading.stop;
      },
      &kept);
  return Document::make_part(std::move(run), 0, std::move(whole_path));
}

bool is_to_be_read(const Document& document) {
  return document.run() && document.run()->events() <= most_events_held();
}

bool is_to_be_counted(const Document& document) {
  return document.run() && document.run()->is_estimated() && !is_to_be_read(document);
}

std::string what_is_shown(const Document& document, const std::string& name) {
  const auto& run = document.run();
  return fmt::format("{}: {} events{}{}", name,
                     grouped(run ? run->events() : document.trace().size()),
                     run ? "; those around the cursor are in the other views" : "",
                     is_to_be_counted(document)
                         ? "; its messages are being counted: until then the picture is an estimate"
                         : "");
}

PartReader::~PartReader() {
  if (reading_.valid()) reading_.wait();
}

DocumentPtr PartReader::follow(const DocumentPtr& shown,
                               const std::shared_ptr<const StreamedTrace>& counted, double moment,
                               const std::function<void()>& changed) {
  DocumentPtr ready;
  if (is_ready(reading_)) {
    ready = reading_.get();
    if (!shown || !shown->run() || ready->run()->number() != shown->run()->number())
      ready = nullptr;  // another trace was opened
  }
  const DocumentPtr& now = ready ? ready : shown;
  if (!now || !now->run() || reading_.valid()) return ready;
  auto run = best_counted(*now, counted);
  if ((now->has_around(moment) && !is_outdated(*now, *run)) ||
      (asked_for_ == now->id() && asked_at_ == moment))
    return ready;
  asked_for_ = now->id();
  asked_at_ = moment;
  reading_ =
      std::async(std::launch::async, [run = std::move(run), moment, path = now->path(), changed] {
        struct AtEnd {
          const std::function<void()>& call;
          ~AtEnd() { call(); }
        } const at_end{changed};
        return Document::make_part(run, moment, path);
      });
  return ready;
}

namespace {

/// Lowers the priority of this thread and those that it starts: the window's frames and the events around the cursor come first
/// (man 2 setpriority, "C library/kernel differences").
void let_others_go_first() {
  constexpr int kLower = 3;
  const auto thread = static_cast<id_t>(::gettid());
  (void)::setpriority(PRIO_PROCESS, thread, ::getpriority(PRIO_PROCESS, thread) + kLower);
}

}  // namespace

void RunCounter::Job::tell(const std::function<void(News&)>& change) {
  const std::lock_guard lock(mutex);
  change(news);
  is_new = true;
}

RunCounter::~RunCounter() { stop(); }

void RunCounter::count(Job& job, const StreamedTrace& run, const std::function<void()>& changed) {
  using Clock = std::chrono::steady_clock;
  // Drawing intermediate results takes time from the counting.
  constexpr std::chrono::milliseconds kBetween{300};
  Clock::time_point due = Clock::now() + kBetween;
  const SummaryCache kept;
  try {
    auto counted = run.counted(
        [&](double share) {
          if (const auto now = Clock::now(); now >= due) {
            due = now + kBetween;
            job.tell([share](News& news) { news.percent = static_cast<int>(share * 100); });
            changed();
          }
          return !job.stop;
        },
        [&](std::shared_ptr<const StreamedTrace> better) {
          job.tell([&](News& news) { news.run = std::move(better); });
        },
        &kept);
    job.tell([&](News& news) { news.run = std::move(counted); });
  } catch (const std::exception& e) {  // the file may have changed meanwhile
    job.tell([&](News& news) { news.error = e.what(); });
  }
  job.tell([](News& news) { news.ended = true; });
  changed();
}

void RunCounter::begin(std::shared_ptr<const StreamedTrace> run, std::function<void()> changed) {
  stop();
  std::erase_if(threads_, [](const auto& thread) { return is_ready(thread); });
  run_ = run->number();
  job_ = std::make_shared<Job>();
  threads_.push_back(std::async(std::launch::async,
                                [job = job_, run = std::move(run), changed = std::move(changed)] {
                                  let_others_go_first();
                                  count(*job, *run, changed);
                                }));
}

void RunCounter::stop() {
  if (job_) job_->stop = true;
  job_.reset();
}

std::optional<RunCounter::News> RunCounter::take() {
  if (!job_) return std::nullopt;
  News news;
  {
    const std::lock_guard lock(job_->mutex);
    if (!std::exchange(job_->is_new, false)) return std::nullopt;
    news = job_->news;
    job_->news.run = nullptr;
  }
  if (news.ended) job_.reset();
  return news;
}

std::optional<RunCounter::Notice> RunCounter::follow(const DocumentPtr& document,
                                                     std::shared_ptr<const StreamedTrace>& counted,
                                                     int& percent) {
  if (const auto shown = document && document->run() ? document->run()->number() : 0;
      run_ != shown) {
    if (std::exchange(run_, 0) == 0) return std::nullopt;
    stop();
    counted = nullptr;
    percent = -1;
    return Notice{};
  }
  auto news = take();
  if (!news) return std::nullopt;
  if (news->run) counted = std::move(news->run);
  percent = news->ended ? -1 : news->percent;
  if (!news->ended) return Notice{};
  if (!news->error.empty()) return Notice{news->error, true};
  return Notice{fmt::format("{}: all messages are counted", document->path())};
}

std::string RunCounter::end_early(int& percent) {
  stop();
  return fmt::format("{} % of the events were counted: the picture stays an estimate",
                     std::exchange(percent, -1));
}

std::shared_ptr<const StreamedTrace> best_counted(
    const Document& document, const std::shared_ptr<const StreamedTrace>& counted) {
  const auto& run = document.run();
  return run && counted && counted->number() == run->number() ? counted : run;
}

}  // namespace rankscope::gui
