// Handles pan, zoom, hover, selection and time navigation of a scene's view.
#include "gui/views/scene/scene_view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/text.h"
#include "gui/views/base/compat.h"

namespace rankscope::gui {
namespace {

constexpr double kMostZoom = 16;
/// Share of a scene's own size: a little smaller is better than a scroll bar.
constexpr double kLegible = 1, kNearlyLegible = 0.9, kLargest = 2.6;
/// The shortest part of the time: microseconds, or rounds.
constexpr double kLeastWindow = 0.5;
constexpr double kMostStretch = 100;
constexpr double kLeastAboveFoot =
    64;                      ///< Height of a picture, so that a row of controls has room below it.
constexpr double kGrab = 6;  ///< Pixels around a thin arrow in which the mouse is on it.

double least_window(ClockBase clock, double end) {
  // A stretched scene is made as a whole, which limits the zoom.
  const double least =
      clock == ClockBase::rounds ? std::max(kLeastWindow, end / kMostStretch) : kLeastWindow;
  return std::min(least, end);
}

/// While the cursor runs through a run that is held in parts, the older picture stays until there is another.
std::string key_in_part(const DocumentPtr& document, const std::string& key) {
  return document && document->run() ? fmt::format("{} {}", document->id(), key) : key;
}

void story_tooltip(const ViewContext& context, const std::string& story) {
  if (story.empty()) return;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(context.look.px(420));
  const auto line = story.find('\n');
  context.look.push(14, Font::Weight::semibold);
  ImGui::TextUnformatted(story.c_str(), story.c_str() + std::min(line, story.size()));
  Look::pop();
  if (line != std::string::npos) ImGui::TextUnformatted(story.c_str() + line + 1);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace

ScenePlace SceneView::place(const Scene& scene, ImVec2 low, ImVec2 size) const {
  // A small picture in a large pane: letters as large as headings are large enough.
  const double fit =
      std::min({static_cast<double>(size.x) / scene.width,
                static_cast<double>(size.y) / scene.height, kLargest * static_cast<double>(unit_)});
  ScenePlace place;
  place.zoom = fit * zoom_;
  const auto middle = [](float from, float room, double extent) {
    return from + (room - static_cast<float>(extent)) / 2;
  };
  place.origin = {std::round(middle(low.x, size.x, scene.width * place.zoom) + pan_.x),
                  std::round(middle(low.y, size.y, scene.height * place.zoom) + pan_.y)};
  return place;
}

// The point at `to` stays there.
void SceneView::zoom(const Scene& scene, ImVec2 low, ImVec2 size, ImVec2 to, double notches) {
  touched_ = true;
  const Point under = place(scene, low, size).back(to);
  zoom_ = std::clamp(zoom_ * std::pow(1.15, notches), 1.0, kMostZoom);
  const ImVec2 now = place(scene, low, size).at(under);
  pan_.x += to.x - now.x;
  pan_.y += to.y - now.y;
  if (zoom_ <= 1.0001) fit();
}

// The same for time alone, about the moment at this share of what is shown.
void SceneView::zoom_time(const AppState& state, double share, double notches) {
  const double end = state.document->axis_end(state.playback.clock);
  const Span now = window(state);
  const double under = now.begin + share * (now.end - now.begin);
  const double length = std::clamp((now.end - now.begin) * std::pow(1.25, -notches),
                                   least_window(window_clock_, end), end);
  show_part(end, {under - share * length, under + (1 - share) * length});
}

// Carries out commands: about the mouse, else about the cursor's moment or the middle.
void SceneView::apply_commands(const ViewContext& context, const Scene& scene, bool windowed,
                               ImVec2 low, ImVec2 size) {
  const auto& state = context.state;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over =
      mouse.x >= low.x && mouse.x < low.x + size.x && mouse.y >= low.y && mouse.y < low.y + size.y;
  const ImVec2 to = over ? mouse : ImVec2(low.x + size.x / 2, low.y + size.y / 2);
  for (const Zoom& one : context.zooms) {
    if (one.fit) fit();
    else if (!windowed && !window_ && !(shows_time() && scene.clock_axis))
      zoom(scene, low, size, to, one.notches);
    else {
      const Span now = window(state);
      const double share =
          (state.playback.moment - now.begin) / std::max(now.end - now.begin, 1e-9);
      zoom_time(state, share >= 0 && share <= 1 ? share : 0.5, one.notches);
    }
  }
}

// The wheel zooms to the mouse, or scrolls what is larger than its pane; the middle or right button pans, a double click
// fits.
void SceneView::navigate(const Look& look, const Scene& scene, ImVec2 low, ImVec2 size) {
  const ImGuiIO& io = ImGui::GetIO();
  if (!scroll_by_wheel(look) && io.MouseWheel != 0)
    zoom(scene, low, size, io.MousePos, static_cast<double>(io.MouseWheel));
  // The left button too, where it does not scrub.
  const bool left = zoom_ > 1 && !scrubbing_ && ImGui::IsItemActive() &&
                    ImGui::IsMouseDragging(ImGuiMouseButton_Left);
  if (left || ImGui::IsMouseDragging(ImGuiMouseButton_Middle) ||
      ImGui::IsMouseDragging(ImGuiMouseButton_Right)) {
    touched_ = true;
    pan_.x += io.MouseDelta.x;
    pan_.y += io.MouseDelta.y;
  }
  if (touched_ && zoom_ <= 1.0001) fit();
  keep_inside(scene, low, size);
}

// A picture enlarged for one run says nothing about another's: it would show an empty corner.
void SceneView::start_whole(const AppState& state) {
  const std::string shape = state.document ? fmt::format("{} {}", state.document->world_size(),
                                                         state.document->trace().meta().algorithm)
                                           : "";
  if (std::exchange(enlarged_for_, shape) == shape || shape.empty() || zoom_ == 1) return;
  touched_ = false;
  zoom_ = 1;
  pan_ = {0, 0};
}

void SceneView::start_legible(const Scene& scene, ImVec2 size, double unit) {
  // Nobody scrolls on a projector.
  if (always_fits() || projector_) return void(begins_larger_ = false);
  const auto width = static_cast<double>(size.x), height = static_cast<double>(size.y);
  const double whole = std::min({width / scene.width, height / scene.height, kLargest * unit});
  begins_larger_ = whole < kNearlyLegible * unit;
  if (touched_) return;
  zoom_ = begins_larger_ ? kLegible * unit / whole : 1.0;
  const auto to_edge = [&](double room, double extent) {
    return static_cast<float>(std::max(0.0, extent * whole * zoom_ - room) / 2);
  };
  pan_ = {to_edge(width, scene.width), to_edge(height, scene.height)};
}

SceneView::Span SceneView::window(const AppState& state) {
  const auto clock = state.playback.clock;
  const double end = state.document->axis_end(clock);
  const bool of_others =
      window_ && (window_clock_ != clock || window_->begin >= end || window_->end > end);
  if (of_others) window_.reset();  // of a longer run, or in other units
  window_clock_ = clock;
  return window_.value_or(Span{0, end});
}

double SceneView::stretch(const AppState& state) {
  const Span part = window(state);
  const double end = state.document->axis_end(state.playback.clock), length = part.end - part.begin;
  return length > 0 ? std::clamp(end / length, 1.0, kMostStretch) : 1;
}

void SceneView::show_part(double end, Span part) {
  const double length = std::clamp(part.end - part.begin, least_window(window_clock_, end), end);
  const double begin = std::clamp(part.begin, 0.0, end - length);
  if (length >= end * 0.9999) window_.reset();
  else window_ = Span{begin, begin + length};
}

void SceneView::carry_out(const AppState& state) {
  const ZoomOrder& order = state.zoom;
  if (std::exchange(zoom_done_, order.number) == order.number) return;
  if (order.what == ZoomOrder::What::fit) return fit();
  if (!shows_time()) return;
  (void)window(state);  // on this clock
  zoom_ = 1;
  pan_ = {0, 0};
  show_part(state.document->axis_end(state.playback.clock), {order.begin, order.end});
}

// The same gestures, for time alone: `from` and `to` are where the window begins and ends on the screen.
void SceneView::navigate_time(const AppState& state, double from, double to, double mouse,
                              double moved) {
  if (to - from < 1) return;
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseWheel != 0)
    zoom_time(state, std::clamp((mouse - from) / (to - from), 0.0, 1.0),
              static_cast<double>(io.MouseWheel));
  const bool pans = ImGui::IsMouseDragging(ImGuiMouseButton_Middle) ||
                    ImGui::IsMouseDragging(ImGuiMouseButton_Right);
  if (!pans) return;
  const Span now = window(state);
  const double by = moved / (to - from) * (now.end - now.begin);
  show_part(state.document->axis_end(state.playback.clock), {now.begin - by, now.end - by});
}

// A cursor that moves takes the window along.
void SceneView::follow(const AppState& state) {
  const double moment = state.playback.moment;
  const double before = std::exchange(followed_, moment);
  if (!window_ || before == moment || (moment >= window_->begin && moment <= window_->end)) return;
  const double length = window_->end - window_->begin, share = moment > window_->end ? 0.1 : 0.9;
  const double begin =
      std::clamp(moment - share * length, 0.0,
                 std::max(0.0, state.document->axis_end(state.playback.clock) - length));
  window_ = Span{begin, begin + length};
}

// The scene is longer than the pane: its part begins where all of it would.
ScenePlace SceneView::place_of_part(const AppState& state, const Scene& scene, ImVec2 low,
                                    ImVec2 size) {
  const ClockAxis& axis = *scene.clock_axis;
  const bool down = axis.across.x != 0;
  ScenePlace place;
  place.zoom =
      down ? static_cast<double>(size.x) / scene.width : static_cast<double>(size.y) / scene.height;
  const Point zero = axis.knots.front().at, begin = axis.at(window(state).begin);
  place.origin = {low.x + static_cast<float>((down ? 0 : zero.x - begin.x) * place.zoom),
                  low.y + static_cast<float>((down ? zero.y - begin.y : 0) * place.zoom)};
  return place;
}

Warp SceneView::warp(const AppState& state, const Scene& scene) {
  const auto& knots = scene.clock_axis->knots;
  const Span now = window(state);
  const double made = knots.back().time - knots.front().time, length = now.end - now.begin;
  Warp warp{knots.front().at.x, knots.back().at.x, 1, 0};
  if (made <= 0 || length <= 0) return warp;
  // Times of a window are whole nanoseconds.
  if (std::abs(now.begin - knots.front().time) < 0.002 &&
      std::abs(now.end - knots.back().time) < 0.002)
    return warp;
  warp.scale = made / length;
  warp.shift = (knots.front().time - now.begin) / length * (warp.to - warp.from);
  return warp;
}

void SceneView::interact(ViewContext& context, const Scene& scene, const ScenePlace& at,
                         bool hovered) {
  const Point mouse = at.back(ImGui::GetIO().MousePos);
  const bool taken = takes_mouse(context, at, hovered);
  // A right click that took an arrow of an answer away, or ended its drag, opens no menu when it is let go.
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) right_taken_ = taken;
  const bool found = hovered && !scrubbing_ && !taken && !covers(context, scene, mouse);
  hovered_ = found ? group_at(scene, mouse, kGrab / at.zoom) : -1;
  const bool down = ImGui::IsMouseDown(ImGuiMouseButton_Left);
  if (taken) return void(scrubbing_ = down);  // so that the view does not pan
  if (!down) scrubbing_ = false;
  if (hovered_ >= 0) {
    const Group& group = scene.groups[static_cast<std::size_t>(hovered_)];
    story_tooltip(context, group.story);
    const auto what = selection_of(group.id).thing();
    const bool clicked = ImGui::IsMouseClicked(ImGuiMouseButton_Left);
    if (clicked && picked(context, group.id)) return;
    if (clicked && what) context.commands.push(cmd::select(what->first, what->second));
    if (what) return;  // a mark that selects nothing counts as background
  }
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    scrubbing_ = false;
    if (double_clicked(context, scene, mouse, hovered_)) return;
    if (zoom_ > 1 || window_) fit();
    else touched_ = false;
    return;
  }
  if (hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    scrubbing_ = dragged(context, scene, mouse);
    if (!scrubbing_) clicked(context, scene, mouse);
  } else if (down && scrubbing_) {
    dragged(context, scene, mouse);
  }
}

