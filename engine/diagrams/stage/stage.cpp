// Puts cards, ways and cargo of a moment together, with the phase's name and what went wrong.
#include "engine/diagrams/stage/stage.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/moving/flipbook.h"
#include "engine/diagrams/run/run_outcome.h"
#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/stage/stage_flight.h"
#include "engine/diagrams/stage/stage_layout.h"
#include "engine/diagrams/stage/stage_many.h"
#include "engine/diagrams/stage/stage_trouble.h"
#include "engine/diagrams/stage/stage_walk.h"
#include "engine/diagrams/stage/stage_wrong.h"

namespace rankscope {
namespace {

using Times = StageTimes;

constexpr double kWidth = 1280, kHeight = 720, kLeastWidth = 200, kLeastHeight = 120;
constexpr double kMargin = 14, kTitle = 34, kStill = 0.35, kForCaption = 380;
constexpr double kLeastTravel = 18;  // of a message that is seen to move
constexpr int kLookedAt = 16;        // rounds, for what has room

void scale_mark(Mark& mark, Point center, double scale) {
  const auto moved = [&](Point p) {
    return Point{center.x + (p.x - center.x) * scale, center.y + (p.y - center.y) * scale};
  };
  const Point corner = moved({mark.box.x, mark.box.y});
  mark.box = {corner.x, corner.y, mark.box.width * scale, mark.box.height * scale};
  for (Point& p : mark.points) p = moved(p);
  mark.origin = moved(mark.origin);
  mark.radius *= scale;
  if (mark.kind != Mark::Kind::text) return;
  const double size = std::max(mark.font.size * scale, kCaption.size);
  mark.box.width *= size / (mark.font.size * scale);
  mark.font.size = size;
}

}  // namespace

class Stage::Painter {
 public:
  Painter(const TraceAnalysis& analysis, StageOptions options, const Ruler& ruler)
      : options_(std::move(options)),
        ruler_(ruler),
        plan_(options_.plan ? std::make_unique<StageModel>(options_.plan->run, options_.values)
                            : nullptr),
        model_(model_of(analysis)),
        trouble_(options_.live ? StageTrouble() : stage_trouble(analysis)),
        page_{0, 0, size(options_.width, kWidth, kLeastWidth),
              size(options_.height, kHeight, kLeastHeight)} {
    find_banner();
    const double top = kMargin + (options_.heading ? kTitle : 0) + strip() + banner_height_;
    const Box area{kMargin, top, page_.width - 2 * kMargin, page_.height - top - kMargin};
    if (!plan_ && !options_.values && !trouble_.any())
      many_ = StageMany::made(*model_, area, ruler_);
    if (many_) {
      form_ = StageForm::neighbourhood;
      return;
    }
    StageTopology topology = options_.circle ? StageTopology() : stage_topology(whole().analysis());
    const StageWishes wishes{options_.values, !plan_ && trouble_.deadlock()};
    layout_ =
        stage_layout(whole(), topology, area, wishes, ruler_,
                     [this](StageLayout& layout, bool tiles) { return carries(layout, tiles); });
    if (layout_.steps.empty()) {
      form_ = topology.shape;
      edges_ = std::move(topology.edges);
      layout_.steps = {layout_.cards};
    }
    for (std::size_t round = 1; round < layout_.steps.size(); ++round)
      walks_.emplace_back(layout_.steps[round - 1], layout_.steps[round]);
    painter_.emplace(*model_, layout_, ruler_);
    if (plan_) planner_.emplace(*plan_, layout_, ruler_);
    layout_.cards = cards_at(end());  // what went wrong is drawn there
    note_inside_ = has_room_for_note();
    waits_ = wait_arrows(layout_, trouble_, ruler_);
    if (trouble_.story && !plan_ && !options_.values)
      wrong_.emplace(layout_, *trouble_.story, ruler_);
    brief_inside_ = !layout_.note.empty() && ranges::none_of(waits_, [&](const auto& arrow) {
      return passes(arrow.path.curve, layout_.note.grown(16));
    });
  }

