// Chooses an animation's moments and captions, and moves the messages in flight between them.
#include "engine/diagrams/moving/flipbook.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/account/pieces.h"
#include "engine/analysis/events/rounds.h"
#include "engine/analysis/statistics.h"
#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/paint/cairo_painter.h"
#include "engine/diagrams/paint/gif.h"
#include "engine/diagrams/paint/video.h"
#include "engine/diagrams/run/run_outcome.h"
#include "engine/diagrams/scene/drawing.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostStops = 400;
constexpr std::size_t kMostCaptionMessages = 8;  // messages in a caption

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

// Returns 17 for "m17", and -1 for something else.
long message_number(const Group& group) {
  if (!group.id.starts_with('m')) return -1;
  return as_number<long>(std::string_view(group.id).substr(1)).value_or(-1);
}

std::string time_name(double us) { return Unit::of_moments(us).named(us * 1e3, us < 1000 ? 1 : 2); }

std::vector<double> stops_of(const Scene& scene, bool rounds) {
  std::vector<double> stops;
  if (rounds) {
    for (int k = 1; k <= std::lround(scene.clock_end); ++k) stops.push_back(k);
    return stops;
  }
  for (const Group& group : scene.groups)
    if (group.timed() && message_number(group) >= 0) stops.push_back(group.end);
  stops.push_back(scene.clock_end);
  ranges::sort(stops);
  const auto twice = std::ranges::unique(stops);
  stops.erase(twice.begin(), twice.end());
  if (stops.size() <= kMostStops) return stops;
  std::vector<double> fewer;
  for (std::size_t i = 1; i <= kMostStops; ++i)
    fewer.push_back(stops[stops.size() * i / kMostStops - 1]);
  return fewer;
}

// Returns "reduce-scatter" for "step 2 / reduce-scatter", because every step has its own phase.
std::string phase_name(const std::string& path) {
  const auto inner = path.rfind(" / ");
  return path.starts_with("step ") && inner != std::string::npos ? path.substr(inner + 3) : path;
}

std::string sentence(const std::vector<std::string>& lines, std::size_t all) {
  if (all == 0) return "no message";
  std::string caption = fmt::format("{}", fmt::join(lines, ", "));
  if (all > lines.size()) caption += fmt::format(", and {} more", all - lines.size());
  return caption;
}

// Returns the phase of most of a moment's messages; the last one's could differ from run to run.
std::string phase_of(const TraceAnalysis& analysis, const std::vector<std::size_t>& messages) {
  const Trace& trace = analysis.trace();
  std::map<std::uint32_t, int> phases;
  for (const std::size_t i : messages)
    if (const auto sent = analysis.messages()[i].sent; sent != kNoEvent)
      ++phases[trace[sent].phase];
  std::map<std::string, int> names;
  for (const auto& [phase, times] : phases) names[phase_name(phase_path(trace, phase))] += times;
  const auto most = ranges::max_element(names, {}, &decltype(names)::value_type::second);
  return most == names.end() ? "" : most->first;
}

// Adds a moment, since whose predecessor these messages (numbers in rounds()) have happened.
void add_moment(std::vector<Flipbook::Moment>& moments, double now, std::string name,
                std::vector<std::size_t> messages, const TraceAnalysis& analysis,
                const std::function<std::string(std::size_t)>& line_of) {
  const auto& all = analysis.messages();
  ranges::stable_sort(messages, {},
                      [&](std::size_t i) { return std::pair(all[i].from, all[i].to); });
  std::vector<std::string> lines;
  for (const std::size_t i : messages | std::views::take(kMostCaptionMessages))
    lines.push_back(line_of(i));
  moments.push_back({now, std::move(name),
                     messages.empty() ? moments.back().phase : phase_of(analysis, messages),
                     sentence(lines, messages.size())});
}

std::vector<Flipbook::Moment> start_of(bool by_round, int first_round) {
  std::vector<Flipbook::Moment> moments{{0, "start", "", "before the first message"}};
  if (by_round && first_round > 1) moments[0].caption = fmt::format("before step {}", first_round);
  return moments;
}

}  // namespace

