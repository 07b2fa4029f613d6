// Opens traces of any size, and follows the cursor through those that are held in parts.
#include "gui/state/run/part_reader.h"

#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/trace/streamed_trace.h"
#include "engine/core/trace/summary_cache.h"
#include "engine/core/trace/trace_file.h"
#include "gui/state/command/ready.h"
#include "gui/state/run/run_counter.h"

namespace rankscope::gui {
namespace {

/// A pass has found something in the file that was not known when this part was read.
bool is_outdated(const Document& part, const StreamedTrace& best) {
  return part.run()->is_estimated() && !best.is_estimated() &&
         (part.run()->issues() != best.issues() || part.run()->world_size() != best.world_size());
}

}  // namespace

DocumentPtr open_document(const std::string& path, std::string whole_path, bool soon,
                          Reading& reading) {
  constexpr int kSteps = 20;  // each is some frames, which take time from the reading
  constexpr std::uint64_t kAtOnce =
      8;  // so many times fewer than what is held: read within a second
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
  const double end = static_cast<double>(run->duration_ns()) / 1e3;
  return Document::make_part(std::move(run), end, std::move(whole_path));
}

bool is_to_be_read(const Document& document) {
  return document.run() && document.run()->events() <= most_events_held();
}

bool is_to_be_counted(const Document& document) {
  return document.run() && document.run()->is_estimated() && !is_to_be_read(document);
}

std::string what_is_shown(const Document& document) {
  const auto& run = document.run();
  return fmt::format("{}: {} events{}{}", document.path(),
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

}  // namespace rankscope::gui
