// Generates random commands, keys and clicks for the monkey test.
#include "gui/monkey.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "engine/collectives/algorithm.h"
#include "engine/core/base/scratch_folder.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/catalogue.h"
#include "engine/run/job/job_fields.h"
#include "gui/main_loop.h"
#include "gui/state/command/view_infos.h"
#include "gui/state/files/samples.h"
#include "gui/state/files/settings.h"
#include "gui/state/model/app_state.h"
#include "gui/views/base/compat.h"

namespace rankscope::gui {
namespace {

namespace fs = std::filesystem;

constexpr int kMostRanks = 9;
constexpr double kMostElements = 100'000;

const std::vector<std::string> kJunk = {"",    "-1",   "nan", "inf",  "1e9", "99999999999999999999",
                                        "é→",  "%s%n", "\"",  "none", "0",   std::string(300, 'w'),
                                        "a b", "#",    "-",   "."};
std::vector<std::string> split(std::string_view text, std::string_view at) {
  const auto parts = split_at(text, at);
  std::vector<std::string> out(parts.begin(), parts.end());
  std::erase(out, "");
  return out;
}

bool is_name(const std::string& word) {
  return !word.empty() &&
         word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ:=.") == std::string::npos;
}

double elements(const std::string& shape) {
  double product = 1;
  for (const auto& part : split(shape, "x,*")) product *= std::strtod(part.c_str(), nullptr);
  return product;
}

bool harmless_setting(const std::string& key, const std::string& value) {
  if (key == "ranks" || key == "n") return std::strtod(value.c_str(), nullptr) <= kMostRanks;
  if (key == "count" || key == "shape") return elements(value) <= kMostElements;
  return true;
}

/// Returns whether the command neither ends the program, nor starts another one, nor overloads this machine.
bool harmless(const Command& command) {
  if (command.is(cmd::quit) || command.is(cmd::train) || command.is(cmd::editor)) return false;
  if (command.is(cmd::set) && command.words.size() == 2)
    return harmless_setting(command.words[0], command.words[1]);
  if (command.is(cmd::queue) && !command.words.empty())
    return command.words.front().find("ranks") == std::string::npos ||
           command.words.front().find("ranks=4") != std::string::npos;
  if (!command.is(cmd::run) && !command.is(cmd::live)) return true;
  for (const auto& word : command.words)
    if (const auto sign = word.find('=');
        sign != std::string::npos && !harmless_setting(word.substr(0, sign), word.substr(sign + 1)))
      return false;
  return true;
}

class Monkey {
 public:
  explicit Monkey(std::uint64_t seed) : random_(seed) {}

  /// Returns a random command, with plausible or wrong words.
  Command command() {
    for (;;) {
      const CommandInfo& info = *one_of_all(command_infos());
      Command command(info, words_of(info));
      if (now_and_then(40)) command.name += one_of(kJunk);
      if (now_and_then(30)) command.words.push_back(one_of(kJunk));
      if (harmless(command)) return command;
    }
  }

  /// Returns the name of a key, with a command or without.
  std::string key() {
    if (now_and_then(4))
      return one_of({"Escape", "?", "A", "Z", "Enter", "Tab", "Delete", "Ctrl+A", "Alt+F4", "9"});
    for (;;) {
      const CommandInfo& info = *one_of_all(command_infos());
      const auto keys = keys_of(info);
      if (!keys.empty() && &info != &cmd::quit) return one_of(keys);
    }
  }

