// Passes a live run's events to the trace builder and the trace file.
#include "gui/state/run/recording.h"

#include <utility>

#include "engine/core/base/error.h"

namespace rankscope::gui {

Recording::Recording(TraceMeta meta, std::string file, std::function<void()> grown)
    : file_(std::move(file)), grown_(std::move(grown)), builder_(meta) {
  if (file_.empty()) return;
  try {
    writer_ = std::make_unique<TraceWriter>(file_, std::move(meta));
  } catch (const UserError&) {  // without a file
  }
}

void Recording::write(const std::function<void(TraceWriter&)>& action) {
  const std::lock_guard lock(mutex_);
  if (!writer_) return;
  try {
    action(*writer_);
  } catch (const UserError&) {
    writer_.reset();
  }
}

void Recording::deliver(EventBatch&& batch) {
  builder_.deliver(EventBatch(batch));
  write([&](TraceWriter& writer) {
    used_ = true;
    writer.deliver(std::move(batch));
  });
  grown_();
}

void Recording::flush() {
  write([](TraceWriter& writer) { writer.flush(); });
}

void Recording::close(TraceMeta meta) {
  builder_.set_meta(meta);
  write([&](TraceWriter& writer) { writer.close(std::move(meta)); });
}

std::string Recording::file() const {
  const std::lock_guard lock(mutex_);
  return writer_ && used_ ? file_ : std::string();
}

}  // namespace rankscope::gui
