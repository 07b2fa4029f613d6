// Keeps the window's pictures, and writes the last of them in a thread.
#include "gui/state/app/clip_commands.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "gui/state/app/groups.h"
#include "gui/state/files/files.h"
#include "gui/state/lecture/clip.h"

namespace rankscope::gui {
namespace {

double clip_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

ClipCommands::~ClipCommands() {
  *stopped_ = true;
  if (saving_.valid()) saving_.wait();
}

void ClipCommands::keep(bool on) {
  state_.lecture.keeps_frames = on;
  show_message(on ? "the window's last minute is kept from now on: record last clip.gif"
                  : "the window's last minute is no longer kept");
}

double ClipCommands::wants_frame_in() const {
  if (!keeps_frames()) return LectureState::kNever;
  const double due = std::max(0.0, ring_.next_at() - clip_seconds());
  return ring_.busy() ? std::max(due, FrameRing::kEvery / 4) : due;
}

bool ClipCommands::take_frame(Pixels picture) {
  return ring_.add(std::move(picture), clip_seconds());
}

void ClipCommands::save_last(const Arguments& words) {
  if (words.size() < 2 || words.size() > 3)
    throw UserError("usage: record last [SECONDS] FILE, such as record last 20 clip.gif");
  const std::string& file = words[words.size() - 1];
  const auto seconds =
      words.size() > 2 ? words.number<double>(1, "how many seconds") : FrameRing::kSeconds;
  if (!(seconds >= 1 && seconds <= FrameRing::kSeconds))
    throw UserError(fmt::format("record last keeps 1 to {} seconds", FrameRing::kSeconds));
  refuse_pipe(file);
  check_clip_file(file);
  if (saving_.valid())
    throw UserError(fmt::format("{} is still being written: wait for it", saving_file_));
  const double now = clip_seconds();
  auto frames = ring_.between(now - seconds, now);
  if (frames.empty())
    throw UserError(
        "nothing of the window was kept: its last minute is, in a presentation (P), in a lecture, "
        "with the presenter's window (F9), and from `record on` on");
  const double from = std::max(now - seconds, frames.front().at);
  saving_file_ = file;
  asked_by_ = app_.group<ScriptCommands>().line_now();
  saving_ = std::async(std::launch::async, [frames = std::move(frames), from, now, file,
                                            stopped = stopped_, changed = app_.options().changed] {
    std::string wrong;
    try {
      write_clip(frames, from, now, file, [&](std::size_t, std::size_t) {
        if (*stopped) throw std::runtime_error("the window was closed");
      });
    } catch (const std::exception& e) {  // no clip that fails ends a lecture
      wrong = e.what();
    }
    changed();
    return wrong;
  });
  show_message(fmt::format("writing {} …", file));
}

void ClipCommands::update(double /*seconds*/, bool& news) {
  if (!ring_.empty()) ring_.forget(clip_seconds());
  if (!is_ready(saving_)) return;
  const std::string wrong = saving_.get();
  news = true;
  if (wrong.empty()) return show_message(fmt::format("written: {}", saving_file_));
  app_.report(wrong);
  if (asked_by_) app_.group<ScriptCommands>().line_failed(*asked_by_, wrong);
}

}  // namespace rankscope::gui
