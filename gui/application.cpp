// Parses the window program's options and starts its main loop.
#include "gui/application.h"

#include <cstdio>

#include "gui/bench.h"
#include "gui/main_loop.h"
#include "gui/monkey.h"

namespace rankscope::gui {
namespace {

void print_commands() {
  for (const CommandInfo* info : command_infos())
    std::printf("%-44s %-20s %s\n", std::string(info->usage).c_str(),
                std::string(info->shortcut).c_str(), std::string(info->summary).c_str());
}

}  // namespace

int run_application(const StartOptions& options) {
  if (options.list_commands) {
    print_commands();
    return 0;
  }
  MainLoop loop(options);
  if (options.bench_live_s > 0) return bench_live(loop, options.bench_live_s);
  if (options.monkey_s > 0) return let_monkey_play(loop, options.seed, options.monkey_s);
  return options.bench_frames > 0 ? bench(loop, options.bench_frames) : loop.run();
}

}  // namespace rankscope::gui