std::vector<Flipbook::Moment> round_moments(const TraceAnalysis& analysis, int first, int last) {
  const Rounds& all = analysis.rounds();
  std::tie(first, last) = chosen_rounds(first, last, all.count);
  const Pieces& pieces = analysis.pieces();
  std::vector<std::vector<std::size_t>> sent(static_cast<std::size_t>(last - first + 1));
  for (std::size_t i = 0; i < all.messages.size(); ++i)
    if (!all.messages[i].sync && all.round[i] >= first && all.round[i] <= last)
      sent[static_cast<std::size_t>(all.round[i] - first)].push_back(i);
  auto moments = start_of(true, first);
  for (int round = first; round <= last; ++round)
    add_moment(
        moments, round - first + 1, fmt::format("step {}", round),
        std::move(sent[static_cast<std::size_t>(round - first)]), analysis, [&](std::size_t i) {
          const MessageRecord& m = all.messages[i];
          return fmt::format("rank {} sends {} to rank {}", m.from, pieces.of(m).name(), m.to);
        });
  return moments;
}

std::vector<Flipbook::Moment> moments_of(const TraceAnalysis& analysis, const Scene& scene,
                                         bool by_round, int first_round) {
  if (by_round && scene.clock_end <= 0) return round_moments(analysis, first_round);
  const auto stops = stops_of(scene, by_round);
  std::vector<std::vector<std::size_t>> at_stop(stops.size());
  std::unordered_map<std::size_t, std::string_view> lines;
  for (const Group& group : scene.groups) {
    const auto number = static_cast<std::size_t>(message_number(group));
    if (!group.timed() || number >= analysis.messages().size()) continue;  // also -1
    const auto stop = ranges::lower_bound(stops, group.end - 1e-6);
    if (stop == stops.end()) continue;
    at_stop[static_cast<std::size_t>(stop - stops.begin())].push_back(number);
    const auto line = first_line(group.story);
    lines[number] = line.substr(0, line.rfind(" ("));
  }
  auto moments = start_of(by_round, first_round);
  for (std::size_t i = 0; i < stops.size(); ++i) {
    const bool arrived = !by_round && !at_stop[i].empty();
    add_moment(
        moments, stops[i],
        by_round ? fmt::format("step {}", first_round + static_cast<int>(i)) : time_name(stops[i]),
        std::move(at_stop[i]), analysis,
        [&](std::size_t number) { return std::string(lines.at(number)); });
    if (arrived) moments.back().caption.insert(0, "arrived: ");
  }
  return moments;
}

Flipbook flipbook_of(const TraceAnalysis& analysis, Scene scene, bool rounds, int first_round) {
  if (scene.clock_end <= 0)
    throw UserError("this diagram shows no time, so it cannot be animated: choose svg, pdf or png");
  Flipbook book;
  book.title = scene.title;
  book.description = scene.description;
  book.moments = moments_of(analysis, scene, rounds, first_round);
  book.panels.push_back({{std::move(scene)}});
  return book;
}

// ---- Messages on their way ----------------------------------------------------------------------

namespace {

// Finds when a message is at its arrow's ends, which lie within its time, so that arrows do not touch.
void find_times(const Scene& scene, MovingMessage& message) {
  const Group& group = scene.groups[static_cast<std::size_t>(message.group)];
  const auto& points = scene.marks[message.arrow].points;
  message.leaves = group.begin;
  message.arrives = group.end;
  if (!scene.clock_axis) return;
  const bool second = scene.second_axis && group.id.starts_with("b-");
  const ClockAxis& axis = second ? *scene.second_axis : *scene.clock_axis;
  // Groups of a second diagram have times of the first one's clock.
  const double own = axis.knots.back().time;
  const double factor = second && own > 0 ? scene.clock_axis->knots.back().time / own : 1;
  message.leaves = axis.time_at(points.front()) * factor;
  message.arrives = axis.time_at(points.back()) * factor;
}

}  // namespace

