// Throws the monkey at the window.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "engine/core/base/scratch_folder.h"
#include "gui/main_loop.h"
#include "gui/monkey.h"

namespace rankscope::gui {
namespace {

namespace fs = std::filesystem;

/// Whatever is written lands in a folder that goes at the end.
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

// What the monkey asked for by clicks and keys, without what would end the test.
void sift(Shell& shell) {
  for (const auto& command : shell.take_commands()) {
    if (!Monkey::harmless(command)) continue;
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
