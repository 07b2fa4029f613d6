// Arranges the stages of a race, draws their counters and places, and the verdict.
#include "engine/diagrams/stage/race_stages.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/analysis/race.h"
#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/stage/stage.h"

namespace rankscope {
namespace {

constexpr double kEdge = 12, kGutter = 12, kHead = 30, kCounters = 30, kRaceTitle = 36, kLine = 20,
                 kSmallLine = 16, kLeastStage = 120;
/// The height of a run without its stage: its name and progress in one line.
constexpr double kLeastBar = 26, kMostBar = 64;
/// A narrower cell gets a row of its own.
constexpr double kLeastCellWidth = 240;

struct Lane {
  explicit Lane(const TraceAnalysis& run) : figures(race_figures(run)), counter(run) {}
  RaceFigures figures;
  RaceCounter counter;
  std::unique_ptr<Stage> stage;
  Box cell;
  double finish = 0;
  std::size_t place = 0;  ///< From 0; equal ones share one.
};

std::string ordinal(std::size_t place) {
  constexpr const char* kNames[] = {"1st", "2nd", "3rd", "4th"};
  return kNames[std::min<std::size_t>(place, 3)];
}

/// Returns the number of columns with which cells are nearest to four by three.
std::size_t columns_for(std::size_t lanes, double width, double height) {
  std::size_t best = 1;
  double worst = 1e9;
  for (std::size_t columns = 1; columns <= lanes; ++columns) {
    const std::size_t rows = (lanes + columns - 1) / columns;
    const double wide = width / static_cast<double>(columns),
                 high = height / static_cast<double>(rows);
    double away = std::abs(std::log(wide / high / 1.33));
    if (wide < kLeastCellWidth) away += 2;
    if (high < kLeastStage + kHead + kCounters) away += 2;
    away += 0.4 * static_cast<double>(rows * columns - lanes);  // holes
    if (away < worst) worst = away, best = columns;
  }
  return best;
}

}  // namespace

class RaceStages::Painter {
 public:
  Painter(const std::vector<TraceAnalysis>& runs, RaceOptions options, const Ruler& ruler)
      : options_(std::move(options)),
        ruler_(ruler),
        page_{0, 0, options_.width > 0 ? options_.width : 1280,
              options_.height > 0 ? options_.height : 720} {
    if (runs.size() < 2 || runs.size() > kMost)
      throw UserError(fmt::format("a race is of 2 to {} runs, not of {}", kMost, runs.size()));
    for (const TraceAnalysis& run : runs) lanes_.emplace_back(run);
    find_places();
    arrange(runs);
  }

  double end() const noexcept {
    double last = 0;
    for (const Lane& lane : lanes_) last = std::max(last, lane.finish);
    return last;
  }

  Scene at(double moment) {
    Scene scene;
    scene.width = page_.width;
    scene.height = page_.height;
    scene.title = options_.title.empty() ? title() : options_.title;
    covered_ = options_.predicted && moment < end() - 1e-9;
    if (!covered_) scene.description = fmt::format("{}", fmt::join(words_, " "));
    scene.clock_end = 0;
    Drawing pen(scene, ruler_);
    if (!options_.title.empty())
      pen.text(ruler_.fitted(options_.title, kHeading, page_.width - 2 * kEdge),
               {kEdge, kEdge + 20}, kHeading);
    for (std::size_t i = 0; i < lanes_.size(); ++i) draw(scene, pen, i, moment);
    if (!words_.empty() && !covered_) pen.new_group(Group{"verdict", "The verdict\n" + verdict_});
    double y = page_.height - kEdge - words_height();
    for (const std::string& words : words_)
      if (!covered_) pen.text(words, {kEdge, y += line()}, words_font_, {Tone::text});
    scene.width = page_.width;
    scene.height = page_.height;
    return scene;
  }

 private:
  std::string title() const {
    std::vector<std::string> names;
    for (const Lane& lane : lanes_) names.push_back(lane.figures.name);
    return fmt::format("A race: {}", fmt::join(names, ", "));
  }

  void find_places() {
    for (Lane& lane : lanes_)
      lane.finish = options_.measured ? lane.counter.duration_us() : lane.counter.rounds();
    for (Lane& lane : lanes_)
      lane.place = static_cast<std::size_t>(
          ranges::count_if(lanes_, [&](const Lane& other) { return other.finish < lane.finish; }));
  }