std::vector<MovingMessage> moving_messages(const Scene& scene) {
  std::map<std::int32_t, MovingMessage> found;
  for (std::size_t i = 0; i < scene.marks.size(); ++i) {
    const Mark& mark = scene.marks[i];
    if (mark.group < 0 || !scene.groups[static_cast<std::size_t>(mark.group)].timed()) continue;
    if (mark.kind == Mark::Kind::path && mark.arrow && mark.stroke && mark.points.size() >= 4) {
      auto& moving_message = found[mark.group];
      moving_message.group = mark.group;
      moving_message.arrow = i;
    } else if (mark.kind == Mark::Kind::text && i > 0) {
      const Mark& pill = scene.marks[i - 1];
      const auto moving_message = found.find(mark.group);
      if (moving_message != found.end() && pill.kind == Mark::Kind::box &&
          pill.group == mark.group && mark.box.inside(pill.box.grown(4)))
        moving_message->second.label = {i - 1, i};
    }
  }
  std::vector<MovingMessage> list;
  for (auto& [group, moving_message] : found) {
    find_times(scene, moving_message);
    list.push_back(std::move(moving_message));
  }
  return list;
}

Point place_at(const Scene& scene, const MovingMessage& message, double now) {
  const double length = message.arrives - message.leaves;
  return point_along(scene.marks[message.arrow].points,
                     length > 0 ? (now - message.leaves) / length : 1);
}

Point point_along(const std::vector<Point>& path, double share) {
  std::vector<Point> polyline{path.front()};
  for (std::size_t i = 1; i + 2 < path.size(); i += 3) {
    constexpr int kPieces = 24;
    for (int k = 1; k <= kPieces; ++k) {
      const double t = static_cast<double>(k) / kPieces;
      polyline.push_back(bezier(std::span(path).subspan(i - 1), t));
    }
  }
  const auto length = [&](std::size_t i) {
    return std::hypot(polyline[i].x - polyline[i - 1].x, polyline[i].y - polyline[i - 1].y);
  };
  double total = 0;
  for (std::size_t i = 1; i < polyline.size(); ++i) total += length(i);
  double left = total * std::clamp(share, 0.0, 1.0);
  for (std::size_t i = 1; i < polyline.size(); ++i) {
    const double here = length(i);
    if (left > here || here == 0) {
      left -= here;
      continue;
    }
    const double t = left / here;
    return {polyline[i - 1].x + (polyline[i].x - polyline[i - 1].x) * t,
            polyline[i - 1].y + (polyline[i].y - polyline[i - 1].y) * t};
  }
  return path.back();
}

double eased(double share) noexcept {
  const double t = std::clamp(share, 0.0, 1.0);
  return t < 0.5 ? 4 * t * t * t : 1 - std::pow(2 - 2 * t, 3) / 2;
}

namespace {

// Adds the message's travelling label, or a disc if it has none, on top of all else.
void add_moving_message(Scene& scene, const MovingMessage& moving_message, double now) {
  const Point at = place_at(scene, moving_message, now);
  std::vector<Mark> chip;
  for (const std::size_t i : moving_message.label) chip.push_back(scene.marks[i]);
  if (chip.empty()) {
    Mark disc;
    disc.fill = scene.marks[moving_message.arrow].stroke;
    disc.box = {at.x - 6, at.y - 6, 12, 12};
    disc.radius = 6;
    chip.push_back(std::move(disc));
  }
  const Point from = chip.front().box.center();
  for (Mark& mark : chip) {
    shift(mark, {at.x - from.x, at.y - from.y});
    mark.group = -1;
  }
  Mark& pill = chip.front();
  pill.stroke = Ink{Tone::page};
  pill.line_width = 2;
  for (Mark& mark : chip) scene.marks.push_back(std::move(mark));
}

// Moves a scene's messages to where they are at `now`.
void set_out(Scene& scene, double now) {
  std::set<std::size_t, std::greater<>>
      carried;  // descending, so that erasing keeps the others right
  for (const MovingMessage& moving_message : moving_messages(scene)) {
    const Group& group = scene.groups[static_cast<std::size_t>(moving_message.group)];
    if (group.begin >= now || group.end <= now) continue;
    add_moving_message(scene, moving_message, now);
    carried.insert(moving_message.label.begin(), moving_message.label.end());
  }
  for (const std::size_t i : carried)
    scene.marks.erase(scene.marks.begin() + static_cast<std::ptrdiff_t>(i));
}

}  // namespace

