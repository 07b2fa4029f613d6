// Opens traces of any size, and follows the cursor through those that are held in parts.
#include "gui/state/run/part_reader.h"

#include <utility>

#include "engine/core/base/error.h"
#include "engine/core/trace/streamed_trace.h"
#include "engine/core/trace/trace_file.h"
#include "gui/state/app/ready.h"

namespace rankscope::gui {

DocumentPtr open_document(const std::string& path, std::string whole_path, bool soon,
                          Reading& reading) {
  constexpr int kSteps = 20;  // each is some frames, which take time from the reading
  constexpr std::uint64_t kAtOnce =
      8;  // so many times fewer than what is held: read within a second
  const std::uint64_t most = most_events_held();
  if (look_at_trace(path).events <= (soon ? most / kAtOnce : most))
    return Document::make(TraceReader::open(path), std::move(whole_path));
  auto run = StreamedTrace::open(path, [&](double share) {
    reading.percent = static_cast<int>(share * kSteps) * 100 / kSteps;
    return !reading.stop;
  });
  const double end = static_cast<double>(run->duration_ns()) / 1e3;
  return Document::make_part(std::move(run), end, std::move(whole_path));
}

bool is_to_be_read(const Document& document) {
  return document.run() && document.run()->events() <= most_events_held();
}

PartReader::~PartReader() {
  if (reading_.valid()) reading_.wait();
}

DocumentPtr PartReader::follow(const DocumentPtr& shown, double moment,
                               const std::function<void()>& changed) {
  DocumentPtr ready;
  if (is_ready(reading_)) {
    ready = reading_.get();
    if (!shown || ready->run() != shown->run()) ready = nullptr;  // another trace was opened
  }
  const DocumentPtr& now = ready ? ready : shown;
  if (!now || !now->run() || reading_.valid() || now->has_around(moment) ||
      (asked_for_ == now->id() && asked_at_ == moment))
    return ready;
  asked_for_ = now->id();
  asked_at_ = moment;
  reading_ =
      std::async(std::launch::async, [run = now->run(), moment, path = now->path(), changed] {
        struct AtEnd {
          const std::function<void()>& call;
          ~AtEnd() { call(); }
        } const at_end{changed};
        return Document::make_part(run, moment, path);
      });
  return ready;
}

}  // namespace rankscope::gui
