// The model of a time-vs-rank diagram, without geometry: shared by the diagram and its
// overview.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/account/messages.h"
#include "engine/diagrams/spacetime/spacetime.h"

namespace rankscope {

/// Times are on the scene's clock: rounds, or microseconds.
struct SpacetimeModel {
  struct Arrow {
    int from = 0, to = 0;  ///< Lanes.
    double begin = 0, end = 0;
    double shown_begin = 0, shown_end = 0;  ///< The drawn times: within its round, fanned out.
    int round = 0;
    Piece piece;
    std::uint64_t bytes = 0;
    bool reduced = false;  ///< Combined with what the receiver had.
    bool received = true;
    bool waits = false;  ///< Its sender is blocked in the send: on offer, and no fault.
    bool critical = false;
    bool under_way = false;   ///< The run goes on, and nobody has received it yet.
    bool offered = false;     ///< Its sender is held before sending it.
    bool hidden = false;      ///< Planned: it keeps its place.
    std::size_t message = 0;  ///< Index in Rounds::messages.
    /// "2→0" of an all-to-all that sends each chunk straight to its rank; it says more than a chunk.
    std::string route;
    std::string id, story;
  };
  struct Span {  ///< An activity of a rank.
    int lane = 0;
    double begin = 0, end = 0;
    Tone tone = Tone::blocked;
    std::string story;
    int index = 0;         ///< Index of the tone.
    bool beside = false;   ///< On another strand, while the main one computes: in a row of its own.
    bool forever = false;  ///< The activity never ended: the rank is blocked, or was lost.
    bool hidden = false;   ///< Planned: it keeps its place.
    std::string label = {};  ///< The text in it, if there is room: "blocked in send".
  };
  struct Phase {
    std::string name;
    double begin = 0, end = 0;
    int row = 0;
  };

  std::vector<Rank> lanes;
  std::vector<Arrow> arrows;
  std::vector<Span> spans;
  std::vector<Phase> phases;
  int phase_rows = 0;
  double end = 1;
  double run_end = 1;  ///< End of the run itself; the axis may go on beyond it.
  int first_round = 1, last_round = 0;
  int most_in_a_cell = 1;  ///< Arrows that leave or enter one lane in one round.
  std::uint64_t under_way = 0;
  bool lost = false;          ///< A rank was lost: messages that nobody received were on their way.
  std::uint64_t waiting = 0;  ///< Messages of ranks that are blocked in their sends.
  std::uint64_t unreceived = 0, total_bytes = 0;
  std::string unreceived_words = "never received";
  std::uint64_t busiest_bytes = 0;
  std::string outcome;  ///< See run_outcome().
};

/// A rank's own work: its colour, and in words.
Tone work_tone(Verb verb) noexcept;
std::string work_story(Rank rank, Verb verb, double microseconds);

struct StuckRanks;
/// Adds a span to the end of the picture for each rank that is blocked for ever or lost, and moves that end to a later
/// time. `final_us` is the time of the last event. Returns false if there is no such rank.
bool add_stuck_spans(const Trace& trace, const StuckRanks& stuck, bool rounds, double final_us,
                     SpacetimeModel& model);

SpacetimeModel spacetime_model(const TraceAnalysis& analysis, const SpacetimeOptions& options);
/// Returns the model of a run that grows, with everything at its place in options.plan.
SpacetimeModel planned_model(const TraceAnalysis& analysis, const SpacetimeOptions& options);

/// Goes back from the last arrival to what its sender had received last before it sent, and so on. Indices of messages,
/// the last one first; internal messages are left out.
std::vector<std::size_t> critical_path(const std::vector<MessageRecord>& messages);

}  // namespace rankscope