  /// Moves, clicks, scrolls and types; called between the backend's new frame and ImGui's.
  void feed(ImGuiIO& io) {
    const float width = io.DisplaySize.x, height = io.DisplaySize.y;
    if (now_and_then(3)) {
      x_ = static_cast<float>(below(10'000)) / 10'000 * width;
      y_ = static_cast<float>(below(10'000)) / 10'000 * height;
    } else {  // a drag moves in small steps
      x_ += static_cast<float>(below(21) - 10);
      y_ += static_cast<float>(below(21) - 10);
    }
    const std::array<int, 3> often = {5, 60, 90};
    for (std::size_t button = 0; button < 3; ++button)
      if (now_and_then(down_[button] ? 4 : often[button])) down_[button] = !down_[button];
    const float wheel = now_and_then(6) ? static_cast<float>(below(7) - 3) : 0;
    static constexpr std::array kKeys = {ImGuiKey_Enter,   ImGuiKey_Tab,       ImGuiKey_DownArrow,
                                         ImGuiKey_UpArrow, ImGuiKey_Backspace, ImGuiKey_Escape,
                                         ImGuiKey_Space,   ImGuiKey_LeftArrow, ImGuiKey_Home};
    const auto key = one_of_all(kKeys);
    const bool press = now_and_then(8);
    compat::move_mouse(io, x_, y_);
    for (int button = 0; button < 3; ++button) compat::press_mouse(io, button, down_[button]);
    if (wheel != 0) compat::turn_wheel(io, wheel);
    for (const auto any : kKeys) compat::press_key(io, any, press && any == key);
    if (now_and_then(5))
      io.AddInputCharacter(static_cast<unsigned>("abcdefghilmnoprstuwy ._-=01234"[below(30)]));
  }

  /// Returns true once in `times` calls on average.
  bool now_and_then(int times) { return below(times) == 0; }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  const std::string& one_of(const std::vector<std::string>& words) { return one_of_all(words); }
  template <class Range>
  auto one_of_all(const Range& range) -> decltype(range[0]) {
    return range[static_cast<std::size_t>(below(static_cast<int>(range.size())))];
  }
  std::string number() {
    switch (below(4)) {
      case 0: return fmt::format("{}", below(4));
      case 1: return fmt::format("{}", below(40));
      case 2: return fmt::format("{:.3f}", static_cast<double>(below(20000)) / 1000);
      default: return fmt::format("{}", below(3000) - 1000);
    }
  }

  std::string file() {
    static const auto kFiles = split(
        "a.rankscope,b.rankscope,missing.rankscope,a.svg,a.pdf,a.png,a.gif,a.html,a.csv,a.jsonl,"
        "a.json,a.rankscript,b.rankscript,no/such/folder.png,a b.png,plain",
        ",");
    return one_of(kFiles);
  }

  std::string job_word(bool with_key) {
    static const std::vector<std::string> kKeys = [] {
      std::vector<std::string> keys = {"count", "delay.0", "delay.1", "nonsense"};
      for (const JobField& field : job_fields())
        if (!field.word.empty()) keys.emplace_back(field.word);
      return keys;
    }();
    const std::string& key = one_of(kKeys);
    const JobField* const field = find_job_field(&JobField::word, key);
    const auto words = field != nullptr ? choices_of(*field) : std::vector<std::string>();
    std::string value = number();
    if (key == "algorithm") value = one_of_all(algorithms()).name;
    else if (key == "ranks") value = fmt::format("{}", below(kMostRanks + 1));
    else if (key == "shape") value = fmt::format("{}x{}x{}", below(4), below(9), below(9));
    else if (key == "timeout") value = fmt::format("{}", 1 + below(20));
    else if (!words.empty()) value = one_of(words);
    if (now_and_then(10)) value = one_of(kJunk);
    return with_key ? key + "=" + value : key + " " + value;
  }

  // Returns a word for an argument with this name in the usage.
  std::string word(const std::string& meaning) {
    if (now_and_then(8)) return one_of(kJunk);
    if (meaning == "FILE") return file();
    if (meaning == "FILE:LINE") return fmt::format("allreduce_ring.cpp:{}", below(60));
    if (meaning == "SLOT") return std::string(to_string(one_of_all(kSlots)));
    if (meaning == "NAME") return std::string(one_of_all(kViews).name);
    if (meaning == "DIAGRAM") return std::string(one_of_all(diagrams()).name);
    if (meaning == "QUESTION")
      return one_of({"running-sums", "plus-one", "lost-value", "messages", "next-message",
                     "whose-data", "schedule"});
    if (meaning == "LETTER") return one_of({"a", "b", "c"});
    if (meaning == "FIELD") return one_of({"/x/0", "/0/from", "/before/3", "/7"});
    if (meaning == "KEY") return one_of({"status", "moment", "problems", "ranks", "nonsense"});
    if (meaning == "COMMAND") return one_of({"play", "step", "first", "bookmark", "theme", "undo"});
    if (meaning == "SECONDS") return "0.05";
    return number();
  }

  std::vector<std::string> words_of(const CommandInfo& info) {
    std::vector<std::string> words;
    if (&info == &cmd::set) return split(job_word(false), " ");
    if (&info == &cmd::run || &info == &cmd::live) {
      if (now_and_then(2)) words.emplace_back(one_of_all(algorithms()).name);
      for (int more = below(3); more > 0; --more) words.push_back(job_word(true));
      return words;
    }
    if (&info == &cmd::script) return {one_of({"a.rankscript", "b.rankscript"})};
    if (&info == &cmd::record)
      return {now_and_then(4) ? "off" : one_of({"a.lecture.toml", "b.rankscript"})};
    if (&info == &cmd::open || &info == &cmd::save)
      return {one_of({"a.rankscope", "b.rankscope", file()})};
    if (&info == &cmd::sample) return {std::string(one_of_all(samples()).name)};
    if (&info == &cmd::lesson && now_and_then(2))
      return {one_of({"flat-allreduce", "find-the-bug", "8", "ring-allreduce", "asynchronous"})};
    if (&info == &cmd::layout && now_and_then(2)) return {one_of_all(built_in_layouts()).name};
    const auto parts = split(info.usage.substr(info.name.size()), " []");
    for (const auto& part : parts) {
      if (info.least < static_cast<int>(words.size() + 1) && now_and_then(3)) break;
      const auto choices = split(part, "|");
      const std::string& choice = one_of(choices);
      words.push_back(is_name(choice) ? word(choice) : now_and_then(10) ? one_of(kJunk) : choice);
    }
    return words;
  }

  std::mt19937_64 random_;
  float x_ = 0, y_ = 0;
  bool down_[3] = {};
};

/// The test's working folder, removed at its end.
class Playground {
 public:
  Playground() : home_(fs::current_path()) { fs::current_path(folder_.path()); }
  Playground(const Playground&) = delete;
  Playground& operator=(const Playground&) = delete;
  ~Playground() {
    std::error_code ignored;
    fs::current_path(home_, ignored);
  }
  const fs::path& folder() const noexcept { return folder_.path(); }

 private:
  fs::path home_;
  ScratchFolder folder_{"monkey"};
};

// Prints and keeps the commands of clicks and keys, without harmful ones.
void sift(Shell& shell) {
  for (const auto& command : shell.take_commands()) {
    if (!harmless(command)) continue;
    std::fprintf(stderr, "clicked: %s\n", command.text().c_str());
    shell.ask(command);
  }
}

}  // namespace

// Every command is reported before it is carried out: after a crash the last lines say what it was.
int let_monkey_play(MainLoop& loop, std::uint64_t seed, double seconds) {
  const Playground playground;
  Monkey monkey(seed);
  loop.on_frame = [&](ImGuiIO& io) { monkey.feed(io); };
  loop.paints = [&] { return monkey.now_and_then(8); };
  loop.on_orders = [&] { sift(loop.shell()); };
  int commands = 0, failed = 0, frames = 0;
  double slowest = 0;
  std::string of_slowest;
  std::printf("monkey: seed %llu, in %s\n", static_cast<unsigned long long>(seed),
              playground.folder().c_str());
  std::fflush(stdout);
  for (const double begin = loop.age(); loop.age() - begin < seconds && !MainLoop::stop_requested();
       ++frames) {
    const double before = loop.age();
    const auto taken = [&] { return (loop.age() - before) * 1e3; };
    loop.window().poll();
    loop.app().update(1.0 / 60);
    std::string what = fmt::format("update {:.0f} ms", taken());
    if (monkey.now_and_then(3)) {
      const Command command = monkey.command();
      std::fprintf(stderr, "%s\n", command.text().c_str());
      failed += loop.app().execute(command) ? 0 : 1;
      ++commands;
      what += fmt::format(", {} {:.0f} ms", command.name, taken());
    }
    if (monkey.now_and_then(6)) {
      const std::string key = monkey.key();
      std::fprintf(stderr, "key: %s\n", key.c_str());
      loop.shell().press(key);
    }
    loop.frame();
    loop.app().mutable_state().quit = false;
    if (taken() <= slowest * 1e3) continue;
    slowest = taken() / 1e3;
    of_slowest = what;
  }
  std::printf(
      "monkey: %d commands (%d refused), %d frames, the slowest took %.0f ms (until then %s)\n",
      commands, failed, frames, slowest * 1e3, of_slowest.c_str());
  loop.on_frame = [](ImGuiIO&) {};
  loop.on_orders = [] {};
  loop.paints = [] { return true; };
#ifdef __SANITIZE_ADDRESS__
  __lsan_do_leak_check();  // now: once the graphics driver is unloaded, what it keeps looks lost
#endif
  return 0;
}

}  // namespace rankscope::gui