void SceneView::draw(ViewContext& context) {
  ImVec2 low = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
  if (size.x < 40 || size.y < 40) return;
  const double unit = static_cast<double>(context.look.scale());
  const ProgramState& program = context.state.program;
  if (needs_trace() && !context.state.has_trace() && program.running())
    return draw_empty(context, program.running_words(),
                      "Its run opens here when it has ended. Shift+F5 ends it now.");
  if (needs_trace() && !context.state.has_trace() && program.open() && !program.problem.empty())
    return draw_empty(context, program.problem,
                      context.state.problems.empty() ? "" : context.state.problems.front().advice);
  if (needs_trace() && !context.state.has_trace() && !context.state.problems.empty() &&
      context.state.error.empty())
    return draw_empty(context, context.state.problems.front().what, SceneView::empty_advice());
  if (needs_trace() && !context.state.has_trace())
    return context.state.lesson.lesson
               ? draw_empty(context, "",
                            "Runs stand here: those that the lesson shows, and your own.")
               : draw_empty(context, SceneView::empty_text(), SceneView::empty_advice());
  unit_ = context.look.scale();
  if (std::exchange(projector_, context.look.projector()) != projector_) fit();
  // An answer, and what would have freed a deadlock, cannot be given without it.
  const float foot = footer_height(context, size.x);
  if (foot > 0 && size.y - foot >= context.look.px(kLeastAboveFoot)) {
    size.y -= foot;
    ImGui::SetCursorScreenPos({low.x, low.y + size.y});
    footer(context, size.x);
  }
  carry_out(context.state);
  const Request wanted = request(context, std::floor(static_cast<double>(size.x) / unit),
                                 std::floor(static_cast<double>(size.y) / unit));
  if (!wanted.make) {
    before_empty(context);
    ImGui::SetCursorScreenPos(low);
    compat::begin_child("empty", size, ImGuiWindowFlags_NoScrollbar);  // above the footer
    draw_empty(context, empty_text(), empty_advice());
    return ImGui::EndChild();
  }
  const std::uint64_t source = context.state.document ? context.state.document->run_id() : 0;
  const std::string key =
      wanted.of_run ? wanted.key : key_in_part(context.state.document, wanted.key);
  start_whole(context.state);
  const MadeScene* made = cache_.get(source, key, wanted.make);
  if (cache_.busy() && context.unfinished != nullptr) *context.unfinished = true;
  if (made == nullptr) return draw_empty(context, "Drawing …", "");
  if (!made->error.empty()) return draw_empty(context, "This cannot be drawn", made->error);
  if (wanted.captioned) write_caption(context, made->scene.description, low, size);
  if (size.x < 40 || size.y < 40) return;
  ImGui::SetCursorScreenPos(low);
  ImGui::InvisibleButton("scene", size,
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle |
                             ImGuiButtonFlags_MouseButtonRight);
  const bool hovered = ImGui::IsItemHovered();
  const bool windowed = wanted.windowed && made->scene.clock_axis;
  apply_commands(context, made->scene, windowed, low, size);
  const ScenePlace at =
      navigated(context, made->scene, low, size, windowed, hovered || ImGui::IsItemActive());
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect(low, {low.x + size.x, low.y + size.y}, true);
  const bool scrolls = begins_larger_ && !windowed && !window_;
  list.ChannelsSplit(2);  // the bars lie over the picture, and come first for the mouse
  list.ChannelsSetCurrent(1);
  const bool on_bar = scrolls && scroll(context, list, made->scene, at, low, size);
  list.ChannelsSetCurrent(0);
  interact(context, made->scene, at, hovered && !on_bar);
  paint_picture(context, list, *made, wanted, at, low, size);
  list.ChannelsMerge();
  list.PopClipRect();
  if (hovered && !right_taken_ && ContextPopup::clicked()) ask_what_to_do(context, made->scene);
  popup_.draw(context);
}

