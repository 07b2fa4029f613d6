// The application without its window, driven by commands.
#pragma once

#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "gui/state/app/app.h"
#include "tests/gui_state/live.h"

namespace rankscope::test {

inline std::string quoted(const std::string& text) { return "\"" + text + "\""; }

struct Driven {
  OwnHome home;
  gui::App app;

  explicit Driven(bool remember = false) : app(options(remember)) {}

  static gui::AppOptions options(bool remember = false) {
    return {.worker_program = rankscope_binary().string(), .remember = remember};
  }

  bool does(const std::string& line) { return app.execute(gui::parse_command(line)); }
  bool until(const std::function<bool()>& condition, int milliseconds = 60'000) {
    return eventually(
        [&] {
          app.update(0.005);
          return condition();
        },
        std::chrono::milliseconds(milliseconds));
  }
  bool runs_out() {
    return until([&] { return !app.script_running(); });
  }
  std::string text(const std::string& name) const {
    std::ifstream in(home / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string value(const std::string& key) const { return app.value_of(key); }
  std::string message() const { return app.state().message; }
  /// Carries out the lines of a script, to their end; what went wrong with which.
  std::vector<std::string> script(const std::vector<std::string>& lines) {
    std::vector<std::string> errors;
    app.on_script_line = [&](const std::string& line, const std::string& error) {
      if (!error.empty()) errors.push_back(line + ": " + error);
    };
    app.queue_script(lines, "test");
    if (!runs_out()) errors.emplace_back("it did not come to its end");
    until([&] { return !app.animating(); });
    app.on_script_line = nullptr;
    return errors;
  }
  /// A run that is right.
  void ring(const std::string& more = "") {
    REQUIRE(does("run allreduce.ring ranks=4 count=16 " + more));
    REQUIRE(until([&] { return value("status") == "ok"; }));
  }
};

}  // namespace rankscope::test