  // Sets the part of the verdict that has room; the stages have precedence, and the counters repeat its figures. The words'
  // story has all of it.
  void find_words(const std::vector<TraceAnalysis>& runs, double room) {
    std::vector<RaceFigures> figures;
    for (const Lane& lane : lanes_) figures.push_back(lane.figures);
    const auto differ = first_round_difference(runs[0], runs[1]);
    const std::string first = differ ? " " + differ->words : "";
    verdict_ = race_verdict(figures) + first;
    const double width = page_.width - 2 * kEdge;
    const double most = std::min(std::floor(room / kLine), std::floor(page_.height * 0.26 / kLine));
    if (most < 1) return;
    const auto lines = static_cast<std::size_t>(std::min(most, 8.0));
    const std::string advice = race_advice(figures);
    const std::string who = advice.substr(0, advice.find(" With T = "));  // its first sentence
    for (const std::string& text : {verdict_, advice + first, advice, who}) {
      words_ = wrapped(text, words_font_, width, ruler_);
      if (words_.size() <= lines) return;
    }
    words_font_ = kCaption;
    const auto small =
        static_cast<std::size_t>(std::floor(static_cast<double>(lines) * kLine / kSmallLine));
    words_ = wrapped(who, words_font_, width, ruler_);
    if (words_.size() <= small) return;
    words_.resize(small);
    words_.back() = ruler_.fitted(words_.back() + " …", words_font_, width);
  }
  double line() const noexcept { return words_font_.size < kBody.size ? kSmallLine : kLine; }
  double words_height() const noexcept { return line() * static_cast<double>(words_.size()); }

  void arrange(const std::vector<TraceAnalysis>& runs) {
    const double top = kEdge + (options_.title.empty() ? 0 : kRaceTitle);
    const double width = page_.width - 2 * kEdge, around = top + kGutter + kEdge;
    const std::size_t columns = columns_for(lanes_.size(), width, page_.height - around - kLine),
                      rows = (lanes_.size() + columns - 1) / columns;
    const double gutters = kGutter * static_cast<double>(rows - 1),
                 least = static_cast<double>(rows) * (kLeastStage + kHead + kCounters) + gutters;
    if (page_.height < around + least) return arrange_bars(runs, top);
    find_words(runs, page_.height - around - least);
    const double height = page_.height - around - words_height();
    const double wide = (width - kGutter * static_cast<double>(columns - 1)) /
                        static_cast<double>(columns),
                 high = (height - gutters) / static_cast<double>(rows);
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      Lane& lane = lanes_[i];
      lane.cell = {kEdge + (wide + kGutter) * static_cast<double>(i % columns),
                   top + (high + kGutter) * static_cast<double>(i / columns), wide, high};
      StageOptions stage;
      stage.width = wide - 4;
      stage.height = std::floor(high - kHead - kCounters);
      stage.heading = false;
      stage.values = options_.values;
      lane.stage = std::make_unique<Stage>(runs[i], stage, ruler_);
    }
  }

  // Without room for stages: a line for each run, which fills as the run goes on.
  void arrange_bars(const std::vector<TraceAnalysis>& runs, double top) {
    constexpr double kBetween = 6;
    const auto lanes = static_cast<double>(lanes_.size());
    const double least = lanes * (kLeastBar + kBetween) - kBetween;
    page_.height = std::max(page_.height, top + least + kEdge);
    find_words(runs, page_.height - top - least - kGutter - kEdge);
    const double below = words_.empty() ? kEdge : kGutter + kEdge + words_height();
    const double high =
        std::min(kMostBar, (page_.height - top - below - (lanes - 1) * kBetween) / lanes);
    double y = top;
    for (Lane& lane : lanes_) {
      lane.cell = {kEdge, y, page_.width - 2 * kEdge, high};
      y += high + kBetween;
    }
  }

  void draw_bar(Drawing& pen, std::size_t which, double moment) {
    const Lane& lane = lanes_[which];
    const Box& cell = lane.cell;
    const bool over = moment >= lane.finish - 1e-9 && lane.finish > 0;
    const bool first = over && lane.place == 0;
    const RaceCount now =
        options_.measured ? lane.counter.at_time(moment) : lane.counter.at_round(moment);
    const double whole = covered_ ? end() : lane.finish;
    const double share = whole > 0 ? std::clamp(moment / whole, 0.0, 1.0) : 0;
    pen.new_group(
        Group{fmt::format("{}-run", static_cast<char>('a' + which)),
              fmt::format("{}\n{} rounds, {} messages, {} sent by one rank", lane.figures.name,
                          of_all(now.rounds, lane.figures.rounds, " of "),
                          of_all(now.messages, lane.figures.messages, " of "),
                          bytes_text(now.bytes, lane))});
    pen.box(cell, Ink{Tone::panel}, first ? Ink{Tone::good} : Ink{Tone::frame}, 6, first ? 2 : 1);
    if (share > 0)
      pen.box({cell.x + 2, cell.bottom() - 5, (cell.width - 4) * share, 3},
              first ? Ink{Tone::good} : Ink{Tone::muted}, {}, 1.5);
    const double y = cell.y + (cell.height - 4) / 2;
    const std::string done =
        over ? ordinal(lane.place) : of_all(now.rounds, lane.figures.rounds) + " rounds";
    const double figures = std::max(pen.width("88/88 rounds", kFigures), pen.width(done, kFigures));
    pen.level(ruler_.fitted(lane.figures.name, kBodyStrong, cell.width - figures - 36),
              {cell.x + 10, y}, kBodyStrong, {Tone::text}, Anchor::start);
    pen.level(done, {cell.right() - 10, y}, kFigures, first ? Ink{Tone::good} : Ink{Tone::text},
              Anchor::end);
  }