  double end() const noexcept { return model_->last(); }
  bool stuck() const noexcept { return trouble_.any(); }
  Box card(Rank rank, double moment) const {
    return many_ ? many_->card(rank) : cards_at(moment).at(static_cast<std::size_t>(rank));
  }
  Box row(Rank rank, int chunk, double moment) const {
    return many_ ? many_->row(rank, chunk) : layout_.row_on(card(rank, moment), chunk);
  }
  StageForm form() const noexcept { return form_; }
  int chunks() const noexcept { return model_->chunks(); }

  std::vector<Box> cards_at(double moment) const {
    const int round = static_cast<int>(std::floor(std::max(moment, 0.0) + 1e-9));
    const auto &from = layout_.cards_in(round), &to = layout_.cards_in(round + 1);
    const double share = moment - round;
    if (&from == &to || share < 1e-6) return from;
    if (share >= Times::met) return to;
    std::vector<Box> cards;
    for (std::size_t i = 0; i < from.size(); ++i)
      cards.push_back(walk(round).at(i, share / Times::met));
    return cards;
  }

  Scene at(double moment, const SceneChoice& focus, const LiveMarks& marks) {
    moment = std::clamp(moment, 0.0, end());
    Moment now;
    now.round = static_cast<int>(std::floor(moment + 1e-9));
    now.share = std::max(0.0, moment - now.round);
    if (now.share < 1e-6) now.share = 0;
    now.ended = now.share == 0 && now.round >= model_->rounds();
    if (!many_) layout_.cards = cards_at(moment);
    if (now.share > 0 && layout_.cards_in(now.round) != layout_.cards_in(now.round + 1)) {
      now.meets = now.share <= Times::met;
      now.met = now.share / Times::met;
      now.share = now.meets ? 1e-6 : (now.share - Times::met) / (1 - Times::met);
      now.moved = true;
    }
    Scene scene;
    scene.marks.reserve(most_marks_);
    scene.groups.reserve(most_groups_);
    scene.width = page_.width;
    scene.height = page_.height;
    scene.title = options_.title.empty()
                      ? run_title(model_->analysis().trace().meta(), model_->world())
                      : options_.title;
    scene.description = caption(now);
    Drawing pen(scene, ruler_);
    heading(pen, scene.title, now);
    for (const StageGroupBox& group : layout_.groups) {
      pen.box(group.box, Ink{Tone::panel, 0, 0.35F}, Ink{Tone::frame}, 8);
      pen.text(group.name,
               {group.named_left ? group.box.x + 10 : group.box.right() - 10, group.box.y + 17},
               kCaption, {Tone::muted}, group.named_left ? Anchor::start : Anchor::end);
    }
    for (const auto& [one, other] : edges_)
      pen.line(layout_.cards[static_cast<std::size_t>(one)].center(),
               layout_.cards[static_cast<std::size_t>(other)].center(), {Tone::frame}, 1.5);
    StageCards cards(pen, *model_, layout_, trouble_, options_.values, focus, kept_);
    if (!trouble_.any())
      cards.hint(
          {page_.width - kMargin, kMargin + (options_.heading ? kTitle : 0) + (roomy() ? 16 : 13)},
          page_.width - kForCaption);
    draw(pen, cards, now, focus, marks);
    most_marks_ = std::max(most_marks_, scene.marks.size());
    most_groups_ = std::max(most_groups_, scene.groups.size());
    return scene;
  }

 private:
  struct Moment {
    int round = 0;     ///< Number of rounds that are over.
    double share = 0;  ///< Share of the next round, 0 to 1.
    bool ended = false;
    bool meets = false;  ///< Partners come near each other.
    double met = 0;      ///< Share of the way that they have gone.
    bool moved = false;  ///< Cards do not stand where they stood in the round before.
    /// The round that is under way, or has just ended; 0 before the first.
    int shown() const noexcept { return share > 0 ? round + 1 : round; }
  };

  const StageWalk& walk(int from) const { return walks_.at(static_cast<std::size_t>(from)); }
  std::unique_ptr<StageModel> model_of(const TraceAnalysis& analysis) const {
    return plan_ ? std::make_unique<StageModel>(analysis, options_.values, *plan_, *options_.plan)
                 : std::make_unique<StageModel>(analysis, options_.values);
  }
  StageFlightPainter& planner() { return planner_ ? *planner_ : *painter_; }
  /// Returns the model of all rounds, also of those to come.
  StageModel& whole() const { return plan_ ? *plan_ : *model_; }

