// The table of all diagrams, for code that offers, draws or names them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/scene/scene.h"
#include "engine/diagrams/spacetime/spacetime.h"

namespace rankscope {

/// Options of all diagrams; each takes those that apply to it (DiagramKind::options).
struct DiagramRequest {
  std::string title;
  std::vector<Rank> ranks;            ///< Empty: all.
  int first_step = 1, last_step = 0;  ///< 0: the last one.
  SpacetimeOptions::Labels labels = SpacetimeOptions::Labels::chunks;
  bool measured = false;  ///< Time as measured, not in rounds.
  bool portrait = false;
  bool critical_path = false;
  bool values = false;           ///< Elements, not whose data a chunk holds.
  int round = -1;                ///< -1: unset.
  double width = 0, height = 0;  ///< 0: as large as the content needs.
  double text_scale = 1;
  const TraceAnalysis* other = nullptr;  ///< The second one of a comparison.
  bool heading = true;                   ///< False below a text or diagram that says what it is.
};

/// A row of the table. Words in lists are separated by spaces.
struct DiagramKind {
  /// How it moves: not at all, on its scene's clock, as one scene per round (draw_rounds), or also with scenes within
  /// rounds (draw_between).
  enum class Motion : std::uint8_t { none, clock, rounds, between };
  using Draw = Scene(const TraceAnalysis&, const DiagramRequest&);

  std::string_view name;
  std::string_view summary;
  std::string_view
      options;  ///< The options that it takes, as the command calls them: "title ranks".
  Motion motion = Motion::none;
  Draw* draw = nullptr;
  /// Draws the moments after rounds `first` to `last` of a request with a `round`, all of one size. Only for
  /// Motion::rounds.
  std::vector<Scene> (*draw_rounds)(const TraceAnalysis&, const DiagramRequest&, int first,
                                    int last) = nullptr;
  /// The same for Motion::between, with `between` scenes per moment: its own, and those on the way to the next.
  std::vector<Scene> (*draw_between)(const TraceAnalysis&, const DiagramRequest&, int first,
                                     int last, int between) = nullptr;
  /// Draws it as a lesson's figure: on paper with a heading, in the application without one and `width` wide. Null if
  /// it cannot be a figure.
  Draw* figure = nullptr;
  std::string_view view = {};     ///< The application's view that shows it; empty if none does.
  std::string_view follows = {};  ///< Those of `options` that the view supports, too.
  std::string_view aliases = {};  ///< Other views, of the application and of lessons, that mean it.

  bool takes(std::string_view option) const noexcept;
  /// Returns whether its view shows what this option asks for.
  bool shows(std::string_view option) const noexcept;
};

std::span<const DiagramKind> diagrams();
/// Finds a diagram by its name, an alias or its view; null if there is none.
const DiagramKind* find_diagram(std::string_view name) noexcept;
std::vector<std::string_view> words_in(std::string_view list);

/// Returns a request as spacetime() takes it.
SpacetimeOptions spacetime_options(const DiagramRequest& request);

}  // namespace rankscope
