// `rankscope worker`: one rank, for a conductor on this or another machine.
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/sizes.h"
#include "engine/core/base/error.h"
#include "engine/run/conductor/launcher.h"
#include "engine/run/worker/worker.h"
#include "engine/training/job/training_program.h"

namespace rankscope::cli {
namespace {

struct JoinOptions {
  bool spawned = false;
  std::string join, key_file;
  std::string rank;
};

std::string read_key(const std::string& file) {
  std::ifstream in(file);
  if (!in)
    throw UserError(fmt::format(
        "cannot read the key file {}: copy the one that `rankscope run --join` wrote", file));
  constexpr std::streamsize kMost = 64 * 1024;  // a key has some hundred
  std::string text(kMost + 1, '\0');
  in.read(text.data(), kMost + 1);
  if (in.gcount() > kMost)
    throw UserError(fmt::format("{} is no key file: it has more than 64 KiB", file));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

Rendezvous rendezvous_of(const JoinOptions& options) {
  const char* variable = std::getenv("RANKSCOPE_RENDEZVOUS");
  if (options.key_file.empty() && variable == nullptr)
    throw UserError(
        "a worker needs to know its conductor: give --key-file FILE (which `rankscope run --join` "
        "writes) or set RANKSCOPE_RENDEZVOUS to that file's contents");
  auto rendezvous =
      Rendezvous::parse(options.key_file.empty() ? variable : read_key(options.key_file));
  // The conductor may be reached by another address than the one it listens on (a tunnel, 0.0.0.0).
  if (!options.join.empty()) rendezvous.control = options.join;
  return rendezvous;
}

int run(const JoinOptions& options) {
  WorkerOptions worker;
  if (!options.rank.empty())
    worker.rank = static_cast<Rank>(
        parse_integer(options.rank, "--rank", 0, std::numeric_limits<Rank>::max()));
  worker.rendezvous = rendezvous_of(options);
  if (options.spawned) {
    worker.lifeline_fd = WorkerProcess::kLifelineFd;
    worker.status_fd = WorkerProcess::kStatusFd;
    worker.memory_fd = WorkerProcess::kMemoryFd;
    const char* rank = std::getenv("RANKSCOPE_RANK");
    worker.rank = rank == nullptr ? -1 : std::atoi(rank);
    const char* ranks = std::getenv("RANKSCOPE_LOCAL_RANKS");
    worker.local_ranks = ranks == nullptr ? 0 : std::atoi(ranks);
  } else {
    const RankAndSize launched = rank_from_environment();
    if (options.rank.empty()) worker.rank = launched.rank;
    worker.world_size = launched.world_size;
  }
  worker.program = training::execute_training;
  return run_worker(worker);
}

Action define_worker(OptionList app) {
  const auto options = std::make_shared<JoinOptions>();
  app.add_option("--join", "tcp://HOST:PORT", options->join,
                 "The conductor's address, if it is not the one in the key file");
  app.add_option("--key-file", "FILE", options->key_file,
                 "File that `rankscope run --join` wrote; else its text in RANKSCOPE_RENDEZVOUS");
  app.add_option("--rank", "RANK", options->rank,
                 "This worker's rank; else RANK, SLURM_PROCID, OMPI_COMM_WORLD_RANK, PMIX_RANK or "
                 "PMI_RANK; else the next free one");
  app.in_group("").add_flag("--spawned", options->spawned, "Started by the conductor itself");
  return [options](const Console&) { return run(*options); };
}

}  // namespace

constinit const CommandEntry kWorkerCommand{
    .name = "worker",
    .group = kRunning,
    .summary = "be one rank of a run that another machine conducts",
    .details =
        "Joins the run that `rankscope run --join` conducts and serves it until it ends. Started "
        "by ssh, srun or mpirun, the rank comes from their variables.",
    .examples =
        "rankscope worker --key-file rankscope.key\n"
        "srun -n 8 rankscope worker --key-file ~/rankscope.key  # 8 ranks by Slurm\n"
        "ssh host2 rankscope worker --rank 3 --key-file rankscope.key",
    .define = define_worker,
    .takes_plugins = true,
};

}  // namespace rankscope::cli