// The scene, what is drawn over it, and the names at its edges.
void SceneView::paint_picture(ViewContext& context, ImDrawList& list, const MadeScene& made,
                              const Request& wanted, const ScenePlace& at, ImVec2 low,
                              ImVec2 size) {
  PaintOptions options;
  options.now = wanted.now;
  options.hovered = hovered_;
  const auto selected = selected_group(context);
  if (!selected.empty()) options.selected = group_named(made.scene, selected);
  options.emphasis = emphasis_of(context.state, made.scene, wanted.key);
  if (context.state.settings.motion) options.moving_messages = &made.moving_messages;
  if (context.state.settings.motion) options.moved = moved(context, made.scene);
  options.without_moving_labels = true;
  const bool part = window_ && !wanted.windowed && made.scene.clock_axis;
  const ImVec2 head = part ? head_of(context, list, made.scene, at, low, size) : low;
  list.PushClipRect(head, {low.x + size.x, low.y + size.y}, true);
  paint(list, made.scene, context.look, at, options);
  if (part) name_phases(context, list, made.scene, at, head, {low.x + size.x - head.x, size.y});
  overlay(context, list, made.scene, at);
  paint_moving_labels(list, made.scene, context.look, at, options);
  list.PopClipRect();
  pin_names(context, list, made.scene, at, low, size);
}

