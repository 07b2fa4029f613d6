// Chooses how many steps of a run stand on one slide.
#include "lessons/slides/slide_pictures.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/diagrams/grid/buffer_grid.h"
#include "lessons/lesson/picture.h"

namespace rankscope {
namespace {

constexpr double kReadLetters =
    14;  // in the last row of a lecture hall: no more slides for larger ones
constexpr double kWorthMore = 1.15;  // so much larger are they where there are more slides
constexpr int kMostTogether = 4;     // moments on a slide
constexpr int kMostSlides = 8;       // of one run

using Moments = std::pair<int, int>;  // after how many rounds: the first and the last

/// Parts of all moments from 0 to `last`, at most `together` in each, and about equally many; the first ones have most.
std::vector<Moments> parts_of(int last, int together) {
  const int all = last + 1, count = (all + together - 1) / together;
  const auto begin = [&](int part) { return (part * all + count - 1) / count; };
  std::vector<Moments> out;
  for (int i = 0; i < count; ++i) out.emplace_back(begin(i), begin(i + 1) - 1);
  return out;
}

/// Single ones with equal steps between them, the first and the last among them.
std::vector<Moments> chosen_of(int last) {
  std::vector<Moments> out;
  for (int i = 0; i < kMostSlides; ++i) {
    const int at = i * last / (kMostSlides - 1);
    if (out.empty() || out.back().first != at) out.emplace_back(at, at);
  }
  return out;
}

using Draw = std::function<Scene(double, double)>;

/// Few at first: all on one slide, then parts of 4 to 1 moments.
std::vector<std::vector<Moments>> divisions_of(int last) {
  std::vector<std::vector<Moments>> out{{{0, last}}};
  for (int together = std::min(kMostTogether, last); together > 0; --together) {
    auto parts = parts_of(last, together);
    if (parts.size() <= kMostSlides) out.push_back(std::move(parts));
  }
  if (last >= kMostSlides) out.push_back(chosen_of(last));
  return out;
}

}  // namespace

bool put_picture(SlideFrame& frame, const SlidePlace& place, const TraceAnalysis& analysis,
                 std::string_view picture) {
  const Draw whole = [&](double width, double height) {
    return picture_of(analysis, picture, width, height);
  };
  if (!has_moments(picture))
    return frame.picture(place.title, place.lead, place.caption, whole) > 0;
  const auto put = [&](const std::vector<Moments>& parts, std::size_t i) {
    if (parts.size() == 1) return frame.picture(place.title, place.lead, place.caption, whole);
    const std::string caption =
        fmt::format("{} ({}\u00A0of\u00A0{})", place.caption, i + 1, parts.size());
    return frame.picture(place.title, place.lead, caption, [&](double width, double height) {
      return moments_of(analysis, picture, parts[i].first, parts[i].second, width, height);
    });
  };
  const int last = last_moment(analysis);
  if (place.at > 0 && place.at < last)
    return frame.picture(place.title, place.lead, place.caption, [&](double width, double height) {
      return moments_of(analysis, picture, place.at, place.at, width, height);
    }) > 0;
  const auto divisions = divisions_of(last);
  const std::vector<Moments>* chosen = nullptr;
  double best = 0;
  for (const auto& parts : divisions) {
    const double letters = put(parts, 0);
    if (letters > 0) frame.drop(1);
    if (letters > kWorthMore * best) chosen = &parts, best = letters;
    if (best >= kReadLetters) break;
  }
  for (std::size_t i = 0; chosen != nullptr && i < chosen->size(); ++i) {
    if (put(*chosen, i) > 0) continue;
    frame.drop(i);
    return chosen->size() > 1 && put(divisions.front(), 0) > 0;
  }
  return chosen != nullptr;
}

}  // namespace rankscope