  void draw(Scene& scene, Drawing& pen, std::size_t which, double moment) {
    if (lanes_[which].stage == nullptr) return draw_bar(pen, which, moment);
    Lane& lane = lanes_[which];
    const Box& cell = lane.cell;
    const bool over = moment >= lane.finish - 1e-9 && lane.finish > 0;
    const bool first = over && lane.place == 0;
    pen.group(-1);
    pen.box(cell, Ink{Tone::panel}, first ? Ink{Tone::good} : Ink{Tone::frame}, 8, first ? 2 : 1);
    double rounds = options_.measured ? lane.counter.round_at(moment) : moment;
    if (over) rounds = lane.stage->end();
    const std::string prefix = std::string(1, static_cast<char>('a' + which)) + "-";
    place(lane.stage->at(rounds), {cell.x + 2, cell.y + kHead}, scene, prefix);
    pen.group(-1);
    const Point middle{cell.x + 12, cell.y + kHead / 2 + 2};
    pen.level(ruler_.fitted(lane.figures.name, kEmphasis, cell.width - 84), middle, kEmphasis,
              {Tone::text}, Anchor::start);
    if (over)
      pen.level(ordinal(lane.place), {cell.right() - 12, middle.y}, kEmphasis,
                first ? Ink{Tone::good} : Ink{Tone::muted}, Anchor::end);
    counters(pen, lane,
             options_.measured ? lane.counter.at_time(moment) : lane.counter.at_round(moment));
  }

  // Columns of their own, so that nothing moves but the figures; the last ones are left out first.
  void counters(Drawing& pen, const Lane& lane, const RaceCount& now) const {
    struct Column {
      std::string figure, longest, word;
    };
    const std::vector<Column> columns = {
        {of_all(now.rounds, lane.figures.rounds), fmt::format("{0}/{0}", lane.figures.rounds),
         lane.figures.rounds == 1 ? "round" : "rounds"},
        {bytes_text(now.bytes, lane), bytes_text(lane.figures.bytes, lane), "sent by one rank"},
        {of_all(now.messages, lane.figures.messages),
         fmt::format("{0}/{0}", grouped(lane.figures.messages)),
         lane.figures.messages == 1 ? "message" : "messages"},
        {time_text(now.time_ns), "888.8 µs", "measured"}};
    const double y = lane.cell.bottom() - kCounters / 2;
    double x = lane.cell.x + 12;
    for (const Column& column : columns) {
      const double figure = std::max(pen.width(column.longest, kFigures),
                                     pen.width(column.figure, kFigures)),
                   word = pen.width(column.word, kCaption);
      if (x + figure + 6 + word > lane.cell.right() - 8) return;
      pen.level(column.figure, {x + figure, y}, kFigures, {Tone::text}, Anchor::end);
      pen.level(column.word, {x + figure + 6, y}, kCaption, {Tone::muted}, Anchor::start);
      x += figure + word + 22;
    }
  }
  /// "2/14"; only "2" while the total is predicted.
  std::string of_all(std::uint64_t now, std::uint64_t all, std::string_view of = "/") const {
    return covered_ ? grouped(now) : fmt::format("{}{}{}", grouped(now), of, grouped(all));
  }
  static std::string bytes_text(std::uint64_t bytes, const Lane& lane) {
    if (lane.figures.data == 0) return amount_text(bytes);
    return fmt::format("{:.2f} D",
                       static_cast<double>(bytes) / static_cast<double>(lane.figures.data));
  }

  const RaceOptions options_;
  const Ruler& ruler_;
  Box page_;
  std::vector<Lane> lanes_;
  std::vector<std::string> words_;
  std::string verdict_;   ///< Whole.
  bool covered_ = false;  ///< At the moment that is drawn.
  Font words_font_ = kBody;
};

RaceStages::RaceStages(const std::vector<TraceAnalysis>& runs, RaceOptions options,
                       const Ruler& ruler)
    : painter_(std::make_unique<Painter>(runs, std::move(options), ruler)) {}
RaceStages::~RaceStages() = default;
Scene RaceStages::at(double moment) { return painter_->at(moment); }
double RaceStages::end() const noexcept { return painter_->end(); }

}  // namespace rankscope
