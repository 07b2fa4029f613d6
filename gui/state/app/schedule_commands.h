// Commands about the schedule in the view Schedule.
#pragma once

#include <atomic>
#include <future>
#include <string>

#include "gui/state/app/command_group.h"
#include "gui/state/network/simulated_again.h"

namespace rankscope::gui {

class ScheduleCommands : public CommandGroup {
 public:
  explicit ScheduleCommands(App& app) : CommandGroup(app) {}
  ~ScheduleCommands() { stop_ = true; }
  void update(double seconds, bool& news);
  bool busy() const { return timing_.valid() || simulated_.running(); }
  /// Returns whether it is a temporary trace of this group.
  bool has_made(const std::string& file) const { return simulated_.has_made(file); }

  void schedule(const Arguments& words);
  void save(const Arguments& words);

 private:
  void start(const Arguments& words);
  void open(const Arguments& words);
  void of_run(const Arguments& words);
  void close(const Arguments& words);
  void add(const Arguments& words);
  void remove(const Arguments& words);
  void step(const Arguments& words);
  void kind(const Arguments& words);
  void select(const Arguments& words);
  void mode(const Arguments& words);
  void ranks(const Arguments& words);
  void chunks(const Arguments& words);
  void collective(const Arguments& words);
  void clear(const Arguments& words);
  void undo(const Arguments& words);
  void redo(const Arguments& words);
  void cursor(const Arguments& words);
  void pick(const Arguments& words);
  void drop(const Arguments& words);
  void network(const Arguments& words);
  void bytes(const Arguments& words);
  void run(const Arguments& words);

  /// Throws UserError where none is drawn.
  ScheduleEditor& editor();
  void show(DrawnSchedule drawn, const std::string& file);
  void refuse_to_lose() const;
  void changed();
  /// The move that words name by step, sender, receiver and chunk; without words the selected one.
  int move_of(const Arguments& words);
  /// Throws UserError if no move is selected.
  int selected_move();
  void select_move(int move);
  void time_again();
  void take_times(bool& news);
  void take_simulated(bool& news);

  std::atomic<bool> stop_ = false;
  std::future<ScheduleTimes> timing_;
  SimulatedJob simulated_{"schedule", "schedule"};
};

}  // namespace rankscope::gui
