// All diagrams in one table: whatever offers, draws or names them asks it.
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
  int round = -1;                ///< -1: not said.
  double width = 0, height = 0;  ///< 0: as large as the content needs.
  double text_scale = 1;
  const TraceAnalysis* other = nullptr;  ///< The second one of a comparison.
  bool heading = true;                   ///< False: below a text or a diagram that says what it is.
};

/// A row of the table. Lists of words have a space between two.
struct DiagramKind {
  /// How it moves: not at all, on its scene's clock, as one scene a round (draw_rounds), or as scenes at any moment
  /// in a round, too (draw_between).
  enum class Motion : std::uint8_t { none, clock, rounds, between };
  using Draw = Scene(const TraceAnalysis&, const DiagramRequest&);

  std::string_view name;
  std::string_view summary;
  std::string_view
      options;  ///< The options that it takes, as the command calls them: "title ranks".
  Motion motion = Motion::none;
  Draw* draw = nullptr;
  /// The moments after rounds `first` to `last`, all of one size, of a request with a `round`. Of
  /// Motion::rounds only.
  std::vector<Scene> (*draw_rounds)(const TraceAnalysis&, const DiagramRequest&, int first,
                                    int last) = nullptr;
  /// The same with `between` scenes from each moment to the next, that of the moment included.
  std::vector<Scene> (*draw_between)(const TraceAnalysis&, const DiagramRequest&, int first,
                                     int last, int between) = nullptr;
  /// As a lesson's figure: on paper with a heading, in the application without one and `width` wide.
  /// Null: no figure may be it.
  Draw* figure = nullptr;
  std::string_view view = {};     ///< The application's view that shows it; empty if none does.
  std::string_view follows = {};  ///< Those of `options` that the view shows as well.
  std::string_view aliases = {};  ///< Views, of the application and of lessons, that mean it, too.

  bool takes(std::string_view option) const noexcept;
  /// Its view in the application shows what this option asks for.
  bool shows(std::string_view option) const noexcept;
};

std::span<const DiagramKind> diagrams();
/// By its name, an alias or its view; null if there is none.
const DiagramKind* find_diagram(std::string_view name) noexcept;
/// The words of a list, as DiagramKind has them.
std::vector<std::string_view> words_in(std::string_view list);

/// A request as spacetime() takes it.
SpacetimeOptions spacetime_options(const DiagramRequest& request);

}  // namespace rankscope
