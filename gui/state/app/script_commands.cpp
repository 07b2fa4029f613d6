// The commands of scripts: reading, waiting, and the queue of their lines.
#include "gui/state/app/script_commands.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "gui/state/app/groups.h"
#include "gui/state/files/files.h"
#include "gui/state/model/state_values.h"

namespace rankscope::gui {
namespace {

constexpr double kClickSeconds = 2;  // in a rehearsal, before its factor

}  // namespace

// ---- The commands ----

constexpr Row<Text> cmd::script("script FILE", "Carries out a script of one command per line", "",
                                1, 1, Curtain::keeps, does<&ScriptCommands::script>,
                                menu(item(Menu::file, 2, "Run a script …")),
                                file_box(NameBox::Files::open_script, "Run a script",
                                         "lecture.rankscript", "One command a line."));
constexpr Row<Text> cmd::queue(
    "queue COMMAND",
    "Carries a command out when the ones before it, and what they started, are done", "", 1, 1,
    Curtain::keeps, does<&ScriptCommands::queue>, kKeepsMessage | kUnrecorded);
constexpr Row<Texts> cmd::wait(
    "wait run|still|click|SECONDS|KEY VALUE",
    "In scripts: waits for the run to end (still: or until all ranks are held), for the "
    "presenter's click (next-stop), or so long, or until the state is so: status, moment, "
    "problems, lesson.page, verdict.QUESTION",
    "", 1, kAnyNumber, Curtain::keeps, does<&ScriptCommands::wait>, kKeepsMessage);
constexpr Row<Text> cmd::rehearse(
    "rehearse FACTOR|off",
    "Before a lecture's script: nobody has to click, and waits are as long as FACTOR says (a "
    "click: two seconds times it)",
    "", 1, 1, Curtain::keeps, does<&ScriptCommands::rehearse>, kUnrecorded);
constexpr Row<Texts> cmd::expect("expect KEY VALUE", "In scripts: fails unless the state is so", "",
                                 2, kAnyNumber, Curtain::keeps, does<&ScriptCommands::expect>,
                                 kKeepsMessage);
constexpr Row<Text> cmd::print("print KEY", "Writes a value of the state to the standard output",
                               "", 1, 1, Curtain::keeps, does<&ScriptCommands::print>,
                               kKeepsMessage);
constexpr Row<Text> cmd::screenshot("screenshot FILE [presenter]",
                                    "Writes the window, or the presenter's, as a picture; as .txt "
                                    "its texts, with their sizes and places in pixels",
                                    "F12", 1, 2, Curtain::keeps, does<&ScriptCommands::screenshot>,
                                    kKeepsMessage,
                                    file_box(NameBox::Files::save_picture, "Picture of the window",
                                             "window.png", "The whole window, as a PNG."),
                                    also("capture, picture of the window"));

void ScriptCommands::script(const Arguments& words) {
  const std::string& path = words[0];
  if (depth_ >= kMostDepth)
    throw UserError(fmt::format("{}: scripts run each other in a circle", path));
  std::istringstream in(read_script(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  queue_first(lines, path);
}

void ScriptCommands::queue_first(const std::vector<std::string>& lines, const std::string& name) {
  std::size_t number = 0;
  std::deque<ScriptLine> added;
  for (const auto& line : lines) {
    ++number;
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos || line[begin] == '#') continue;
    added.push_back({line.substr(begin), fmt::format("{}:{}", name, number), depth_ + 1});
  }
  script_.insert(script_.begin(), added.begin(), added.end());
}

void ScriptCommands::queue_last(const std::vector<std::string>& lines, const std::string& name) {
  for (const auto& line : lines) script_.push_back({line, name, depth_ + 1});
}

void ScriptCommands::wait(const Arguments& words) {
  constexpr double kWaitSeconds = 900;  // grading a student's program takes minutes
  const std::string& what = words[0];
  if (words.size() > 1) {
    (void)value_of(state_, what);  // throws for an unknown key
    waiting_for_ = words.all();
    wait_left_s_ = kWaitSeconds;
  } else if (what == "run" || what == "still") {
    waiting_until_ = what == "run" ? WaitCondition::run : WaitCondition::still;
  } else if (what == "click") {
    if (rehearsal_) wait_left_s_ = kClickSeconds * *rehearsal_;
    else waiting_for_click_ = true;
  } else {
    wait_left_s_ = words.number<double>(0, "how long to wait") * rehearsal_.value_or(1);
  }
}

void ScriptCommands::rehearse(const Arguments& words) {
  constexpr double kMostFactor = 10;
  if (words[0] == "off") return rehearsal_.reset();
  const double factor = words.number<double>(0, "the factor");
  if (!(factor >= 0 && factor <= kMostFactor))
    throw UserError(fmt::format("rehearse 0.1: from 0 to {}, or off", kMostFactor));
  rehearsal_ = factor;
  waiting_for_click_ = false;
}

// A click after a script's last line is an ordinary click.
bool ScriptCommands::click() { return std::exchange(waiting_for_click_, false) && running(); }

std::optional<ScriptLine> ScriptCommands::line_now() const {
  return depth_ > 0 ? std::optional(line_) : std::nullopt;
}

void ScriptCommands::line_failed(const ScriptLine& line, const std::string& why) {
  any_failed_ = true;
  if (app_.on_script_line) app_.on_script_line(line.text, fmt::format("{}: {}", line.where, why));
}

void ScriptCommands::report(const std::optional<ScriptLine>& line, const std::string& why) {
  app_.report(why);
  if (line) line_failed(*line, why);
}

// Returns false while the script has to wait.
bool ScriptCommands::await(bool& news) {
  if (waiting_for_click_) return false;
  if (waiting_until_ != WaitCondition::now) {
    const auto& runs = app_.group<RunCommands>();
    // A run that has just ended is over once its result is shown.
    const bool running = runs.running() || state_.live.running;
    const bool still = waiting_until_ == WaitCondition::still;
    const bool runs_on = running && !(still && runs.held());
    const auto& files = app_.group<FileCommands>();
    if (runs_on || files.busy() || (still && files.counts()) || app_.group<ViewCommands>().busy() ||
        app_.group<RaceCommands>().busy() || app_.group<LectureCommands>().busy() ||
        app_.group<SceneCommands>().busy() || app_.group<ExecCommands>().working() ||
        !app_.requests().copies.empty())
      return false;
    app_.group<PlaybackCommands>().finish_motion();  // nobody watches it
    waiting_until_ = WaitCondition::now;
  }
  if (!waiting_for_.empty()) {
    const bool met = meets(state_, waiting_for_);
    if (!met && wait_left_s_ > 0) return false;
    const Arguments words(std::exchange(waiting_for_, {}));
    wait_left_s_ = 0;
    news = true;
    if (!met) {
      show_message(fmt::format("waited too long for {} to be \"{}\": it is \"{}\"", words[0],
                               words.rest(1), value_of(state_, words[0])),
                   true);
      line_failed(line_, state_.message);
    }
  }
  // A screenshot is taken before the next line, and a lesson's message shown.
  const auto& asked = app_.requests();
  return wait_left_s_ <= 0 && asked.screenshots.empty() && asked.presenter_screenshots.empty() &&
         asked.copies.empty() && !app_.group<LessonCommands>().busy();
}

void ScriptCommands::run_line(ScriptLine line) {
  line_ = std::move(line);
  bool ok = false;
  depth_ = line_.depth;
  try {
    ok = app_.execute(parse_command(line_.text));
  } catch (const UserError& e) {
    show_message(e.what(), true);
  }
  depth_ = 0;
  app_.group<LessonCommands>().asked_by(line_);
  if (!ok) line_failed(line_, state_.message);
  else if (app_.on_script_line) app_.on_script_line(line_.text, "");
}

void ScriptCommands::update(double seconds, bool& news) {
  wait_left_s_ = std::max(0.0, wait_left_s_ - seconds);
  if (!waiting_for_.empty()) await(news);
  constexpr int kAtOnce = 200;  // a long script does not hold the window still
  for (int lines = 0; lines < kAtOnce && !script_.empty() && await(news); ++lines) {
    news = true;
    ScriptLine line = std::move(script_.front());
    script_.pop_front();
    run_line(std::move(line));
  }
}

void ScriptCommands::expect(const Arguments& words) {
  if (!meets(state_, words.all()))
    throw UserError(fmt::format("expected {} to be \"{}\", but it is \"{}\"", words[0],
                                words.rest(1), value_of(state_, words[0])));
}

void ScriptCommands::print(const Arguments& words) {
  const std::string text = fmt::format("{}={}", words[0], value_of(state_, words[0]));
  if (app_.on_print) app_.on_print(text);
  show_message(text);
}

void ScriptCommands::screenshot(const Arguments& words) {
  refuse_pipe(words[0]);
  auto& requests = app_.requests();
  if (words.size() < 2) return requests.screenshots.push_back(words[0]);
  if (words[1] != "presenter")
    throw UserError(
        fmt::format("there is no window \"{}\": leave it out, or say presenter", words[1]));
  if (!state_.lecture.presenter)
    throw UserError("the presenter's window is not open: `presenter on` first");
  if (words[0].ends_with(".txt"))
    throw UserError("the presenter's window is written as a picture: name a .png");
  requests.presenter_screenshots.push_back(words[0]);
}

}  // namespace rankscope::gui
