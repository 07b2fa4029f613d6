// The options of `rankscope bench`, which the program rankscope-bench carries out.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace rankscope::cli {

inline constexpr std::array<std::string_view, 10> kBenchParts{
    "speed",  "shm",    "tracing",  "watching",  "starts",
    "choice", "traces", "training", "simulator", "grading"};

/// The variable through which `rankscope` passes its own path to rankscope-bench, which may be in another folder.
inline constexpr const char* kBenchedProgram = "RANKSCOPE_BENCHED";

struct BenchChoice {
  std::vector<std::string> parts;  ///< Some of kBenchParts, in any order; empty for all but choice.
  bool quick = false;              ///< Fewer rounds, a coarser grid.
  bool thorough = false;  ///< Measures choice as well, on the finer grid, which takes long.
  std::string output, history, plot;
};
void add_bench_options(OptionList app, BenchChoice& choice);

/// The options of the hidden `bench-trace`.
struct BenchTraceChoice {
  std::string events = "10000000";
  std::string
      file;  ///< The file to record a made-up run into, without measuring; empty to measure.
};
void add_bench_trace_options(OptionList app, BenchTraceChoice& choice);

}  // namespace rankscope::cli
