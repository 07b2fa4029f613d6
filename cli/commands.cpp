// The table of commands.
#include "cli/commands.h"

#include <array>

namespace rankscope::cli {
namespace {

constexpr std::string_view kShell = "Help and shell";

constexpr std::string_view kRunning = "Running";

constexpr auto kCommands = std::to_array<CommandEntry>({
    {
        .name = "worker",
        .group = kRunning,
        .summary = "be one rank of a run that another machine conducts",
        .details = "Joins the run that `rankscope run --join` conducts and serves it until it ends. "
                   "Started by ssh, srun or mpirun, the rank comes from their variables.",
        .examples = "rankscope worker --key-file rankscope.key\n"
                    "srun -n 8 rankscope worker --key-file ~/rankscope.key  # 8 ranks by Slurm\n"
                    "ssh host2 rankscope worker --rank 3 --key-file rankscope.key",
        .define = define_worker,
    },
    {
        .name = "man",
        .group = kShell,
        .summary = "print the manual page",
        .details = "The page is generated from the options themselves (roff).",
        .examples = "rankscope man | man -l -  # read it\n"
                    "rankscope man > rankscope.1  # keep it",
        .define = define_man,
    },
    {
        .name = "completion",
        .group = kShell,
        .summary = "print a completion script for a shell",
        .details = "Completes commands, options, algorithms, element types, operations and "
                   "transports.",
        .examples =
            "source <(rankscope completion bash)  # in this bash session\n"
            "rankscope completion zsh > \"${fpath[1]}/_rankscope\"  # for every zsh\n"
            "rankscope completion fish > ~/.config/fish/completions/rankscope.fish  # for fish",
        .define = define_completion,
    },
});

}  // namespace

std::span<const CommandEntry> commands() { return kCommands; }

}  // namespace rankscope::cli
