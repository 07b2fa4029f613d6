// Places what has happened in a growing run where its plan has it.
#include <algorithm>

#include "engine/analysis/run_plan.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/spacetime/spacetime_model.h"

namespace rankscope {
namespace {

using Model = SpacetimeModel;

// Returns an arrow of the plan in its present state: sent, on offer, or still to come.
Model::Arrow arrow_now(const Model::Arrow& planned, const Model& made, const PlanMatch& plan,
                       const LiveMarks& marks) {
  Model::Arrow arrow = planned;
  const std::size_t number = plan.made_of[planned.message];
  const auto found = ranges::find(made.arrows, number, &Model::Arrow::message);
  if (number != PlanMatch::kNone && found != made.arrows.end()) {
    arrow.id = found->id;
    arrow.story = found->story;
    arrow.message = found->message;
    arrow.received = found->received;
    arrow.reduced = found->reduced;
    arrow.waits = found->waits;
    arrow.under_way = found->under_way;
    arrow.critical = found->critical;
    return arrow;
  }
  arrow.critical = arrow.received = false;
  const auto offer = ranges::find(marks.offers, planned.message, &LiveOffer::planned);
  arrow.offered = offer != marks.offers.end();
  arrow.hidden = !arrow.offered;
  if (arrow.offered) {
    arrow.id = offer->id();
    arrow.story = offer->story;
  }
  return arrow;
}

}  // namespace

SpacetimeModel planned_model(const TraceAnalysis& analysis, const SpacetimeOptions& options) {
  const PlanMatch& plan = *options.plan;
  Model made = spacetime_model(analysis, options);
  SpacetimeOptions whole = options;
  whole.live = false;
  whole.critical_path = false;
  Model model = spacetime_model(plan.run, whole);
  // Each arrow that carries something has a mark at its arrival, in the same order.
  std::size_t mark = 0;
  for (Model::Arrow& arrow : model.arrows) {
    const bool marked = arrow.received && arrow.bytes > 0;
    arrow = arrow_now(arrow, made, plan, options.marks);
    if (!marked) continue;
    while (mark < model.spans.size() && model.spans[mark].forever) ++mark;
    if (mark < model.spans.size()) model.spans[mark++].hidden = !arrow.received;
  }
  for (Model::Span& span : made.spans) {
    if (!span.forever) continue;
    span.begin = std::min(span.begin, model.end - 0.4);
    span.end = model.end;
    model.spans.push_back(std::move(span));
  }
  model.outcome = made.outcome;
  model.lost = made.lost;
  model.waiting = made.waiting;
  model.under_way = made.under_way;
  model.unreceived = made.unreceived;
  model.unreceived_words = made.unreceived_words;
  model.total_bytes = made.total_bytes;
  model.busiest_bytes = made.busiest_bytes;
  model.run_end = std::min(made.run_end, model.end);
  return model;
}

}  // namespace rankscope
