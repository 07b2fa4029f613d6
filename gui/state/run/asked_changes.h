// The changes that a question asks for, and their effect on a job: parts that depend on each other, such as ranks and their network.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/run/job/job.h"

namespace rankscope::gui {

/// Amounts are negative, and factors 1, where nothing is said.
struct AskedChanges {
  /// How much slower something is of which nobody says how much.
  static constexpr double kSlower = 10;
  /// A larger number of ranks becomes this one, which every job refuses.
  static constexpr double kMostRanks = 1e9;

  int world_before = 0;
  bool has_ranks = false;  ///< The job has their number already.
  double ranks_factor = 1;
  double add_ranks = 0;
  std::string root;        ///< A number, "first" or "last".
  bool says_data = false;  ///< The job has them already.
  double bytes = -1, data_factor = 1;
  double speed = 1, bandwidth_factor = 1, latency_factor = 1, bandwidth = -1, latency = -1;
  bool simulated = false;
  std::string topology;     ///< Empty: none is named.
  bool makes_size = false;  ///< The topology is made for all ranks, if it comes in sizes.
  bool is_line = false;     ///< The ring that is named lacks the link that closes it.
  bool changes_link = false;
  std::pair<std::string, std::string> link;  ///< Its ends; empty: any one.
  std::string link_is;                       ///< "cut", or empty for another speed.
  bool changes_order = false, reverses_order = false;
  bool joins_neighbours = false;   ///< Each rank has its place beside the one before.
  std::vector<std::string> order;  ///< The place of each rank, where it is said.
  bool continues_order = false;    ///< "0 1 2 ...": the other ranks follow side by side.
  std::optional<bool> left;
  bool other_direction = false;
  std::vector<std::string> slow;  ///< Ranks.
  bool replaces = false;  ///< "instead": earlier changes of a link, and slow ranks, do not stay.
  bool any_slow = false;  ///< A slow rank without a number.
  double slower = kSlower, slow_by = 0;  ///< Times, and seconds before each message.

  bool changes_network() const noexcept { return changes_link || changes_order; }
  bool changes_speed() const noexcept {
    return speed != 1 || bandwidth_factor != 1 || latency_factor != 1 || bandwidth > 0 ||
           latency >= 0;
  }
  bool of_network() const noexcept { return changes_network() || changes_speed(); }
};

/// Takes the delays of these ranks off; of all slow ranks if none is named.
void make_ranks_fast(JobSpec& job, const std::vector<std::string>& named);
/// Takes the change of a link back. Throws UserError if the job does not change it.
void mend_link(JobSpec& job, const std::pair<std::string, std::string>& link);
/// Throws UserError for what does not fit the job.
void apply(AskedChanges asked, JobSpec& job);

}  // namespace rankscope::gui
