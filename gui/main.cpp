// rankscope-gui: see `rankscope-gui --help`.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "gui/bench.h"
#include "gui/main_loop.h"
#include "gui/monkey.h"

namespace rankscope::gui {
namespace {

constexpr int kUserError = 2;

void define(CLI::App& app, StartOptions& options, std::string& size) {
  app.description("rankscope-gui: watch collective communication run in real processes");
  app.add_option("FILE", options.trace,
                 "A trace (*.rankscope), a lecture (*.lecture.toml), a script, a lesson or a "
                 "student's copy (its folder) to open; or a program (.py, .cpp, .ipynb), which "
                 "runs now and each time that it is saved");
  app.add_option("--plugin", options.plugins,
                 "Also know the algorithms in this shared library (may be repeated)")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--script", options.script, "Carry out the commands of a file, one a line")
      ->type_name("FILE");
  app.add_option("-c,--command", options.commands,
                 "Carry out a command (may be repeated); all of them come before --script")
      ->type_name("COMMAND");
  app.add_option(
         "--screenshot", options.screenshot,
         "When all is done (a run that is held stays so), write the window as a picture, and quit")
      ->type_name("FILE.png");
  app.add_option("--size", size, "Size of the window")->type_name("WIDTHxHEIGHT");
  app.add_option("--theme", options.theme, "dark, light or contrast; this time only");
  app.add_option("--scale", options.scale, "Size of everything, 0.75 to 3; this time only");
  app.add_flag("--hidden", options.hidden, "Do not show the window (tests)");
  app.add_flag("--fresh", options.fresh,
               "Neither read nor write the settings and the progress in lessons");
  app.add_option("--bench-frames", options.bench_frames,
                 "Build this many frames while the trace plays; print what they cost; quit")
      ->type_name("N");
  app.add_option("--bench-live", options.bench_live_s,
                 "Watch a made-up run of a million events a second for so long; print what frames "
                 "cost meanwhile; quit")
      ->type_name("SECONDS");
  app.add_option("--monkey", options.monkey_s)
      ->type_name("SECONDS")
      ->group("");  // hidden: for tests
  app.add_option("--seed", options.seed)->group("");
  app.add_flag("--commands", options.list_commands, "List all commands and keys, and exit");
  app.set_version_flag("--version", "rankscope-gui " RANKSCOPE_VERSION);
  app.footer(
      "Examples:\n"
      "  rankscope-gui\n"
      "      the window\n"
      "  rankscope-gui ring.rankscope\n"
      "      a trace that `rankscope run -o ring.rankscope` recorded\n"
      "  rankscope-gui -c 'run allreduce.ring ranks=8' -c 'wait run' --screenshot ring.png --size "
      "1920x1080\n"
      "      a picture for a document\n"
      "  rankscope-gui ring.py\n"
      "      a student's program on 4 ranks: saved again, it runs again, beside the run before\n"
      "  rankscope-gui homework/\n"
      "      a student's copy of a course\n"
      "  rankscope-gui ring.lecture.toml\n"
      "      a prepared lecture: PageDown goes on, PageUp back, Ctrl+T shows its scenes");
}

void take_size(const std::string& size, StartOptions& options) {
  int end = 0;
  const bool read =
      std::sscanf(size.c_str(), "%dx%d%n", &options.width, &options.height, &end) == 2 &&
      static_cast<std::size_t>(end) == size.size();
  if (!read) throw UserError(fmt::format("--size: \"{}\" is not like 1920x1080", size));
  const bool fits = options.width >= kLeastWidth && options.width <= kMostWidth &&
                    options.height >= kLeastHeight && options.height <= kMostHeight;
  if (!fits)
    throw UserError(fmt::format("--size: {} is not between {}x{} and {}x{}", size, kLeastWidth,
                                kLeastHeight, kMostWidth, kMostHeight));
}

/// Returns the exit code: 0, or 1 if a script, command or screenshot failed. Throws UserError if no window can be opened.
int run(StartOptions options) {
  // A student's copy of a course, or another folder of lessons: these, and no other lessons, are in the window.
  if (!options.trace.empty() &&
      std::filesystem::is_directory(std::filesystem::path(options.trace) / "content")) {
    const auto folder = std::filesystem::absolute(std::exchange(options.trace, ""));
    ::setenv("RANKSCOPE_LESSONS", folder.c_str(), 1);
  }
  if (options.list_commands) {
    for (const CommandInfo* info : command_infos())
      std::printf("%-44s %-20s %s\n", std::string(info->usage).c_str(),
                  std::string(info->shortcut).c_str(), std::string(info->summary).c_str());
    return 0;
  }
  MainLoop loop(options);
  if (options.bench_live_s > 0) return bench_live(loop, options.bench_live_s);
  if (options.monkey_s > 0) return let_monkey_play(loop, options.seed, options.monkey_s);
  return options.bench_frames > 0 ? bench(loop, options.bench_frames) : loop.run();
}

}  // namespace
}  // namespace rankscope::gui

int main(int argc, char** argv) {
  using namespace rankscope::gui;
  StartOptions options;
  std::string size;
  CLI::App app;
  define(app, options, size);
  try {
    app.parse(argc, argv);
    if (!size.empty()) take_size(size, options);
    options.scale_given = app.count("--scale") > 0;
    return run(options);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::CallForVersion& e) {
    std::printf("%s\n", e.what());
    return 0;
  } catch (const CLI::ParseError& e) {
    std::fprintf(stderr, "rankscope-gui: %s\nSee `rankscope-gui --help`.\n", e.what());
    return kUserError;
  } catch (const rankscope::UserError& e) {
    std::fprintf(stderr, "rankscope-gui: %s\n", e.what());
    return kUserError;
  }
}
