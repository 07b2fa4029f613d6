// Puts a narration's sentences into flipbooks and descriptions.
#include "engine/diagrams/export/narrated.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/analysis/narration/narration.h"
#include "engine/diagrams/scene/compose.h"
#include "engine/diagrams/scene/drawing.h"

namespace rankscope {
namespace {

constexpr int kMostDescribed = 32;  // steps
constexpr double kEdge = 14, kLine = 20;

}  // namespace

void narrate(Flipbook& book, const TraceAnalysis& analysis, int first_step) {
  if (analysis.large()) return;
  const Narration narration(analysis);
  for (std::size_t i = 0; i < book.moments.size(); ++i) {
    const int step = first_step - 1 + static_cast<int>(i);
    if (i == 0 && step > 0) continue;  // "before step 3"
    if (step > narration.steps()) return;
    std::string& caption = book.moments[i].caption;
    caption = narration.sentence(step);
    if (step > 0 && step == narration.steps() && narration.went_wrong())
      caption += " " + narration.sentence(step + 1);
  }
}

void show_captions(Flipbook& book) {
  double width = 0;
  for (const auto& panel : book.panels) width = std::max(width, panel.scenes.front().width);
  const Ruler& ruler = system_ruler();
  std::vector<std::vector<std::string>> texts;
  std::size_t most = 1;
  for (const auto& moment : book.moments) {
    texts.push_back(wrapped(moment.caption, kBody, width - 2 * kEdge, ruler));
    most = std::max(most, texts.back().size());
  }
  book.captions.clear();
  for (const auto& lines : texts) {
    Scene& scene = book.captions.emplace_back();
    scene.width = width;
    scene.height = kLine * static_cast<double>(most) + kEdge;
    Drawing pen(scene, ruler);
    double y = 0;
    for (const std::string& line : lines) pen.text(line, {kEdge, y += kLine}, kBody);
  }
}

std::string described(const std::string& description, const TraceAnalysis& analysis, int step) {
  if (analysis.large() || analysis.trace().size() == 0) return description;
  const Narration narration(analysis);
  std::string text = description;
  const auto add = [&](int number) {
    if (!text.empty()) text += '\n';
    if (number > 0 && number <= narration.steps()) text += fmt::format("Step {}. ", number);
    text += narration.sentence(number);
  };
  if (step >= 0) {
    add(step);
    return text;
  }
  const bool all = narration.steps() <= kMostDescribed;
  for (int number = 0; number <= narration.steps() + 1; ++number)
    if (all || number == 0 || number > narration.steps()) add(number);
  return text;
}

}  // namespace rankscope
