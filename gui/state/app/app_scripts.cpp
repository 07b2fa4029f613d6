// Scripts: read, waited for, recorded.
#include <algorithm>
#include <array>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "gui/state/app/app.h"
#include "gui/state/app/words.h"
#include "gui/state/files/files.h"

namespace rankscope::gui {
namespace {

// What only opens and closes a panel would close one that is open, when it is carried out again.
constexpr std::array<std::string_view, 5> kNotRecorded = {"record", "queue", "palette", "shortcuts",
                                                          "settings"};
constexpr std::array<std::string_view, 3> kZooms = {"zoom-in", "zoom-out", "zoom-fit"};

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

// ---- Recording ----

void App::record(const Words& words) {
  const bool whole = end_recording();
  if (words.front() == "off") {
    if (!whole) throw UserError(fmt::format("the end of {} could not be written", recording_path_));
    return tell("the script is written");
  }
  const std::string& path = words.front();
  refuse_pipe(path);
  recording_.open(path, std::ios::trunc);
  if (!recording_) throw UserError(fmt::format("cannot write {}: choose another place", path));
  recording_ << "# a rankscope script: one command a line\n" << std::flush;
  if (!recording_) {
    end_recording();
    throw UserError(fmt::format("nothing can be written to {}: choose another place", path));
  }
  recording_path_ = path;
  ++recording_number_;
  state_.recording = true;
  tell(fmt::format("every command is now written to {}", path));
}

// False: not all of it could be written.
bool App::end_recording() {
  state_.recording = false;
  if (!recording_.is_open()) return true;
  recording_.close();
  const bool whole = !recording_.fail();
  recording_.clear();
  return whole;
}

// A script's lines come again with the command that runs it. What was queued is written when it is
// carried out: in a script, a `queue` would put it behind all that follows.
void App::record_line(const Command& command) {
  if (!recording_.is_open() || is_one_of(command.name, kNotRecorded)) return;
  if (told_in() == recording_number_ || command.more) return;
  Command line = command;
  // There may be no pointer when it is carried out again.
  if (is_one_of(line.name, kZooms) && line.words.empty())
    line.words.emplace_back(to_string(state_.zoom_pane));
  recording_ << line.text() << '\n' << std::flush;
  if (recording_) return;
  end_recording();
  const auto what =
      fmt::format("{} cannot be written any more, so the recording ends here: is the disk full?",
                  recording_path_);
  complain(what);
  if (depth_ > 0) line_failed(line_, what);
}

// ---- Carrying out ----

void App::script(const Words& words) { run_script(words.front()); }

void App::run_script(const std::string& path) {
  if (depth_ >= kMostDepth)
    throw UserError(fmt::format("{}: scripts run each other in a circle", path));
  std::istringstream in(read_script(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  queue_script(lines, path);
}

void App::queue_script(const std::vector<std::string>& lines, const std::string& name) {
  std::size_t number = 0;
  std::deque<ScriptLine> added;
  for (const auto& line : lines) {
    ++number;
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos || line[begin] == '#') continue;
    added.push_back({line.substr(begin), fmt::format("{}:{}", name, number), depth_ + 1,
                     recording_.is_open() ? recording_number_ : 0});
  }
  script_.insert(script_.begin(), added.begin(), added.end());
}

void App::queue(const Words& words) {
  for (const auto& line : {std::string("wait run"), words.front()})
    script_.push_back({line, "queue", depth_ + 1, told_in()});
}

void App::wait(const Words& words) {
  constexpr double kPatience = 60, kForPrograms = 900;  // a student's program may run for minutes
  const std::string& what = words.front();
  if (words.size() > 1) {
    (void)value_of(what);  // is there such a key?
    waiting_for_ = words;
    waiting_s_ = what.starts_with("grading.") ? kForPrograms : kPatience;
  } else if (what == "run" || what == "still") {
    waiting_until_ = what == "run" ? Until::run : Until::still;
  } else {
    waiting_s_ = number_of<double>(what, "how long to wait");
  }
}

// Every rank stands at its gate, and nobody has told it to go on.
bool App::held() const {
  const auto live = session_->live();
  return live.stepping && !live.resumed && !live.ordered && !live.places.empty() &&
         std::ranges::none_of(live.places, [](const RankView& view) {
           return view.state == RankView::State::running;
         });
}

std::optional<App::ScriptLine> App::line_now() const {
  return depth_ > 0 ? std::optional(line_) : std::nullopt;
}

void App::line_failed(const ScriptLine& line, const std::string& why) {
  script_failed_ = true;
  if (on_script_line) on_script_line(line.text, fmt::format("{}: {}", line.where, why));
}

// False: what the script waits for is not there yet.
bool App::await(bool& news) {
  if (waiting_until_ != Until::now) {
    const bool runs = session_->running() && !(waiting_until_ == Until::still && held());
    if (runs || loading_.valid() || exporting_.valid() || copying_.valid() ||
        !requests_.copies.empty())
      return false;
    waiting_until_ = Until::now;
  }
  if (!waiting_for_.empty()) {
    const bool met = meets(waiting_for_);
    if (!met && waiting_s_ > 0) return false;
    const Words words = std::exchange(waiting_for_, {});
    waiting_s_ = 0;
    news = true;
    if (!met) {
      tell(fmt::format("waited too long for {} to be \"{}\": it is \"{}\"", words[0],
                       fmt::join(words.begin() + 1, words.end(), " "), value_of(words[0])),
           true);
      line_failed(line_, state_.message);
    }
  }
  // A picture is of its moment; and what is said of a lesson comes after what was said before.
  return waiting_s_ <= 0 && requests_.screenshots.empty() && requests_.copies.empty() &&
         !lessons_->busy();
}

void App::run_script_lines(bool& news) {
  if (!waiting_for_.empty()) await(news);
  constexpr int kAtOnce = 200;  // a long script does not hold the window still
  for (int lines = 0; lines < kAtOnce && !script_.empty() && await(news); ++lines) {
    line_ = script_.front();
    script_.pop_front();
    news = true;
    bool ok = false;
    depth_ = line_.depth;
    try {
      ok = execute(parse_command(line_.text));
    } catch (const UserError& e) {
      tell(e.what(), true);
    }
    depth_ = 0;
    if (lessons_->busy()) lesson_line_ = line_;
    if (!ok) line_failed(line_, state_.message);
    else if (on_script_line) on_script_line(line_.text, "");
  }
}

}  // namespace rankscope::gui
