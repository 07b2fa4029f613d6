// A trace with the facts that all views need.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/trace_analysis.h"
#include "gui/state/command/words.h"
#include "gui/state/run/code_places.h"

namespace rankscope {
struct PlanMatch;
class StreamedTrace;
}  // namespace rankscope

namespace rankscope::gui {

/// A phase's place on a clock, for marks of the scrubber.
struct PhaseBand {
  std::string name;
  double begin = 0, end = 0;
};

/// A trace, indexed for views. Immutable: a longer snapshot of a live run is another document. All times are on one of the two
/// clocks; a "moment" is such a time.
class Document {
 public:
  /// Runs with more events are shown merged, and not analysed message by message.
  static constexpr std::uint64_t kManyEvents = TraceAnalysis::kManyEvents;

  /// Takes long for millions of events: call it from a thread of its own. `plan`: an earlier, complete run of the same job; null if
  /// there is none.
  static std::shared_ptr<const Document> make(Trace trace, std::string path,
                                              const TraceAnalysis* plan = nullptr);

  /// Makes a document of the events around a moment of a run too large for memory. Takes some tens of milliseconds.
  static std::shared_ptr<const Document> make_part(std::shared_ptr<const StreamedTrace> run,
                                                   double moment_us, std::string path);
  /// The most events of such a run in memory: few enough to be read while the cursor is dragged.
  static constexpr std::uint64_t kPartEvents = 200'000;
  /// Returns the run that this is a part of, or null if it is complete.
  const std::shared_ptr<const StreamedTrace>& run() const noexcept { return run_; }
  /// Returns the part's (or whole run's) measured time.
  PhaseBand part() const;
  /// Returns whether it is complete, or has events well before and after this moment.
  bool has_around(double moment_us) const noexcept;
  /// Returns a number that all parts of a run share; id() of a complete document.
  std::uint64_t run_id() const noexcept { return run_id_; }

  const TraceAnalysis& analysis() const noexcept { return analysis_; }
  const Trace& trace() const noexcept { return trace_; }
  /// Returns the file, or empty if it is not saved.
  const std::string& path() const noexcept { return path_; }
  /// Returns a number that no other document has, as a key for what is made from it.
  std::uint64_t id() const noexcept { return id_; }
  bool empty() const noexcept { return trace_.size() == 0; }
  /// Returns whether it is too large to be analysed message by message.
  bool large() const noexcept { return analysis_.large() || trace_.part() != nullptr; }
  int world_size() const noexcept { return trace_.world_size(); }
  /// Returns the number of chunks: one per rank, but no more than there are elements.
  int chunks() const noexcept;
  /// "allreduce.ring · 4 ranks · 16 × float32 · ipc"
  const std::string& headline() const noexcept { return headline_; }
  /// Returns whether its times are virtual.
  bool simulated() const noexcept { return simulated_; }
  /// Returns the trace's run_outcome().
  const std::string& outcome() const noexcept { return outcome_; }

  /// Empty for a large document.
  const Rounds& rounds() const noexcept { return rounds_; }
  const RoundCuts& cuts() const noexcept { return cuts_; }
  const Statistics& statistics() const { return analysis_.statistics(); }
  /// Returns what is wrong with the run; large documents have findings, too.
  const std::vector<Finding>& findings() const { return analysis_.findings(); }
  /// Returns the ranks' lines in one of the trace's sources; see main_source().
  const CodePlaces& code(std::size_t source) const noexcept { return code_.at(source); }
  const CodePlaces& code() const noexcept { return code_.at(main_source_); }
  /// Returns the source that is shown by default: the program's own file.
  std::size_t main_source() const noexcept { return main_source_; }
  /// The innermost line in the sources from which an event was called.
  struct SourceLine {
    std::size_t source = 0;
    unsigned line = 0;
  };
  std::optional<SourceLine> source_line(std::uint64_t event) const;
  /// Returns that line as text: "student.py:12", or empty.
  std::string line_name(std::uint64_t event) const;

  double end(ClockBase clock) const noexcept;
  /// Returns the end of the axis of a run that may grow; never less than end().
  double axis_end(ClockBase clock) const noexcept;
  /// Returns the plan; null if there is none, or the run deviates from it.
  const std::shared_ptr<const PlanMatch>& plan() const noexcept { return plan_; }
  double leaves(ClockBase clock, std::size_t message) const noexcept;
  double arrives(ClockBase clock, std::size_t message) const noexcept;
  /// Returns the moments at which playback may rest, ascending, from 0 to end().
  const std::vector<double>& stops(ClockBase clock) const noexcept;
  std::vector<double> stops_of(ClockBase clock, Rank rank) const;
  const std::vector<PhaseBand>& phases(ClockBase clock) const noexcept;
  /// Returns how many rounds are over at a moment: all their messages and those of the rounds before have arrived.
  int rounds_done(ClockBase clock, double moment) const noexcept;
  /// Returns when this round and those before it are over, in measured time; 0 for the start.
  double end_of_round(int round) const noexcept {
    return round < 1 ? 0 : round_ends_[static_cast<std::size_t>(round) - 1];
  }
  /// Returns the position of each rank at a moment: events [0, cursor) of the trace have happened for it.
  std::vector<Cursor> cursors(ClockBase clock, double moment) const;
  /// Returns the number of the trace's events that have happened.
  Cursor cursor(ClockBase clock, double moment) const noexcept;
  /// Returns the moment at which an event of the trace has happened.
  double moment_of(ClockBase clock, std::uint64_t event) const noexcept;

 private:
  Document(Trace trace, std::string path, const TraceAnalysis* plan,
           std::shared_ptr<const StreamedTrace> run = nullptr);
  void find_stops();
  void find_phases();
  void find_ends_of_rounds();
  void find_code();

  const TraceAnalysis analysis_;
  const Trace& trace_;
  const TraceAnalysis by_message_;  ///< Empty for a large document.
  const Rounds& rounds_;
  const RoundCuts& cuts_;
  std::shared_ptr<const PlanMatch> plan_;
  std::string path_, headline_, outcome_;
  bool simulated_ = false;
  std::uint64_t id_;
  std::shared_ptr<const StreamedTrace> run_;
  std::uint64_t run_id_;
  std::vector<CodePlaces> code_{1};  ///< By source; a single empty one without sources.
  std::size_t main_source_ = 0;
  std::vector<double> round_stops_, time_stops_;
  std::vector<PhaseBand> round_phases_, time_phases_;
  std::vector<double> round_ends_;  ///< Microseconds; ascending: the ends of rounds 1, 2 ...
  double duration_us_ = 0;
};

/// Returns whether both are the same job, not simulated, with as many rounds and messages: their times differ by chance.
bool is_repetition(const Document& one, const Document& other);

using DocumentPtr = std::shared_ptr<const Document>;

/// The step at a moment, which is the same in all views.
struct ShownStep {
  int done = 0;   ///< Rounds that are over: the state that buffers, matrix and statistics show.
  int going = 0;  ///< The current or last round; 0 before the first.
  /// The moment in rounds, linear between their ends; `count` + 1 after a measured end or in a deadlock.
  double at = 0;
  int count = 0;  ///< Rounds of the run.
};

ShownStep shown_step(const Document& document, ClockBase clock, double moment);

}  // namespace rankscope::gui