std::size_t Flipbook::Panel::number(std::size_t moment, double share) const noexcept {
  const auto each = static_cast<std::size_t>(std::max(between, 1));
  const auto on = static_cast<std::size_t>(share * static_cast<double>(each) + 1e-6);
  return std::min(moment * each + std::min(on, each - 1), scenes.size() - 1);
}

Still still_of(const Flipbook& book, std::size_t moment, double share) {
  const std::size_t next = std::min(moment + 1, book.moments.size() - 1);
  Still frame;
  const double from = book.moments[moment].now, to = book.moments[next].now;
  frame.now = from + (to - from) * share;
  std::vector<Scene> parts;
  for (const auto& panel : book.panels) {
    parts.push_back(panel.timed() ? panel.scenes[0] : panel.scenes[panel.number(moment, share)]);
    // A panel that changes is at its moment already.
    if (!panel.timed())
      for (Group& group : parts.back().groups) group.begin = 0, group.end = -1;
    else set_out(parts.back(), frame.now);
  }
  // On the way to a moment its caption says what happens.
  if (!book.captions.empty()) parts.push_back(book.captions[share > 0 ? next : moment]);
  frame.scene = parts.size() == 1 ? std::move(parts[0]) : stacked(parts);
  return frame;
}

namespace {

constexpr int kFastest = 50;  // the fastest that browsers play in a GIF

Pixels paint(const Flipbook& book, const FramePlan& plan, const Theme& theme, double dpi) {
  const Still frame = still_of(book, plan.moment, plan.share);
  return to_pixels(frame.scene, theme, dpi / 96, frame.now);
}

}  // namespace

std::vector<FramePlan> frames_of(const Flipbook& book, const FrameOptions& options) {
  if (options.fps < 0 || options.fps > kFastest)
    throw UserError(
        fmt::format("{} frames per second: 0 to {} are possible", options.fps, kFastest));
  std::vector<FramePlan> frames;
  const auto ms = [](double seconds) { return static_cast<int>(std::lround(seconds * 1000)); };
  const int between = static_cast<int>(std::lround(options.fps * options.move_s * book.pace));
  for (std::size_t moment = 0; moment < book.moments.size(); ++moment) {
    const bool last = moment + 1 == book.moments.size();
    frames.push_back({moment, 0, ms(last ? options.last_rest_s : options.rest_s)});
    for (int k = 1; k < between && !last; ++k)
      frames.push_back({moment, static_cast<double>(k) / between, ms(1.0 / options.fps)});
  }
  return frames;
}

std::string to_gif(const Flipbook& book, const Theme& theme, double dpi,
                   const FrameOptions& options, const FrameProgress& progress) {
  const auto plan = frames_of(book, options);
  // Nearly everything is pale in the first frame and strong in the last; what moves is in between.
  std::vector<Pixels> samples;
  for (const std::size_t i : {std::size_t{0}, plan.size() / 2, plan.size() - 1})
    samples.push_back(paint(book, plan[i], theme, dpi));
  GifWriter writer(samples);
  samples.clear();
  for (std::size_t i = 0; i < plan.size(); ++i) {
    writer.add(paint(book, plan[i], theme, dpi), plan[i].duration_ms);
    if (progress) progress(i + 1, plan.size());
  }
  return writer.finish();
}

void to_video(const Flipbook& book, const Theme& theme, double dpi, const FrameOptions& options,
              VideoWriter& writer, int video_fps, const FrameProgress& progress) {
  const auto plan = frames_of(book, options);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const double frames = plan[i].duration_ms * video_fps / 1000.0;
    writer.add(paint(book, plan[i], theme, dpi),
               std::max(1, static_cast<int>(std::lround(frames))));
    if (progress) progress(i + 1, plan.size());
  }
  writer.finish();
}

std::string to_png(const Flipbook& book, const FramePlan& plan, const Theme& theme, double dpi) {
  const Still frame = still_of(book, plan.moment, plan.share);
  return to_png(frame.scene, theme, dpi, frame.now);
}

}  // namespace rankscope