  static double size(double wanted, double usual, double least) {
    return wanted <= 0 ? usual : std::max(std::round(wanted), least);
  }

  const StageFlights& flights(int round) {
    const auto known = flights_.find(round);
    if (known != flights_.end()) return known->second;
    const auto cards = std::exchange(layout_.cards, layout_.cards_in(round));
    if (form_ == StageForm::partners) planner().moved();
    const auto made = flights_.emplace(round, plan_ ? planned_flights(round, model_->cargo(round))
                                                    : painter_->flights(model_->cargo(round)));
    layout_.cards = cards;
    return made.first->second;
  }

  /// Returns whether no message of the first rounds shrinks to a tile, unless it may, or passes a card, or another one's way.
  bool carries(StageLayout& layout, bool tiles) {
    StageFlightPainter painter(whole(), layout, ruler_);
    for (int round = 1; round <= std::min(whole().rounds(), kLookedAt); ++round) {
      layout.cards = layout.cards_in(round);
      painter.moved();
      const auto& cargo = whole().cargo(round);
      const StageFlights flights = painter.flights(cargo);
      if (!layout.may_cross && StageFlightPainter::ways_cross(flights, layout.straight))
        return false;
      for (std::size_t i = 0; i < cargo.size(); ++i) {
        const StagePath& path = flights.paths[i];
        const Point from = path.curve[0], to = path.curve[3];
        if (path.cost >= 1 || (!tiles && flights.chip == StageChip::tile && cargo[i].train < 2) ||
            std::hypot(to.x - from.x, to.y - from.y) < kLeastTravel)
          return false;
      }
    }
    layout.cards = layout.cards_in(0);
    for (std::size_t round = 1;
         !layout.may_cross && !layout.straight && round < layout.steps.size(); ++round)
      if (StageWalk(layout.steps[round - 1], layout.steps[round]).touches()) return false;
    return true;
  }

  // Chips and paths are those of the whole round, also while only some of its messages are there.
  StageFlights planned_flights(int round, const std::vector<StageCargo>& cargo) {
    const auto& all = plan_->cargo(round);
    const StageFlights planned = planner_->flights(all);
    StageFlights flights;
    flights.chip = planned.chip;
    for (const StageCargo& one : cargo) {
      const auto at =
          ranges::find(all, options_.plan->planned_of[one.message], &StageCargo::message) -
          all.begin();
      flights.paths.push_back(planned.paths.at(static_cast<std::size_t>(at)));
      flights.sizes.push_back(planned.sizes.at(static_cast<std::size_t>(at)));
    }
    return flights;
  }

  /// Above the ranks there is the name of the step.
  bool roomy() const noexcept { return page_.height >= 360; }
  double strip() const noexcept { return roomy() ? 26 : 20; }

  bool has_room_for_note() {
    if (layout_.note.empty()) return false;
    for (int round = 1; round <= std::min(whole().rounds(), kLookedAt); ++round)
      if (ruler_.width(whole().round(round).phase, kBodyStrong) > layout_.note.width ||
          planner().flights(whole().round(round).cargo).crosses_note)
        return false;
    return true;
  }

  // ---- Words around ------------------------------------------------------------------------------

  // A run that was watched as it grew keeps its places: its trouble is the line that says the step.
  void find_banner() {
    if (!trouble_.any() || plan_) return;
    const double width = page_.width - 2 * kMargin - 24;
    why_ = wrapped(trouble_.why, kBody, width, ruler_);
    const std::size_t most = page_.height > 340 ? 2 : page_.height > 300 ? 1 : 0;
    if (why_.size() > most) {
      why_.resize(most);
      if (most > 0) why_.back() = ruler_.fitted(why_.back() + " …", kBody, width);
    }
    lines_ = options_.heading && page_.height > 430 ? trouble_.lines.size() : 0;
    banner_height_ = 42 + 19 * static_cast<double>(why_.size()) + 18 * static_cast<double>(lines_) +
                     (lines_ > 0 ? 4 : 0);
  }

  /// All rounds are over: the picture shows what all ranks have then, and nothing else.
  bool finished(const Moment& now) const {
    return now.ended && model_->rounds() > 0 && model_->rounds() >= whole().rounds();
  }

  bool shows_story(const Moment& now) const {
    return wrong_ && wrong_->fits() && now.ended && now.round >= model_->last();
  }

