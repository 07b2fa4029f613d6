// Starts Xvfb and the window program on it, and moves mouse and keys with xdotool.
#include "tests/gui/screen.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.h"
#include "tests/support/paths.h"

extern char** environ;  // NOLINT: POSIX's own declaration

namespace rankscope::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

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

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::string> all;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string variable = *at;
    bool changed = false;
    for (const auto& [name, value] : changes) changed = changed || variable.starts_with(name + "=");
    if (!changed) all.push_back(variable);
  }
  for (const auto& [name, value] : changes)
    if (!value.empty()) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (auto& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

bool eventually(const std::function<bool()>& condition, std::chrono::milliseconds limit) {
  const auto until = SteadyClock::now() + limit;
  while (!condition()) {
    if (SteadyClock::now() > until) return false;
    std::this_thread::sleep_for(20ms);
  }
  return true;
}

Background::Background(const std::vector<std::string>& command,
                       const std::vector<std::pair<std::string, std::string>>& environment,
                       const std::string& output)
    : output_(output) {
  // Should this process itself be killed, the program goes with it.
  std::vector<std::string> words{"setpriv", "--pdeathsig", "KILL"};
  words.insert(words.end(), command.begin(), command.end());
  auto variables = environment_with(environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, (output + ".out").c_str(), kWrite,
                                   0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, (output + ".err").c_str(), kWrite,
                                   0600);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int error = posix_spawnp(&pid_, words.front().c_str(), &actions, &attributes,
                                 pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) throw std::runtime_error("cannot start " + command.front());
}

Background::~Background() {
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Background::signal(int number) const { ::kill(pid_, number); }
std::string Background::out() const { return text_of(output_ + ".out"); }
std::string Background::err() const { return text_of(output_ + ".err"); }

bool Background::says(const std::string& text) const {
  return eventually([&] {
    return out().find(text) != std::string::npos || err().find(text) != std::string::npos;
  });
}

int Background::end(std::chrono::milliseconds limit) {
  int status = 0;
  if (!eventually([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; }, limit)) return -1;
  ::kill(-pid_, SIGKILL);  // what it may have left in its group
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Screen::Screen(const std::string& size) {
  // The number is written when the server is ready; 1 is its standard output.
  server_ = std::make_unique<Background>(
      std::vector<std::string>{"Xvfb", "-displayfd", "1", "-screen", "0", size + "x24", "-nolisten",
                               "tcp", "-noreset"},
      std::vector<std::pair<std::string, std::string>>{}, folder_ / "xvfb");
  if (!eventually([&] { return server_->out().ends_with('\n'); }))
    throw std::runtime_error("Xvfb does not start: " + server_->err());
  const std::string number = server_->out();
  display_ = ":" + number.substr(0, number.find('\n'));
}

std::vector<std::pair<std::string, std::string>> Screen::environment() const {
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

Finished Screen::gui(std::vector<std::string> arguments, std::chrono::milliseconds limit) const {
  arguments.insert(arguments.begin(), gui_program());
  ProcessOptions options;
  options.environment = environment();
  options.folder = folder_.path();
  options.limit = limit;
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
  arguments.insert(arguments.end(), {"--script", write_script(all)});
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
