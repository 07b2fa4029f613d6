// Starts Xvfb and the window program on it, and moves mouse and keys with xdotool.
#include "tests/gui/screen.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "tests/support/catch.h"
#include "tests/support/paths.h"

namespace rankscope::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool on_path(const std::string& program) {
  std::istringstream folders(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  return false;
}

bool in_ci() {
  const char* ci = std::getenv("CI");
  return ci != nullptr && (std::string(ci) == "true" || std::string(ci) == "1");
}

// Should this process itself be killed, the program goes with it.
SubprocessOptions background(const std::vector<std::string>& command,
                             const EnvironmentChanges& environment, const std::string& output) {
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  SubprocessOptions out{
      .words = {"setpriv", "--pdeathsig", "KILL"},
      .environment = environment_lines(environment),
      .descriptors = {{.theirs = STDOUT_FILENO, .file = output + ".out", .flags = kWrite},
                      {.theirs = STDERR_FILENO, .file = output + ".err", .flags = kWrite}}};
  out.words.insert(out.words.end(), command.begin(), command.end());
  return out;
}

}  // namespace

Background::Background(const std::vector<std::string>& command,
                       const EnvironmentChanges& environment, const std::string& output)
    : output_(output), program_(background(command, environment, output)) {}

bool Background::rests() const {
  std::error_code ignored;
  for (const auto& task :
       fs::directory_iterator(fmt::format("/proc/{}/task", program_.pid()), ignored)) {
    const std::string state = text_of(task.path() / "stat");
    const auto name = state.rfind(") ");
    if (name != std::string::npos && state[name + 2] == 'R') return false;
  }
  return true;
}

std::string Background::out() const { return text_of(output_ + ".out"); }
std::string Background::err() const { return text_of(output_ + ".err"); }

bool Background::says(const std::string& text) const {
  return eventually([&] {
    return out().find(text) != std::string::npos || err().find(text) != std::string::npos;
  });
}

int Background::end(std::chrono::milliseconds limit) {
  const auto code = program_.wait(Deadline::in(limit));
  if (code) program_.kill();  // what it may have left in its group
  return code.value_or(-1);
}

Screen::Screen(const std::string& size) : size_(size) {
  // Pictures for the clipboard do not belong in the home of the person who runs the tests.
  std::filesystem::create_directories(folder_ / "config");
  std::ofstream(folder_ / "config/user-dirs.dirs")
      << "XDG_PICTURES_DIR=\"" << folder_.path() << "\"\n";
  // The number is written when the server is ready; 1 is its standard output.
  server_ = std::make_unique<Background>(
      std::vector<std::string>{"Xvfb", "-displayfd", "1", "-screen", "0", size + "x24", "-nolisten",
                               "tcp", "-noreset"},
      EnvironmentChanges{}, folder_ / "xvfb");
  if (!eventually([&] { return server_->out().ends_with('\n'); }))
    throw std::runtime_error("Xvfb does not start: " + server_->err());
  const std::string number = server_->out();
  display_ = ":" + number.substr(0, number.find('\n'));
}

EnvironmentChanges Screen::environment() const {
  return {{"DISPLAY", display_},
          {"WAYLAND_DISPLAY", ""},
          {"XDG_CONFIG_HOME", folder_ / "config"},
          {"XDG_CACHE_HOME", folder_ / "cache"},
          {"XDG_DATA_HOME", folder_ / "data"},
          {"TMPDIR", folder_.path()},
          {"LIBGL_ALWAYS_SOFTWARE", "1"},
          {"LC_ALL", "C.UTF-8"},
          {"ASAN_OPTIONS", "detect_leaks=0"}};  // OpenGL's and fontconfig's
}

Finished Screen::gui(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), gui_program());
  ProcessOptions options;
  options.environment = environment();
  options.folder = folder_.path();
  return run_process(arguments, options);
}

std::string Screen::write_script(const std::vector<std::string>& lines,
                                 const std::string& name) const {
  std::ofstream out(folder_ / name);
  for (const auto& line : lines) out << line << '\n';
  return folder_ / name;
}

Finished Screen::script(const std::vector<std::string>& lines,
                        std::vector<std::string> arguments) const {
  std::vector<std::string> all = lines;
  all.emplace_back("quit");
  // Painting takes most of a script's time here, and nobody looks.
  if (std::find(arguments.begin(), arguments.end(), "--size") == arguments.end())
    arguments.insert(arguments.begin(), {"--size", size_});
  arguments.insert(arguments.end(), {"--hidden", "--script", write_script(all)});
  return gui(arguments);
}

void Screen::run_xdotool(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), "xdotool");
  ProcessOptions options;
  options.environment = {{"DISPLAY", display_}};
  const auto done = run_process(arguments, options);
  INFO(done.err);
  REQUIRE(done.exit_code == 0);
}

void Screen::run_xdotool(const Background& window, const std::vector<std::string>& arguments,
                         std::chrono::milliseconds limit) const {
  constexpr int kRests = 4;  // looks in a row
  constexpr std::chrono::milliseconds kBetween{15};
  for (auto at = arguments.begin(); at != arguments.end();) {
    auto next = std::find(at + 1, arguments.end(), "sleep");
    run_xdotool({at, next});
    at = next;
    const auto deadline = std::chrono::steady_clock::now() + limit;
    for (int rests = 0; rests < kRests && std::chrono::steady_clock::now() < deadline;) {
      rests = server_->rests() && window.rests() ? rests + 1 : 0;
      std::this_thread::sleep_for(kBetween);
    }
  }
}

std::vector<pid_t> Screen::processes() const {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (text_of(entry.path() / "environ").find("XDG_CACHE_HOME=" + folder_.path()) !=
        std::string::npos)
      found.push_back(std::stoi(name));
  }
  return found;
}

std::string gui_program() { return (rankscope_binary().parent_path() / "rankscope-gui").string(); }

bool can_see(bool hands) {
  std::string missing;
  if (!on_path("Xvfb")) missing = "Xvfb (apt install xvfb)";
  else if (!on_path("setpriv")) missing = "setpriv (apt install util-linux)";
  else if (hands && !on_path("xdotool")) missing = "xdotool (apt install xdotool)";
  if (missing.empty()) return true;
  if (in_ci()) FAIL("no " << missing);
  std::printf("test skipped: no %s\n", missing.c_str());  // CTest looks for this
  return false;
}

}  // namespace rankscope::test