// Applies mouse and orders to the view's part, and places the scene.
ScenePlace SceneView::navigated(const ViewContext& context, const Scene& scene, ImVec2 low,
                                ImVec2 size, bool windowed, bool under_mouse) {
  const AppState& state = context.state;
  const auto whole = [&] {
    ScenePlace at = place(scene, low, size);
    if (windowed) at.warp = warp(state, scene);
    return at;
  };
  const bool timed =
      windowed || (scene.clock_axis && shows_time() && (window_ || ImGui::GetIO().KeyShift));
  if (windowed || window_) {
    zoom_ = 1;
    pan_ = {0, 0};
    follow(state);
  } else {
    start_legible(scene, size, static_cast<double>(unit_));
  }
  if (under_mouse && timed) {
    const ImGuiIO& io = ImGui::GetIO();
    const auto& knots = scene.clock_axis->knots;
    const bool down = scene.clock_axis->across.x != 0;
    ScenePlace at = window_ && !windowed ? place_of_part(state, scene, low, size) : whole();
    at.warp = {};
    const Span part = window(state);
    const ImVec2 from = at.at(windowed ? knots.front().at : scene.clock_axis->at(part.begin)),
                 to = at.at(windowed ? knots.back().at : scene.clock_axis->at(part.end));
    if (down)
      navigate_time(state, double{from.y}, double{to.y}, double{io.MousePos.y},
                    double{io.MouseDelta.y});
    else
      navigate_time(state, double{from.x}, double{to.x}, double{io.MousePos.x},
                    double{io.MouseDelta.x});
  } else if (under_mouse) {
    navigate(context.look, scene, low, size);
  }
  return window_ && !windowed && scene.clock_axis ? place_of_part(state, scene, low, size)
                                                  : whole();
}

