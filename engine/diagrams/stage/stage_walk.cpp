// Finds lanes and times for cards that change their places.
#include "engine/diagrams/stage/stage_walk.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/moving/flipbook.h"
#include "engine/diagrams/stage/stage_cards.h"

namespace rankscope {
namespace {

constexpr double kTurn = 0.32, kGap = 3, kLeastScale = 0.25;

Box scaled(const Box& box, double scale) {
  return Box::around(box.center(), box.width * scale, box.height * scale);
}

}  // namespace

StageWalk::StageWalk(const std::vector<Box>& from, const std::vector<Box>& to)
    : from_(from), to_(to), ways_(from.size()) {
  std::set<double> rows;
  for (const auto* cards : {&from, &to})
    for (const Box& card : *cards) rows.insert(card.y);
  between_rows_ = rows.size() == 2;
  if (between_rows_) {
    const double high = from.front().height, upper = *rows.begin() + high, lower = *rows.rbegin();
    middle_ = (upper + lower) / 2;
    small_ = std::clamp((lower - upper - 3 * kGap) / (2 * high), kLeastScale, 1.0);
  }
  choose();
}

/// Returns whether it goes far along the rows.
bool StageWalk::turns(std::size_t card) const {
  return between_rows_ && std::abs(to_[card].x - from_[card].x) >= 0.75 * from_[card].width;
}

/// Returns whether it goes past others: not if it moves a little in its row.
bool StageWalk::goes_by(std::size_t card) const {
  return from_[card] != to_[card] &&
         (turns(card) || !between_rows_ || from_[card].y != to_[card].y);
}

Box StageWalk::at(std::size_t card, double share) const {
  const Box &from = from_[card], &to = to_[card];
  const Way& way = ways_[card];
  const double t = share_between(share, way.begin, way.end);
  Box now = from;
  if (!turns(card)) {
    now.x += (to.x - from.x) * eased(t);
    now.y += (to.y - from.y) * eased(t);
    return now;
  }
  const double aside = (from.height * small_ + kGap) / 2;
  const double lane = middle_ - from.height / 2 + (way.upper ? -aside : aside);
  const double out = eased(share_between(t, 0, kTurn)), in = eased(share_between(t, 1 - kTurn, 1));
  now.x += (to.x - from.x) * eased(share_between(t, kTurn, 1 - kTurn));
  now.y += (lane - from.y) * out + (to.y - lane) * in;
  return now;
}

double StageWalk::scale(std::size_t card, double share) const {
  if (!goes_by(card)) return 1;
  return 1 - (1 - small_) * share_between(std::min(share, 1 - share), 0, 0.6 * kTurn);
}

StageWalk::Drawn StageWalk::drawn(std::size_t card) const {
  Drawn boxes;
  for (int k = 0; k < kSamples; ++k) {
    const double share = (k + 0.5) / kSamples;
    boxes[static_cast<std::size_t>(k)] = scaled(at(card, share), scale(card, share));
  }
  return boxes;
}

/// The usual one first: who will stand above passes above, and who only changes the row waits until the others have left it.
std::vector<StageWalk::Way> StageWalk::ways(std::size_t card) const {
  const bool above = to_[card].y + to_[card].height < middle_;
  if (!turns(card))
    return between_rows_ && from_[card].y != to_[card].y
               ? std::vector<Way>{{above, 0.5, 1}, {above, 0, 1}, {above, 0, 0.5}}
               : std::vector<Way>{{above, 0, 1}, {above, 0, 0.5}, {above, 0.5, 1}};
  std::vector<Way> all;
  for (const auto& [begin, end] :
       {std::pair(0.0, 1.0), {0.0, 0.6}, {0.4, 1.0}, {0.0, 0.5}, {0.5, 1.0}})
    for (const bool lane : {above, !above}) all.push_back({lane, begin, end});
  return all;
}

int StageWalk::touches(std::size_t card) const {
  int count = 0;
  for (std::size_t other = 0; other < drawn_.size(); ++other)
    for (std::size_t k = 0; other != card && k < drawn_[card].size(); ++k)
      count += drawn_[card][k].grown(kGap).overlaps(drawn_[other][k]) ? 1 : 0;
  return count;
}

bool StageWalk::touches() const {
  for (std::size_t card = 1; card < drawn_.size(); ++card)
    for (std::size_t other = 0; other < card; ++other)
      for (std::size_t k = 0; k < drawn_[card].size(); ++k)
        if (drawn_[card][k].grown(kGap).overlaps(drawn_[other][k])) return true;
  return false;
}

void StageWalk::take(std::size_t card, const Way& way) {
  ways_[card] = way;
  drawn_[card] = drawn(card);
}

/// Gives a card, and one that it touches, the ways on which they touch the fewest.
bool StageWalk::improve(std::size_t card, std::size_t other) {
  const bool both = card != other;
  const auto all = [&] { return touches(card) + (both ? touches(other) : 0); };
  const int before = all();
  int least = before;
  std::pair best(ways_[card], ways_[other]);
  for (const Way& way : ways(card)) {
    take(card, way);
    for (const Way& others : both ? ways(other) : std::vector<Way>{way}) {
      take(other, others);
      if (const int count = all(); count < least)
        least = count, best = std::pair(ways_[card], ways_[other]);
    }
  }
  take(card, best.first);
  take(other, best.second);
  return least < before;
}

// Card by card, then two by two, until no card has a way on which it touches fewer others.
void StageWalk::choose() {
  constexpr int kPasses = 4;
  for (std::size_t i = 0; i < from_.size(); ++i) ways_[i] = ways(i).front();
  for (std::size_t i = 0; i < from_.size(); ++i) drawn_.push_back(drawn(i));
  const auto moves = [&](std::size_t card) { return from_[card] != to_[card]; };
  bool better = true;
  for (int pass = 0; pass < kPasses && better; ++pass) {
    better = false;
    for (std::size_t card = 0; card < from_.size(); ++card)
      for (std::size_t k = 0; k < from_.size() && moves(card) && touches(card) > 0; ++k) {
        const std::size_t other = k == 0 ? card : (card + k) % from_.size();
        if (moves(other)) better = improve(card, other) || better;
      }
  }
}

}  // namespace rankscope
