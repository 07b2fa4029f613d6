// Commands about the network: the run's, and an edited one.
#pragma once

#include <future>
#include <string>

#include "gui/state/app/command_group.h"
#include "gui/state/network/simulated_again.h"

namespace rankscope::gui {

class NetworkCommands : public CommandGroup {
 public:
  explicit NetworkCommands(App& app) : CommandGroup(app) {}
  void update(double seconds, bool& news);
  /// Returns whether a run's traffic is being computed, or a job simulated.
  bool busy() const { return reading_.valid() || simulated_.running(); }
  /// Returns whether it is a temporary trace of this group.
  bool has_made(const std::string& file) const { return simulated_.has_made(file); }

  /// Returns the job on its network with the changes that stand in the view Network; the job itself if there are none. Throws
  /// UserError where they part ranks from each other.
  JobSpec as_it_stands(JobSpec job);

  void network(const Arguments& words);
  void save(const Arguments& words);

 private:
  void open(const Arguments& words);
  void close(const Arguments& words);
  void link(const Arguments& words);
  void cut(const Arguments& words);
  void move(const Arguments& words);
  void undo(const Arguments& words);
  void redo(const Arguments& words);
  void run(const Arguments& words);
  void stop(const Arguments& words);
  void select(const Arguments& words);
  void mode(const Arguments& words);
  void loads(const Arguments& words);

  const Topology& shown() const;
  TopologyEditor& draft();
  /// Returns the link that the words from `at` on name: two nodes, and nth=2 for the second one between them.
  int link_of(const Arguments& words, std::size_t at) const;
  std::string written_draft();
  void changed();
  void follow_run();
  void take_traffic(bool& news);
  void take_simulated(bool& news);

  std::future<NetworkTraffic> reading_;
  std::uint64_t read_ = 0;  ///< The document whose traffic is known or being read.
  SimulatedJob simulated_{"network", "run"};
  DocumentPtr kept_;  ///< The run that was put beside the new one.
};

}  // namespace rankscope::gui
