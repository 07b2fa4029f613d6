// Chooses how many steps of a run stand on one slide.
#include "lessons/slides/slide_pictures.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lessons/lesson/picture.h"

namespace rankscope {
namespace {

constexpr double kReadLetters =
    14;  // in the last row of a lecture hall; smaller ones only where nothing else helps
constexpr int kMostTogether = 4;  // moments on a slide
constexpr int kMostSlides = 8;    // of one run

using Moments = std::pair<int, int>;  // after how many rounds: the first and the last

/// Parts of all moments from 0 to `last`, `together` in each.
std::vector<Moments> parts_of(int last, int together) {
  std::vector<Moments> out;
  for (int from = 0; from <= last; from += together)
    out.emplace_back(from, std::min(from + together - 1, last));
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

bool put_moments(SlideFrame& frame, const SlidePlace& place, const TraceAnalysis& analysis,
                 std::string_view picture, const std::vector<Moments>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string caption = fmt::format("{} ({} of {})", place.caption, i + 1, parts.size());
    const auto draw = [&](double width, double height) {
      return moments_of(analysis, picture, parts[i].first, parts[i].second, width, height);
    };
    if (frame.picture(place.title, place.lead, caption, draw, kReadLetters)) continue;
    frame.drop(i);
    return false;
  }
  return true;
}

}  // namespace

bool put_picture(SlideFrame& frame, const SlidePlace& place, const TraceAnalysis& analysis,
                 std::string_view picture) {
  const auto whole = [&](double width, double height) {
    return picture_of(analysis, picture, width, height);
  };
  if (!has_moments(picture)) return frame.picture(place.title, place.lead, place.caption, whole);
  if (frame.picture(place.title, place.lead, place.caption, whole, kReadLetters)) return true;
  const int last = analysis.rounds().count;
  for (int together = std::min(kMostTogether, last); together > 0; --together) {
    auto parts = parts_of(last, together);
    if (together == 1 && parts.size() > kMostSlides) parts = chosen_of(last);
    if (parts.size() <= kMostSlides && put_moments(frame, place, analysis, picture, parts))
      return true;
  }
  return frame.picture(place.title, place.lead, place.caption, whole);
}

}  // namespace rankscope