  /// The phase, and the step in it: "reduce-scatter", "step 2 of 3". Without a step, "start" or "end"; without phases, the
  /// step alone.
  std::pair<std::string, std::string> phase_and_step(const Moment& now) const {
    const int round = now.shown();
    if (round == 0) return {"start", ""};
    if (round > whole().rounds() || finished(now))
      return {trouble_.broke_off ? "broke off" : "end", ""};
    const StageRound& of = whole().round(round);
    if (of.phase.empty() || of.phase.starts_with("step "))
      return {"", fmt::format("step {} of {}", round, whole().rounds())};
    return {of.phase, fmt::format("step {} of {}", of.of_phase, of.phase_rounds)};
  }

  std::string caption(const Moment& now) const {
    if (now.ended && trouble_.deadlock()) return trouble_.brief;
    if (now.ended && plan_ && trouble_.any()) return trouble_.headline;
    if (shows_story(now))
      return trouble_.story->chunk < 0
                 ? fmt::format("following element {}", trouble_.story->result.element)
                 : fmt::format("following c{}", trouble_.story->chunk);
    const auto [phase, step] = phase_and_step(now);
    if (step.empty())
      return trouble_.broke_off && now.shown() > 0 ? "The run broke off" : "At the " + phase;
    return phase.empty() ? step : phase + " · " + step;
  }

  void heading(Drawing& pen, const std::string& title, const Moment& now) {
    double y = kMargin;
    if (options_.heading) {
      pen.text(ruler_.fitted(title, kHeading, page_.width - 2 * kMargin), {kMargin, y + 20},
               kHeading);
      y += kTitle;
    }
    if (banner_height_ > 0 && now.ended) banner(pen, y);
    const double below = y + banner_height_;
    const bool stuck = now.ended && trouble_.deadlock();
    if (layout_.note.empty() || shows_story(now) || !(stuck ? brief_inside_ : note_inside_)) {
      const Font font = roomy() ? kEmphasis : kCaptionStrong;
      pen.text(ruler_.fitted(caption(now), font, page_.width - 2 * kMargin),
               {kMargin, below + (roomy() ? 16 : 13)}, font, {Tone::muted});
      return;
    }
    note(pen, now);
  }

  void note(Drawing& pen, const Moment& now) const {
    const Box& box = layout_.note;
    auto [name, step] = phase_and_step(now);
    if (name.empty()) name = std::exchange(step, {});
    if (trouble_.any() && now.ended) {
      name = !trouble_.wrong.empty()                                  ? "wrong result"
             : !trouble_.deadlock()                                   ? "lost rank"
             : ruler_.width(trouble_.brief, kBodyStrong) <= box.width ? trouble_.brief
                                                                      : "deadlock";
      step.clear();
    }
    // The banner says it, too.
    if (trouble_.any() && now.ended && ruler_.width(name, kBodyStrong) > box.width) return;
    const Font large{ruler_.width(name, kHeading) <= box.width ? 21.0 : 14.0,
                     Font::Weight::semibold, false};
    pen.level(ruler_.fitted(name, large, box.width),
              {box.center().x, box.center().y - (step.empty() ? 0 : 12)}, large, {Tone::muted});
    if (!step.empty() && box.height > 44)
      pen.level(ruler_.fitted(step, kBody, box.width), {box.center().x, box.center().y + 14}, kBody,
                {Tone::muted});
  }

  void banner(Drawing& pen, double y) const {
    const Box box{kMargin, y, page_.width - 2 * kMargin, banner_height_ - 6};
    pen.box(box, Ink{Tone::error, 0, 0.08F}, Ink{Tone::error}, 8, 1.5);
    pen.text(ruler_.fitted(trouble_.headline, kEmphasis, box.width - 24), {box.x + 12, box.y + 23},
             kEmphasis, {Tone::error});
    double line = box.y + 23;
    for (const std::string& words : why_) pen.text(words, {box.x + 12, line += 19}, kBody);
    line += 3;
    const Font mono{12, Font::Weight::regular, true};
    for (std::size_t i = 0; i < lines_; ++i)
      pen.text(ruler_.fitted(trouble_.lines[i], mono, box.width - 24), {box.x + 12, line += 18},
               mono);
  }

  // ---- The picture -------------------------------------------------------------------------------

