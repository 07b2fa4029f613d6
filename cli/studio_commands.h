// The rows of the commands for schedules.
#pragma once

#include <array>

#include "cli/commands.h"

namespace rankscope::cli {

inline constexpr auto kStudioCommands = std::to_array<CommandEntry>({
    {
        .name = "schedule",
        .group = kMeasuring,
        .summary = "prove a schedule, exchange it with MSCCL, GOAL and Chakra, compare or find one",
        .details =
            "A schedule is a table of moves, as NAME.schedule runs it, or a file of another "
            "format; "
            "its ending says which. prove follows every rank's contribution without running data, "
            "and looks for ranks that wait for each other; a wrong schedule is refused with the "
            "rank, chunk and step, and the shortest counter-example. convert writes it in another "
            "format, so that it runs on GPUs or in LogGOPSim and ASTRA-sim. compare sets it beside "
            "all algorithms of its collective. from-trace reads it off a recorded run. synthesise "
            "finds one for a topology, greedily, of up to 128 ranks. A program in Python has a "
            "function moves(n) that yields send(step, src, dst, chunk, \"add\"), and runs in a "
            "sandbox. The exit code is 1 for a schedule that is proved wrong, 2 for bad input.",
        .examples =
            "rankscope schedule prove ring.txt -n 8 --collective allreduce\n"
            "rankscope schedule prove ring.txt -n 8 --collective allreduce --posting blocking  # "
            "sends that wait: a cycle\n"
            "rankscope schedule convert ring.py ring.xml -n 8 --collective allreduce  # for MSCCL\n"
            "rankscope schedule compare ring.xml --bytes 64KiB --alpha 2us\n"
            "rankscope schedule from-trace run.rankscope -o run.goal\n"
            "rankscope schedule synthesise --topology torus:4x4 --collective allgather -o t.xml\n"
            "rankscope schedule show t.xml --json  # for a script",
        .define = define_schedule,
    },
});

}  // namespace rankscope::cli
