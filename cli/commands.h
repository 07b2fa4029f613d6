// The commands, one file each. Each function adds options to its App and returns what runs it.
#pragma once

#include "cli/command.h"

namespace rankscope::cli {

Action define_run(CLI::App& app);          // run_command.cpp
Action define_demo(CLI::App& app);         // demo_command.cpp
Action define_replay(CLI::App& app);       // demo_command.cpp
Action define_list(CLI::App& app);         // list_command.cpp
Action define_worker(CLI::App& app);       // worker_command.cpp
Action define_profile(CLI::App& app);      // profile_command.cpp
Action define_trace(CLI::App& app);        // trace_commands.cpp
Action define_check(CLI::App& app);        // check_command.cpp
Action define_export(CLI::App& app);       // export_command.cpp
Action define_bench_trace(CLI::App& app);  // trace_commands.cpp
Action define_man(CLI::App& app);          // shell_commands.cpp
Action define_completion(CLI::App& app);   // shell_commands.cpp
Action define_bench(CLI::App& app);        // bench_command.cpp

}  // namespace rankscope::cli
