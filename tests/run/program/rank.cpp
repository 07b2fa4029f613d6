// A rank's process for test programs that a sanitizer checks: `rankscope worker --spawned` without the rest of the
// command, which would take most of their build. Any other command is carried out by the file in $RANKSCOPE_COMMAND.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include <unistd.h>

#include "engine/run/conductor/launcher.h"
#include "engine/run/worker/worker.h"

int main(int argc, char** argv) {
  using namespace rankscope;
  const char* command = std::getenv("RANKSCOPE_COMMAND");
  const bool spawned = argc == 3 && std::string_view(argv[1]) == "worker" &&
                       std::string_view(argv[2]) == "--spawned";
  if (!spawned && command != nullptr) ::execv(command, argv);
  const char* rendezvous = std::getenv("RANKSCOPE_RENDEZVOUS");
  const char* rank = std::getenv("RANKSCOPE_RANK");
  const char* ranks = std::getenv("RANKSCOPE_LOCAL_RANKS");
  if (!spawned || rendezvous == nullptr || rank == nullptr || ranks == nullptr) {
    std::fputs("a conductor starts this program; $RANKSCOPE_COMMAND names the command\n", stderr);
    return 2;
  }
  try {
    WorkerOptions worker;
    worker.rendezvous = Rendezvous::parse(rendezvous);
    worker.lifeline_fd = WorkerProcess::kLifelineFd;
    worker.status_fd = WorkerProcess::kStatusFd;
    worker.memory_fd = WorkerProcess::kMemoryFd;
    worker.rank = std::atoi(rank);
    worker.local_ranks = std::atoi(ranks);
    return run_worker(worker);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
