// Checks the view and the round at which a lesson shows a run.
#include "lessons/lesson/run_place.h"

#include <charconv>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/catalogue.h"
#include "lessons/text/list_text.h"

namespace rankscope {

std::optional<double> start_round(std::string_view at) noexcept {
  if (at.empty()) return 0;
  if (at == "end") return std::numeric_limits<double>::infinity();
  constexpr std::string_view kRound = "round ";
  if (!at.starts_with(kRound)) return std::nullopt;
  at.remove_prefix(kRound.size());
  int round = 0;
  const auto [end, error] = std::from_chars(at.data(), at.data() + at.size(), round);
  if (error != std::errc{} || end != at.data() + at.size() || round < 0) return std::nullopt;
  return round;
}

std::string view_problem(std::string_view view) {
  std::vector<std::string> known;
  for (const DiagramKind& kind : diagrams()) {
    if (kind.figure == nullptr || kind.view.empty()) continue;
    known.emplace_back(kind.view);
    for (const std::string_view alias : words_in(kind.aliases)) known.emplace_back(alias);
  }
  known.emplace_back("code");
  if (view.empty() || ranges::find(known, view) != known.end()) return {};
  return fmt::format(
      "there is no view '{}'{}", view,
      nearest_hint(view, known, fmt::format("there are {}", fmt::join(known, ", "))));
}

}  // namespace rankscope