  void draw(Drawing& pen, StageCards& cards, const Moment& now, const SceneChoice& focus,
            const LiveMarks& marks) {
    if (shows_story(now)) return wrong_->draw(pen);
    if (many_) return draw_many(pen, now, focus);
    const int before = now.round, going = now.round + 1;
    const bool under_way = now.share > 0 && going <= model_->rounds();
    const bool over = before >= 1 && before <= model_->rounds();
    const double fresh = std::clamp(now.share / 0.1, 0.0, 1.0);
    if (now.meets) return draw_cards(pen, cards, now, marks);
    if (over && !finished(now) && !now.moved)
      painter_->ways(pen, model_->cargo(before), flights(before), kStill * (1 - fresh), focus);
    if (under_way) {
      const double rest = share_between(now.share, Times::landed, 1);
      painter_->ways(pen, model_->cargo(going), flights(going), fresh * (1 - (1 - kStill) * rest),
                     focus);
    }
    for (const LiveOffer& offer : marks.offers) offered(pen, offer);
    if (now.ended && !plan_) draw_waits(pen, waits_, layout_.style);
    if (under_way)
      painter_->cargo(pen, cards, model_->cargo(going), flights(going), now.share, focus, true);
    draw_cards(pen, cards, now, marks);
    if (under_way)
      painter_->cargo(pen, cards, model_->cargo(going), flights(going), now.share, focus, false);
  }

  // A card that goes by is smaller, so that it passes between those that stand and those that come towards it. Of its words
  // only the first, the rank's number, has room then.
  void shrink(std::vector<Mark>& marks, std::size_t first, Rank rank, const Moment& now) const {
    const auto at = static_cast<std::size_t>(rank);
    const double scale = walk(now.round).scale(at, now.met);
    if (scale >= 1) return;
    bool named = false;
    for (std::size_t i = first; i < marks.size();) {
      Mark& mark = marks[i];
      const bool small = mark.kind == Mark::Kind::text && mark.font.size * scale < kCaption.size;
      if (small && named) {
        marks.erase(marks.begin() + static_cast<std::ptrdiff_t>(i));
        continue;
      }
      named = named || mark.kind == Mark::Kind::text;
      scale_mark(mark, layout_.cards[at].center(), scale);
      ++i;
    }
  }

  void draw_cards(Drawing& pen, StageCards& cards, const Moment& now, const LiveMarks& marks) {
    const int before = now.round, going = now.round + 1;
    const auto state = model_->state(now.share >= Times::landed ? going : before);
    const int shown = now.shown();
    find_cards(!now.meets && !finished(now) && shown >= 1 && shown <= model_->rounds() ? shown : 0,
               now);
    for (Rank rank = 0; rank < model_->world(); ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      cards_[at].badge = marks.badge(rank);
      std::vector<Mark>& drawn = pen.scene().marks;
      const std::size_t first = drawn.size();
      cards.card(rank, state->cells[at], cards_[at]);
      if (now.meets) shrink(drawn, first, rank, now);
    }
  }

  void draw_many(Drawing& pen, const Moment& now, const SceneChoice& focus) {
    const int shown = finished(now) || now.shown() > model_->rounds() ? 0 : now.shown();
    find_cards(shown, now);
    const auto state = model_->state(now.share >= Times::landed ? now.round + 1 : now.round);
    many_->draw(pen, {shown, now.share, now.shown() > 0 && shown == 0}, *state, cards_, trouble_,
                focus);
  }

