// The rows of the commands that say what runs would cost.
#pragma once

#include <array>

#include "cli/commands.h"

namespace rankscope::cli {

inline constexpr auto kModelCommands = std::to_array<CommandEntry>({
    {
        .name = "predict",
        .group = kMeasuring,
        .summary = "say from closed forms what algorithms cost on a network",
        .details = "Runs nothing. Rounds, bytes and bytes reduced on the critical path are exact, "
                   "for parts that "
                   "differ in length, every root and any number of ranks; times are alpha for each "
                   "message, beta for "
                   "each byte sent and gamma for each byte reduced. No two ranks share a link; a "
                   "rank sends one message "
                   "and receives one at a time. Beside the time stand the collective's lower bound "
                   "and the "
                   "formula; several algorithms are sorted, and compared over all sizes.",
        .examples =
            "rankscope predict allreduce.ring allreduce.bde --ranks 64 --bytes 1MiB  # and where "
            "they cross\n"
            "rankscope predict allreduce --alpha 5us --bandwidth 10GB/s --gamma 20GB/s  # all of "
            "them\n"
            "rankscope predict broadcast --bandwidth 400Gb/s --ranks 1000 --root 3  # 400 Gbit a "
            "second\n"
            "rankscope predict allreduce.ring_pipelined --segment 64KiB --json  # for a script",
        .define = define_predict,
    },
    {
        .name = "sweep",
        .group = kMeasuring,
        .summary = "predict times over size, ranks, latency or bandwidth, and plot them",
        .details = "The times of `rankscope predict` for each value of an axis, with a star at the "
                   "fastest, and where "
                   "another algorithm becomes the fastest: solved where times are sums, otherwise "
                   "found between two "
                   "values. Plots have logarithmic axes and a ring at each such place.",
        .examples =
            "rankscope sweep 1KiB..64MiB allreduce.bde allreduce.ring --ranks 16  # over bytes\n"
            "rankscope sweep --over ranks 2..256 allreduce.bde allreduce.ring --per-doubling 4  # "
            "also odd ones\n"
            "rankscope sweep --over alpha 100ns..100us allreduce --svg alpha.svg  # a plot\n"
            "rankscope sweep --over bandwidth 1GB/s..100GB/s broadcast --csv broadcast.csv  # for "
            "another one",
        .define = define_sweep,
    },
    {
        .name = "calibrate",
        .group = kMeasuring,
        .summary = "fit what messages cost on this machine, and compare predictions with runs",
        .details =
            "Measures some sizes, fits latency, time per byte and per byte reduced, and the "
            "processor time of "
            "messages, which ranks share where there are more of them than processors. Sizes "
            "in between are then "
            "predicted and compared. The fit is kept for this machine, transport and number "
            "of ranks, and used by "
            "`rankscope predict --machine`. Let nothing else run meanwhile.",
        .examples =
            "rankscope calibrate  # every allreduce on 2, 4 and 8 ranks: some minutes\n"
            "rankscope calibrate broadcast --np 4 --transport tcp  # another collective\n"
            "rankscope calibrate allreduce.ring --held-out \"\" --json  # one algorithm, no "
            "comparison",
        .define = define_calibrate,
    },
});

}  // namespace rankscope::cli
