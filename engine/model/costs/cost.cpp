// Adds costs, and takes the larger ones.
#include "engine/model/costs/cost.h"

#include "engine/core/base/ranges.h"

namespace rankscope {

CostTerm& CostTerm::operator+=(const CostTerm& other) noexcept {
  rounds += other.rounds;
  bytes += other.bytes;
  reduced += other.reduced;
  return *this;
}

CostTerm operator*(std::int64_t times, const CostTerm& term) noexcept {
  return {times * term.rounds, times * term.bytes, times * term.reduced};
}

bool CostTerm::covers(const CostTerm& other) const noexcept {
  return rounds >= other.rounds && bytes >= other.bytes && reduced >= other.reduced;
}

double time(const CostTerm& term, const LinkCosts& link) noexcept {
  return static_cast<double>(term.rounds) * link.alpha +
         static_cast<double>(term.bytes) * link.beta +
         static_cast<double>(term.reduced) * link.gamma;
}

const CostTerm& Cost::on(const LinkCosts& link) const noexcept {
  return *ranges::max_element(terms_, {}, [&](const CostTerm& term) { return time(term, link); });
}

void Cost::take(const CostTerm& term) {
  if (ranges::any_of(terms_, [&](const CostTerm& own) { return own.covers(term); })) return;
  std::erase_if(terms_, [&](const CostTerm& own) { return term.covers(own); });
  terms_.push_back(term);
}

Cost& Cost::operator+=(const Cost& other) {
  if (other.is_sum()) {
    for (CostTerm& term : terms_) term += other.terms_.front();
    return *this;
  }
  const std::vector<CostTerm> own = std::move(terms_);
  terms_.clear();
  for (const CostTerm& a : own)
    for (const CostTerm& b : other.terms_) take(a + b);
  return *this;
}

Cost Cost::later(const Cost& a, const Cost& b) {
  Cost out = a;
  for (const CostTerm& term : b.terms_) out.take(term);
  return out;
}

double time(const Cost& cost, const LinkCosts& link) noexcept { return time(cost.on(link), link); }

}  // namespace rankscope
