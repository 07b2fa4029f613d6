// Topology, latency, bandwidth, ports, chance and failures: names, help and ranges.
#include "engine/run/job/network_fields.h"

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/rate_text.h"
#include "engine/run/job/sim_job.h"

namespace rankscope {
namespace {

using NetworkUnit = JobField::Unit;
constexpr auto kNetworkSection = JobField::Section::network;

// The numbers of a uniform network are not those of another one, whose file says them.
void check_topology_of(const JobSpec& spec) {
  const JobSpec usual;
  if (!spec.topology.empty() &&
      (spec.alpha_s != usual.alpha_s || spec.bandwidth != usual.bandwidth))
    throw UserError(
        "latency and bandwidth are of the uniform network: with a topology, its file says them "
        "(links, [model])");
}

void check_simulated(const JobSpec& spec) {
  const JobSpec usual;
  const bool asked = !spec.topology.empty() || !spec.links.empty() || !spec.placement.empty() ||
                     spec.alpha_s != usual.alpha_s || spec.bandwidth != usual.bandwidth ||
                     spec.gamma_s != usual.gamma_s || spec.ports != usual.ports || spec.ghost ||
                     spec.jitter != 0 || !spec.slow_ranks.empty() || !spec.failures.empty();
  if (asked && !spec.is_simulated())
    throw UserError(
        fmt::format("topology, latency, bandwidth and the like are of a simulated network: choose "
                    "the transport {}",
                    transport_names(" or ", &Transport::virtual_time)));
  if (spec.is_simulated()) sim_setting_of(spec);
}

void add_topology(std::vector<JobField>& rows) {
  rows.push_back({.key = "topology",
                  .lesson = "topology",
                  .word = "topology",
                  .option = "--topology",
                  .section = kNetworkSection,
                  .placeholder = "TOPOLOGY|FILE",
                  .help = "Who is linked to whom; without it, each pair of ranks has a link of its "
                          "own",
                  .check = check_topology_of});
  rows.push_back({.key = "links",
                  .lesson = "links",
                  .word = "links",
                  .option = "--links",
                  .section = kNetworkSection,
                  .placeholder = "A:B=SIZE/s,...",
                  .help = "Changed links of the topology: 0:1=50GB/s between ranks 0 and 1 (added "
                          "where there is none), 0:1=cut, socket0:socket1=5GB/s"});
  rows.push_back({.key = "placement",
                  .lesson = "placement",
                  .word = "placement",
                  .option = "--placement",
                  .section = kNetworkSection,
                  .placeholder = "PLACE,...",
                  .help =
                      "By rank, its place in the topology: with 0,1,4,5,2,3,6,7 rank 2 is where "
                      "the topology has rank 4"});
}

void add_uniform(std::vector<JobField>& rows) {
  rows.push_back({.key = "alpha_s",
                  .lesson = "alpha",
                  .word = "alpha",
                  .option = "--alpha",
                  .section = kNetworkSection,
                  .placeholder = "TIME",
                  .help = "Latency of a message (850ns, 5us)",
                  .unit = NetworkUnit::short_time});
  rows.push_back({.key = "bandwidth",
                  .lesson = "bandwidth",
                  .word = "bandwidth",
                  .option = "--bandwidth",
                  .section = kNetworkSection,
                  .placeholder = "SIZE/s",
                  .help = "Of each link: 10GB/s, or 400Gb/s in bits; beta is 1/bandwidth",
                  .unit = NetworkUnit::bandwidth});
  rows.push_back({.key = "gamma_s",
                  .lesson = "gamma",
                  .word = "gamma",
                  .option = "--gamma",
                  .section = kNetworkSection,
                  .placeholder = "TIME",
                  .help = "Of reducing a byte (0.05ns)",
                  .unit = NetworkUnit::short_time});
  rows.push_back({.key = "ports",
                  .lesson = "ports",
                  .word = "ports",
                  .option = "--ports",
                  .section = kNetworkSection,
                  .placeholder = "full|half|none",
                  .help = "A rank carries one message out and one in, one in all, or any number",
                  .choices = [] {
                    return std::vector<std::string>{"full", "half", "none"};
                  }});
}

void add_simulation(std::vector<JobField>& rows) {
  rows.push_back({.key = "ghost",
                  .lesson = "ghost",
                  .word = "ghost",
                  .option = "--ghost",
                  .section = kNetworkSection,
                  .help = "Sizes only: no data is allocated, moved or checked",
                  .check = check_simulated});
  rows.push_back({.key = "jitter",
                  .lesson = "jitter",
                  .word = "jitter",
                  .option = "--jitter",
                  .section = kNetworkSection,
                  .placeholder = "PART",
                  .help = "Messages and computations take up to this part longer, by chance of the "
                          "seed (0.1: 10 %)",
                  .unit = NetworkUnit::number});
  rows.push_back({.key = "slow_ranks",
                  .lesson = "slow",
                  .word = "slow",
                  .option = "--slow",
                  .section = kNetworkSection,
                  .placeholder = "RANK=TIMES,...",
                  .help = "2=10: rank 2 computes and reduces ten times as long"});
  rows.push_back(
      {.key = "failures",
       .lesson = "fail",
       .word = "fail",
       .option = "--fail",
       .section = kNetworkSection,
       .placeholder = "WHAT@TIME,...",
       .help = "rank2@5ms: rank 2 breaks then; link3@1ms: so does link 3 of the topology"});
}

}  // namespace

void add_network_fields(std::vector<JobField>& rows) {
  add_topology(rows);
  add_uniform(rows);
  add_simulation(rows);
}

std::string network_text(const JobSpec& spec) {
  if (!spec.is_simulated()) return {};
  if (spec.topology.empty())
    return fmt::format("simulated, {} and {}", microseconds_text(spec.alpha_s * 1e6),
                       bandwidth_text(spec.bandwidth));
  const std::string name = spec.topology.substr(spec.topology.rfind('/') + 1);
  return fmt::format("simulated on {}{}{}", name, spec.links.empty() ? "" : ", ", spec.links);
}

void forget_network(JobSpec& spec) {
  JobSpec usual;
  for (const JobField& field : job_fields())
    if (field.section == kNetworkSection)
      with_value(spec, field.place, [&]<class T>(T& value) {
        value = std::get<T& (*)(JobSpec&)>(field.place)(usual);
      });
}

}  // namespace rankscope