const std::vector<Emphasis>& SceneView::emphasis_of(const AppState& state, const Scene& scene,
                                                    const std::string& key) {
  const auto& chosen = state.selection;
  // A message's receiver is selected with it, and is not meant.
  const SceneChoice choice{chosen.message, chosen.message >= 0 ? -1 : chosen.rank, chosen.chunk};
  const auto cells = cell_meaning();
  const std::string wanted =
      choice.any() && cells
          ? fmt::format("{} {} {} {} {} {}", state.document->id(), key, choice.message, choice.rank,
                        choice.chunk, fmt::ptr(&scene))
          : "";
  if (wanted == emphasis_for_) return emphasis_;
  emphasis_for_ = wanted;
  emphasis_ = wanted.empty() ? std::vector<Emphasis>()
                             : emphasis(scene, state.document->analysis(), choice, *cells);
  return emphasis_;
}

std::string SceneView::selected_group(const ViewContext& context) const {
  const auto& selection = context.state.selection;
  if (selection.message >= 0) return fmt::format("m{}", selection.message);
  return selection.event >= 0 ? fmt::format("e{}", selection.event) : "";
}

Selection SceneView::selection_of(const std::string& group) const {
  Selection selection;
  if (group.starts_with('m') || group.starts_with('e'))
    if (const auto number = as_number<std::int64_t>(std::string_view(group).substr(1)))
      (group.front() == 'm' ? selection.message : selection.event) = *number;
  return selection;
}