  // Dashed, for it has not been sent; where the plan has it, if there is one.
  void offered(Drawing& pen, const LiveOffer& offer) {
    StageCargo cargo;
    cargo.from = offer.from;
    cargo.to = offer.to;
    cargo.empty = offer.bytes == 0;
    cargo.label = amount_text(offer.bytes);
    std::optional<StagePath> path;
    Box size{0, 0, 12, 12};
    bool words = false;
    for (int round = 1; plan_ && form_ != StageForm::partners && !path && round <= plan_->rounds();
         ++round) {
      const auto& all = plan_->round(round).cargo;
      const auto found = ranges::find(all, offer.planned, &StageCargo::message);
      if (found == all.end()) continue;
      const auto at = static_cast<std::size_t>(found - all.begin());
      const StageFlights flights = planner_->flights(plan_->cargo(round));
      cargo = plan_->cargo(round)[at];
      path = flights.paths[at];
      size = flights.sizes[at];
      words = flights.chip != StageChip::tile;
    }
    if (!path)
      path = stage_paths(layout_, offer.from, offer.to, size.width, size.height, false).front();
    pen.new_group(Group{offer.id(), offer.story});
    const Ink ink = stage_cargo_ink(cargo);
    Mark& way = pen.path(path->line(), ink, 2);
    way.dotted = way.arrow = true;
    const Font font = layout_.style.letters(kCaptionStrong);
    const std::string& text = cargo.label.empty() ? cargo.brief : cargo.label;
    const double width = ruler_.width(text, font) + 16, height = font.size + 8;
    if (words && !text.empty() && width <= size.width + 1 && path->cost < 1) {
      const Box pill = Box::around(bezier(path->curve, 0.5), width, height);
      pen.box(pill, Ink{Tone::page}, ink, height / 2, 1.4).dotted = true;
      pen.level(text, pill.center(), font);
    }
    pen.group(-1);
  }

  // While a run is held, a round gains messages, which makes another stage.
  void find_cards(int round, const Moment& now) {
    const double pulse = round > 0 && now.share > Times::landed - 0.06 && now.share < Times::pulsed
                             ? std::sin(3.14159265 * (now.share - Times::landed + 0.06) /
                                        (Times::pulsed - Times::landed + 0.06))
                             : 0;
    const bool docked = now.share >= Times::docked && now.share < Times::landed;
    const StageCardsOf of{round, now.share > 0, now.ended, docked, pulse};
    if (cards_of_ == of) return;
    cards_of_ = of;
    cards_ = stage_cards_at(of, *model_, many_ != nullptr || layout_.style.words);
  }

  const StageOptions options_;
  const Ruler& ruler_;
  std::unique_ptr<StageModel> plan_;  ///< Null: the run is whole, or nobody knows what is to come.
  std::unique_ptr<StageModel> model_;
  StageTrouble trouble_;
  const Box page_;
  StageLayout
      layout_;  ///< Its cards are those of the moment that is drawn; nothing else in it changes.
  std::vector<StageWalk> walks_;  ///< By the round from whose places the cards go.
  std::vector<std::pair<Rank, Rank>> edges_;
  std::unique_ptr<StageMany> many_;
  StageForm form_ = StageForm::partners;
  std::vector<StageWaitArrow> waits_;
  std::optional<StageWrong> wrong_;
  std::optional<StageFlightPainter> painter_, planner_;
  std::map<int, StageFlights> flights_;
  StageKeptCards kept_;
  StageCardsOf cards_of_;
  std::vector<StageCardNow> cards_;
  std::size_t most_marks_ = 0, most_groups_ = 0;  ///< The most marks and groups of a scene.
  std::vector<std::string> why_;
  std::size_t lines_ = 0;
  double banner_height_ = 0;
  bool note_inside_ = false, brief_inside_ = false;
};

Stage::Stage(const TraceAnalysis& analysis, StageOptions options, const Ruler& ruler)
    : painter_(std::make_unique<Painter>(analysis, std::move(options), ruler)) {}
Stage::~Stage() = default;

Scene Stage::at(double moment, const SceneChoice& focus, const LiveMarks& marks) {
  return painter_->at(moment, focus, marks);
}
double Stage::end() const noexcept { return painter_->end(); }
Box Stage::card(Rank rank, double moment) const { return painter_->card(rank, moment); }
Box Stage::row(Rank rank, int chunk, double moment) const {
  return painter_->row(rank, chunk, moment);
}
int Stage::chunks() const noexcept { return painter_->chunks(); }
StageForm Stage::form() const noexcept { return painter_->form(); }
bool Stage::stuck() const noexcept { return painter_->stuck(); }

std::vector<Scene> stage_scenes(const TraceAnalysis& analysis, const StageOptions& options,
                                int first, int last, int between, const Ruler& ruler) {
  Stage stage(analysis, options, ruler);
  std::vector<Scene> scenes;
  for (int round = first; round <= last; ++round)
    for (int k = 0; k < (round < last ? between : 1); ++k)
      scenes.push_back(stage.at(round + static_cast<double>(k) / between));
  return scenes;
}

}  // namespace rankscope
