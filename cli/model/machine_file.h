// The file of fitted costs: an entry for each machine, transport and number of ranks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/model/costs/machine_costs.h"

namespace rankscope::cli {

struct FittedMachine {
  std::string host;  ///< Its name in the network.
  int processors = 1;
  std::string transport;
  int ranks = 2;
  MachineCosts costs;
  bool operator==(const FittedMachine&) const = default;
};

std::string to_json(const std::vector<FittedMachine>& machines);
/// Throws UserError for a text of any other kind.
std::vector<FittedMachine> machines_from_json(std::string_view text);

/// Returns nothing for a missing file. Throws UserError.
std::vector<FittedMachine> read_machine_file(const std::string& file);
/// Replaces the entries with the same host, transport and ranks, and keeps all others. Throws UserError.
void add_to_machine_file(const std::string& file, const std::vector<FittedMachine>& machines);

/// Returns the file that `rankscope calibrate` writes: machines.json in the user's configuration; "" without a home.
std::string machine_file();
/// Return this machine's name, and the number of processors that ranks may use.
std::string host_name();
int usable_processors() noexcept;

}  // namespace rankscope::cli