namespace {

constexpr double kBarWidth = 10, kBarGrip = 6, kLeastGrip = 24, kWheelStep = 60;

/// A bar of a pane along one of its axes; everything in pixels.
struct ScrollBar {
  float from = 0, length = 0;  ///< Where it begins, and how long it is.
  float content = 0, view = 0, begin = 0;
  bool needed() const noexcept { return content > view + 1; }
  float grip() const noexcept { return length * view / content; }
  /// The share of what can be scrolled that lies before what is seen.
  float share() const noexcept { return std::clamp(begin / (content - view), 0.0F, 1.0F); }
};

}  // namespace

bool SceneView::scroll(const ViewContext& context, ImDrawList& list, const Scene& scene,
                       const ScenePlace& at, ImVec2 low, ImVec2 size) {
  const Look& look = context.look;
  const float wide = look.px(kBarWidth);
  ScrollBar bars[2];
  bars[0] = {low.x, size.x - wide, static_cast<float>(scene.width * at.zoom), size.x,
             low.x - at.origin.x};
  bars[1] = {low.y, size.y - wide, static_cast<float>(scene.height * at.zoom), size.y,
             low.y - at.origin.y};
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) held_bar_ = -1;
  bool on_bar = held_bar_ >= 0;
  for (int axis = 0; axis < 2; ++axis) {
    const ScrollBar& bar = bars[axis];
    if (!bar.needed() || bar.length < look.px(kLeastGrip)) continue;
    const bool down = axis == 1;
    const float edge = down ? low.x + size.x - wide : low.y + size.y - wide;
    const float along = down ? mouse.y : mouse.x, across = down ? mouse.x : mouse.y;
    const bool over = across >= edge && across < edge + wide && along >= bar.from &&
                      along < bar.from + bar.length && ImGui::IsItemHovered();
    if (over && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) held_bar_ = axis;
    on_bar = on_bar || over;
    const float grip = std::max(bar.grip(), look.px(kLeastGrip));
    if (held_bar_ == axis) {
      // The mouse holds the grip's middle.
      const float share =
          std::clamp((along - bar.from - grip / 2) / std::max(bar.length - grip, 1.0F), 0.0F, 1.0F);
      (down ? pan_.y : pan_.x) += bar.begin - share * (bar.content - bar.view);
      touched_ = true;
    }
    const float begin = bar.from + bar.share() * (bar.length - grip);
    const float inset = (wide - look.px(kBarGrip)) / 2;
    const ImVec2 a = down ? ImVec2(edge + inset, begin) : ImVec2(begin, edge + inset);
    const ImVec2 b = down ? ImVec2(edge + wide - inset, begin + grip)
                          : ImVec2(begin + grip, edge + wide - inset);
    const auto& p = look.palette();
    list.AddRectFilled(a, b, over || held_bar_ == axis ? p.accent : p.muted, look.px(kBarGrip) / 2);
  }
  return on_bar;
}

bool SceneView::scroll_by_wheel(const Look& look) {
  const ImGuiIO& io = ImGui::GetIO();
  if (!begins_larger_ || zoom_ <= 1.0001 || io.KeyCtrl ||
      (io.MouseWheel == 0 && io.MouseWheelH == 0))
    return false;
  pan_.y += io.MouseWheel * look.px(kWheelStep);
  pan_.x += io.MouseWheelH * look.px(kWheelStep);
  touched_ = true;
  return true;
}

// A picture that is scrolled does not leave its pane.
void SceneView::keep_inside(const Scene& scene, ImVec2 low, ImVec2 size) {
  if (!begins_larger_) return;
  const ScenePlace at = place(scene, low, size);
  const auto keep = [](float& pan, float room, double extent) {
    const float most = std::max(0.0F, static_cast<float>(extent) - room) / 2;
    pan = std::clamp(pan, -most, most);
  };
  keep(pan_.x, size.x, scene.width * at.zoom);
  keep(pan_.y, size.y, scene.height * at.zoom);
}

}  // namespace rankscope::gui
