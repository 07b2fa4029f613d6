// Starts smpirun with a platform of ours and reads its times; runs the same algorithm on our simulator.
#include "engine/run/profile/smpi_peer.h"

#include <filesystem>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/scratch_folder.h"
#include "engine/core/base/subprocess.h"
#include "engine/network/files/simgrid_platform.h"
#include "engine/network/files/topology_file.h"
#include "engine/network/flow/make_network.h"
#include "engine/run/conductor/launcher.h"
#include "engine/run/job/execute.h"
#include "transports/sim/sim_world.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "rankscope-baseline-smpi";

std::vector<SmpiTime> times_in(const std::string& output, const std::vector<SmpiCase>& cases) {
  std::istringstream lines(output);
  std::vector<SmpiTime> times;
  for (const SmpiCase& one : cases) {
    std::string algorithm;
    std::uint64_t bytes = 0;
    SmpiTime time;
    if (!(lines >> algorithm >> bytes >> time.finish_s >> time.wall_s) ||
        algorithm != one.algorithm || bytes != one.bytes)
      throw UserError(
          fmt::format("SMPI gave no time for {} of {} bytes", one.algorithm, one.bytes));
    times.push_back(time);
  }
  return times;
}

std::string text_of_family(const std::string& fields) {
  return fmt::format("[family]\nbandwidth = \"10 GB/s\"\nlatency = \"1 us\"\n{}\n", fields);
}

/// Returns a torus near a square; for a prime number of ranks, a ring.
std::string torus_of(int ranks) {
  int rows = 1;
  for (int k = 2; k * k <= ranks; ++k)
    if (ranks % k == 0) rows = k;
  const std::string dimensions =
      rows == 1 ? fmt::to_string(ranks) : fmt::format("{}, {}", rows, ranks / rows);
  return text_of_family(fmt::format("name = \"torus\"\ndimensions = [{}]", dimensions));
}

/// Returns two switches with half of the ranks each, and one link between them.
std::string backbone_of(int ranks) {
  std::string nodes, links;
  for (int rank = 0; rank < ranks; ++rank) {
    nodes += fmt::format("[[node]]\nname = \"r{}\"\n", rank);
    links += fmt::format(
        "[[link]]\nbetween = [\"r{}\", \"{}\"]\nbandwidth = \"10 GB/s\"\nlatency = \"1 us\"\n",
        rank, rank < ranks / 2 ? "left" : "right");
  }
  for (const char* const one : {"left", "right"})
    nodes += fmt::format("[[node]]\nname = \"{}\"\nkind = \"switch\"\n", one);
  links +=
      "[[link]]\nbetween = [\"left\", \"right\"]\nbandwidth = \"20 GB/s\"\nlatency = \"2 us\"\n";
  return nodes + links;
}

}  // namespace

std::string what_smpi_lacks() {
  if (program_on_path("smpirun") && program_beside(kProgram)) return {};
  return fmt::format(
      "SimGrid's SMPI was not compared: {} is not here. Install the Debian package libsimgrid-dev "
      "and build "
      "again, or let `./dev bench` do both",
      program_on_path("smpirun") ? kProgram : "smpirun");
}

const std::vector<std::string>& smpi_settings() {
  static const std::vector<std::string> kSettings{
      "--cfg=network/model:CM02", "--cfg=network/optim:Full", "--cfg=network/TCP-gamma:0",
      "--cfg=network/weight-S:0", "--cfg=network/crosstraffic:0",
      "--cfg=network/bandwidth-factor:1", "--cfg=network/latency-factor:1",
      // MPI's own work takes no time, nor does what ranks compute.
      "--cfg=smpi/os:0:0:0", "--cfg=smpi/or:0:0:0", "--cfg=smpi/ois:0:0:0",
      "--cfg=smpi/bw-factor:1", "--cfg=smpi/lat-factor:1", "--cfg=smpi/init:0", "--cfg=smpi/test:0",
      "--cfg=smpi/iprobe:0", "--cfg=smpi/wtime:0", "--cfg=smpi/simulate-computation:no",
      // Every message is eager, as in our simulation.
      "--cfg=smpi/async-small-thresh:2000000000", "--cfg=smpi/send-is-detached-thresh:2000000000",
      "--log=root.thres:warning"};
  return kSettings;
}

