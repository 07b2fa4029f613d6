// Defines the options of `rankscope exec`, and refuses those that do not fit together.
#include "cli/program/exec_options.h"

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/run/job/transports.h"

namespace rankscope::cli {
namespace {

void add_control(OptionList control, ExecOptions& options) {
  options.job.add(control, "transport")
      .description(fmt::format("Transport between the processes: {}",
                               transport_names(" or ", &Transport::processes)))
      .type_name(transport_names("|", &Transport::processes));
  options.job.add(control, "send_mode")
      .description(
          "The mode of sends (default: as in the program's library: rendezvous for torch and Ray, "
          "eager up to a limit for MPI)");
  options.job.add(control, "eager_limit")
      .description("Messages up to this size do not wait for their receive (MPI: 4KiB)");
  options.job.add(control, "delays_us");
  control.add_option(
      "--explore", "ORDERS", options.orders.explore,
      "Run it this many times, with its messages in other orders, and reduce a failing order to "
      "what matters. A program that starts its ranks itself may start one group");
  control.add_option(
      "--replay", "SEED|SCHEDULE", options.orders.replay,
      "Run it once, in the order of this seed or schedule, as --explore prints them");
  control.add_option("--seed", "NUMBER", options.orders.seed,
                     "With --explore: seed of the first order; with --sim: of --jitter (1)");
  options.job.add(control, "timeout_s")
      .default_str(fmt::format("600; with --explore {}", kOrderTimeout));
  control.add_option("--sanitize", "KIND", options.sanitize,
                     "Compile a .cpp file with a sanitizer of the compiler (address, undefined, "
                     "thread; or address,undefined), whose findings become the rank's error");
  control.add_option("--debug", "RANK", options.debug,
                     "Start this rank of a program in C++ under gdb, in this terminal; the others "
                     "wait for it as long as it takes");
  control.add_option(
      "--python", "FILE", options.python,
      "The Python that runs scripts and notebooks; else $RANKSCOPE_PYTHON, that of the active "
      "environment, or the first python3 on the PATH that has what the script imports");
}

void add_virtual_time(OptionList group, ExecOptions& options) {
  group.add_option("--sim", "TOPOLOGY|FILE", options.sim,
                   "Carry its messages out in virtual time on this topology (uniform: each pair of "
                   "ranks has a link of its own); its ranks stay processes");
  group
      .add_option("--compute", "FACTOR", options.compute,
                  "With --sim: virtual time per second of processor time that a rank computes")
      .default_str("0");
  for (const char* const key : {"gamma_s", "jitter", "slow_ranks", "failures"})
    options.job.add(group, key);
}

}  // namespace

void check_transport(const ExecOptions& options) {
  if (!options.said("transport")) return;
  const std::string& name = options.job.texts.at("transport");
  const std::string between = transport_names(", ", &Transport::processes);
  if (transport_can(name, &Transport::virtual_time))
    throw UserError(
        "name the network: --sim uniform, or --sim with a topology (`rankscope topology "
        "list`)");
  if (!require_transport(name).processes)
    throw UserError(fmt::format(
        "the ranks of a program are processes, and {} connects threads of one process: choose "
        "--transport {}",
        name, between));
  if (!options.sim.empty() || options.orders.asked())
    throw UserError(
        "with --sim, --explore and --replay, rankscope itself carries the messages: leave "
        "--transport out");
}

void check_virtual_time(const ExecOptions& options) {
  if (!options.sim.empty()) {
    if (options.orders.asked())
      throw UserError(
          "--sim has only the order of messages that its times give: leave --explore and --replay "
          "out");
    return;
  }
  for (const char* const name : {"compute", "gamma", "jitter", "slow", "fail"})
    if (options.said(name))
      throw UserError(fmt::format(
          "--{} needs a simulated network: name one, as in --sim uniform or --sim fat-tree "
          "(`rankscope topology list`)",
          name));
}

void add_exec_options(OptionList app, ExecOptions& options) {
  app.add_option("COMMAND", "COMMAND", options.command,
                 "The program and its arguments, after --; or just a .py, .cpp or .ipynb file")
      .expected(1, 1'000'000);
  app.add_option("-n,--ranks", "RANKS", options.ranks,
                 "Start this many copies, each a rank, with torchrun's variables; without it one, "
                 "which starts its ranks itself (torch.multiprocessing.spawn)");
  const OptionList recording = app.in_group("Recording");
  recording
      .add_option("-o,--output", "FILE.rankscope", options.output,
                  "File of the trace, or a folder for several")
      .default_str("PROGRAM-nRANKS.rankscope here");
  options.job.add(recording, "trace");
  recording.add_flag("--no-findings", options.no_findings, "Do not look for faults");
  app.in_group("").add_flag("--for-parent", options.for_parent,
                            "Started by the application: end with it");
  add_meant_options(app.in_group("Result"), options.meant);
  add_virtual_time(app.in_group("Virtual time"), options);
  add_control(app.in_group("Control"), options);
}

}  // namespace rankscope::cli
