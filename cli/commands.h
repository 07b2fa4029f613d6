// The commands, one file each. Each function adds options to its App and returns what runs it.
#pragma once

#include "cli/command.h"

namespace rankscope::cli {

/// The heading of several tables' commands in the help.
inline constexpr std::string_view kMeasuring = "Measuring";

Action define_run(OptionList app);          // run_command.cpp
Action define_sim(OptionList app);          // sim_command.cpp
Action define_exec(OptionList app);         // exec_command.cpp
Action define_demo(OptionList app);         // demo_command.cpp
Action define_replay(OptionList app);       // demo_command.cpp
Action define_lesson(OptionList app);       // lesson_command.cpp
Action define_exercise(OptionList app);     // exercise_command.cpp
Action define_grade(OptionList app);        // grade_command.cpp
Action define_glossary(OptionList app);     // glossary_command.cpp
Action define_list(OptionList app);         // list_command.cpp
Action define_worker(OptionList app);       // worker_command.cpp
Action define_profile(OptionList app);      // profile_command.cpp
Action define_trace(OptionList app);        // trace_commands.cpp
Action define_check(OptionList app);        // check_command.cpp
Action define_export(OptionList app);       // export_command.cpp
Action define_bench_trace(OptionList app);  // trace_commands.cpp
Action define_man(OptionList app);          // shell_commands.cpp
Action define_completion(OptionList app);   // shell_commands.cpp
Action define_data(OptionList app);         // data_command.cpp
Action define_train(OptionList app);        // train_command.cpp
Action define_parallel(OptionList app);     // parallel_command.cpp
Action define_overlap(OptionList app);      // overlap_command.cpp
Action define_calibrate(OptionList app);
Action define_predict(OptionList app);   // predict_command.cpp
Action define_sweep(OptionList app);     // sweep_command.cpp
Action define_topology(OptionList app);  // topology_command.cpp
Action define_schedule(OptionList app);  // schedule_command.cpp
Action define_bench(OptionList app);     // bench_command.cpp

}  // namespace rankscope::cli