std::vector<SmpiTime> run_smpi(const Topology& topology, int ranks,
                               const std::vector<SmpiCase>& cases, Deadline deadline) {
  if (const std::string missing = what_smpi_lacks(); !missing.empty()) throw UserError(missing);
  const ScratchFolder folder("smpi");
  const fs::path platform = folder.path() / "platform.xml", hosts = folder.path() / "hosts";
  const fs::path output = folder.path() / "output", errors = folder.path() / "errors";
  write_whole(platform.string(), to_simgrid(topology));
  std::string names;
  for (int rank = 0; rank < ranks; ++rank) names += fmt::format("rank-{}\n", rank);
  write_whole(hosts.string(), names);
  std::vector<std::string> words{
      *program_on_path("smpirun"), "-np",       std::to_string(ranks), "-platform",
      platform.string(),           "-hostfile", hosts.string(),        "-no-privatize"};
  words.insert(words.end(), smpi_settings().begin(), smpi_settings().end());
  words.push_back(*program_beside(kProgram));
  for (const SmpiCase& one : cases)
    words.push_back(fmt::format("{}:{}:{}", one.algorithm, one.bytes, one.repeats));
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  Subprocess process(
      {.words = words,
       .folder = folder.path().string(),
       .descriptors = {{.theirs = STDOUT_FILENO, .file = output.string(), .flags = kWrite},
                       {.theirs = STDERR_FILENO, .file = errors.string(), .flags = kWrite}}});
  const auto code = process.wait(deadline);
  if (!code) throw UserError("SMPI did not end in time");
  if (*code != 0)
    throw UserError(fmt::format("smpirun exited with code {}: {}", *code, read_or_nothing(errors)));
  return times_in(read_or_nothing(output), cases);
}

std::vector<SmpiPlatform> smpi_platforms(int ranks) {
  std::vector<SmpiPlatform> out;
  const auto add = [&](const char* name, const std::string& text) {
    out.push_back({name, parse_topology(text, name)});
  };
  add("uniform",
      fmt::format("[family]\nname = \"uniform\"\nranks = {}\n[model]\nalpha = \"1 us\"\nbeta = "
                  "\"10 GB/s\"\n",
                  ranks));
  add("star", text_of_family(fmt::format("name = \"star\"\nranks = {}", ranks)));
  add("ring", text_of_family(fmt::format("name = \"ring\"\nranks = {}", ranks)));
  add("torus", torus_of(ranks));
  add("backbone", backbone_of(ranks));
  return out;
}

std::vector<std::string> smpi_algorithms(int ranks) {
  std::vector<std::string> out{"allreduce.ring", "broadcast.binomial", "alltoall.pairwise"};
  if (is_power_of_two(ranks)) out.emplace_back("allreduce.bde");
  return out;
}

std::vector<SmpiDeviation> compare_with_smpi(int ranks, const std::vector<std::uint64_t>& sizes,
                                             Deadline deadline) {
  std::vector<SmpiCase> cases;
  for (const std::string& algorithm : smpi_algorithms(ranks))
    for (const std::uint64_t bytes : sizes) cases.push_back({algorithm, bytes});
  std::vector<SmpiDeviation> out;
  for (const auto& [name, topology] : smpi_platforms(ranks)) {
    const auto smpi = run_smpi(topology, ranks, cases, deadline);
    for (std::size_t i = 0; i < cases.size(); ++i)
      out.push_back({name, ranks, cases[i], smpi[i].finish_s,
                     simulate_as_smpi(topology, ranks, cases[i]).finish_s});
  }
  return out;
}

SimulatedTime simulate_as_smpi(const Topology& topology, int ranks, const SmpiCase& one) {
  JobSpec spec;
  spec.call.algorithm = one.algorithm;
  spec.world.size = ranks;
  spec.call.shape = {static_cast<Count>(one.bytes / sizeof(float))};
  spec.network.ghost = true;
  const Algorithm& algorithm = require_algorithm(one.algorithm);
  SimOptions options;
  options.model = topology.model;
  options.model.ports = PortModel::none;
  const auto network = make_network(topology, {.failures = {}, .sharing = Sharing::by_latency});
  if (topology.uniform_ranks == 0) options.network = network.get();
  const auto begin = Clock::now();
  SimWorld world(ranks, options);
  world.run(
      [&](Communicator& comm) {
        for (int i = 0; i < one.repeats; ++i) {
          const Args args = args_of(spec, comm.rank());
          run_algorithm(comm, algorithm, args);
        }
      },
      settings_of(spec, TraceLevel::off));
  SimulatedTime out;
  out.finish_s = world.finish_s();
  out.messages = world.messages();
  out.wall_s = std::chrono::duration<double>(Clock::now() - begin).count();
  return out;
}

}  // namespace rankscope
