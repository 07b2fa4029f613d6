#include "gui/views/scene_view.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "engine/core/error.h"

namespace rankscope::gui {
namespace {

constexpr double kMostZoom = 16;
constexpr double kLegible = 0.5;  ///< Of a scene's own size.
constexpr double kLeastWindow_us = 0.5;
/// What is made so fast is made where it is drawn; what is made in the background is waited for so long,
/// by each of the views in the window: a picture that lags by a frame is seen.
constexpr std::chrono::microseconds kQuick{2000}, kPatience{3000};
constexpr double kGrab = 6;  ///< Pixels around a thin arrow in which the mouse is on it.

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

SceneCache::~SceneCache() {
  if (pending_.valid()) pending_.wait();
}

std::shared_ptr<const MadeScene> SceneCache::made(const std::string& key, const Make& make) {
  const auto began = std::chrono::steady_clock::now();
  auto result = std::make_shared<MadeScene>();
  result->key = key;
  try {
    result->scene = make();
    result->travellers = travellers(result->scene);
  } catch (const UserError& e) {
    result->error = e.what();
  }
  result->took = std::chrono::steady_clock::now() - began;
  return result;
}

const MadeScene* SceneCache::get(const std::string& key, bool alike, Make make) {
  using namespace std::chrono_literals;
  if (pending_.valid() && pending_.wait_for(0s) == std::future_status::ready)
    shown_ = pending_.get();
  if (shown_ && shown_->key == key) return shown_.get();
  if (alike && shown_ && shown_->took < kQuick && !pending_.valid()) {
    shown_ = made(key, make);
  } else if (!pending_.valid()) {
    pending_ = std::async(std::launch::async, [key, make = std::move(make)]() mutable {
      auto result = made(key, make);
      make =
          nullptr;  // its document may be the last of its kind, and large: it goes here, not in a frame
      return result;
    });
    if (pending_.wait_for(kPatience) == std::future_status::ready) shown_ = pending_.get();
  }
  return shown_.get();
}

ScenePlace SceneView::place(const Scene& scene, ImVec2 low, ImVec2 size) const {
  const double fit = std::min(static_cast<double>(size.x) / scene.width,
                              static_cast<double>(size.y) / scene.height);
  ScenePlace place;
  place.zoom = fit * zoom_;
  const auto middle = [](float from, float room, double extent) {
    return from + (room - static_cast<float>(extent)) / 2;
  };
  place.origin = {std::round(middle(low.x, size.x, scene.width * place.zoom) + pan_.x),
                  std::round(middle(low.y, size.y, scene.height * place.zoom) + pan_.y)};
  return place;
}

// What lies at `to` stays there.
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
void SceneView::zoom_window(const Document& document, double share, double notches) {
  const double end = document.end(ClockBase::measured);
  Span now = window(document);
  const double under = now.begin + share * (now.end - now.begin);
  const double length = std::clamp((now.end - now.begin) * std::pow(1.25, -notches),
                                   std::min(kLeastWindow_us, end), end);
  now.begin = std::clamp(under - share * length, 0.0, end - length);
  now.end = now.begin + length;
  if (length >= end * 0.9999) window_.reset();
  else window_ = now;
}

// What commands ask for: about the mouse, else about the cursor's moment or the middle.
void SceneView::obey(const ViewContext& context, const Scene& scene, bool windowed, ImVec2 low,
                     ImVec2 size) {
  const auto& document = *context.state.document;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over =
      mouse.x >= low.x && mouse.x < low.x + size.x && mouse.y >= low.y && mouse.y < low.y + size.y;
  const ImVec2 to = over ? mouse : ImVec2(low.x + size.x / 2, low.y + size.y / 2);
  for (const Zoom& one : context.zooms) {
    if (one.fit) fit();
    else if (!windowed) zoom(scene, low, size, to, one.notches);
    else {
      const Span now = window(document);
      const double share =
          (context.state.playback.moment - now.begin) / std::max(now.end - now.begin, 1e-9);
      zoom_window(document, share >= 0 && share <= 1 ? share : 0.5, one.notches);
    }
  }
}

// The wheel zooms to the mouse, the middle or right button pans, a double click fits.
void SceneView::navigate(const Scene& scene, ImVec2 low, ImVec2 size) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseWheel != 0) zoom(scene, low, size, io.MousePos, static_cast<double>(io.MouseWheel));
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
}

void SceneView::start_legible(const Scene& scene, ImVec2 size, double unit) {
  if (touched_) return;
  const auto width = static_cast<double>(size.x), height = static_cast<double>(size.y);
  const double whole = std::min(width / scene.width, height / scene.height);
  zoom_ = std::max(1.0, kLegible * unit / whole);
  const auto to_edge = [&](double room, double extent) {
    return static_cast<float>(std::max(0.0, extent * whole * zoom_ - room) / 2);
  };
  pan_ = {to_edge(width, scene.width), to_edge(height, scene.height)};
}

SceneView::Span SceneView::window(const Document& document) {
  const double end = document.end(ClockBase::measured);
  if (window_ && (window_->begin >= end || window_->end > end)) window_.reset();  // of a longer run
  return window_.value_or(Span{0, end});
}

// The same gestures, for time alone.
void SceneView::navigate_window(const Document& document, const Scene& scene, ImVec2 low,
                                ImVec2 size) {
  const ImGuiIO& io = ImGui::GetIO();
  const double end = document.end(ClockBase::measured);
  const ScenePlace at = place(scene, low, size);
  const auto& knots = scene.clock_axis->knots;
  const auto from = static_cast<double>(at.at(knots.front().at).x),
             to = static_cast<double>(at.at(knots.back().at).x);
  if (to - from < 1) return;
  if (io.MouseWheel != 0)
    zoom_window(document,
                std::clamp((static_cast<double>(io.MousePos.x) - from) / (to - from), 0.0, 1.0),
                static_cast<double>(io.MouseWheel));
  Span now = window(document);
  const bool pans = ImGui::IsMouseDragging(ImGuiMouseButton_Middle) ||
                    ImGui::IsMouseDragging(ImGuiMouseButton_Right);
  if (pans) {
    const double by = static_cast<double>(io.MouseDelta.x) / (to - from) * (now.end - now.begin);
    now.begin -= by;
    now.end -= by;
  }
  const double back = now.begin < 0 ? -now.begin : std::min(0.0, end - now.end);
  now.begin = std::max(0.0, now.begin + back);
  now.end = std::min(end, now.end + back);
  if (now.end - now.begin >= end * 0.9999) window_.reset();
  else window_ = now;
}

// A cursor that moves takes the window along.
void SceneView::follow(const Document& document, double moment) {
  const double before = std::exchange(followed_, moment);
  if (!window_ || before == moment || (moment >= window_->begin && moment <= window_->end)) return;
  const double length = window_->end - window_->begin, share = moment > window_->end ? 0.1 : 0.9;
  const double begin = std::clamp(moment - share * length, 0.0,
                                  std::max(0.0, document.end(ClockBase::measured) - length));
  window_ = Span{begin, begin + length};
}

Warp SceneView::warp(const Document& document, const Scene& scene) {
  const auto& knots = scene.clock_axis->knots;
  const Span now = window(document);
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
  hovered_ = hovered && !scrubbing_ ? group_at(scene, mouse, kGrab / at.zoom) : -1;
  const bool down = ImGui::IsMouseDown(ImGuiMouseButton_Left);
  if (!down) scrubbing_ = false;
  if (hovered_ >= 0) {
    const Group& group = scene.groups[static_cast<std::size_t>(hovered_)];
    story_tooltip(context, group.story);
    const Selection what = selection_of(group.id);
    const bool clicked = ImGui::IsMouseClicked(ImGuiMouseButton_Left);
    if (clicked && what.message >= 0)
      context.commands.push("select", {"message", fmt::format("{}", what.message)});
    else if (clicked && what.event >= 0)
      context.commands.push("select", {"event", fmt::format("{}", what.event)});
    else if (clicked && what.rank >= 0)
      context.commands.push("select", {"rank", fmt::format("{}", what.rank)});
    if (what != Selection{}) return;  // else it is as good as nothing
  }
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    if (zoom_ > 1) fit();
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
  const ImVec2 low = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
  if (size.x < 40 || size.y < 40) return;
  const double unit = static_cast<double>(context.look.scale());
  if (!context.state.has_trace()) return draw_empty(context, empty_text(), empty_advice());
  const Request wanted = request(context, std::floor(static_cast<double>(size.x) / unit),
                                 std::floor(static_cast<double>(size.y) / unit));
  if (!wanted.make) return draw_empty(context, empty_text(), empty_advice());
  const auto key = fmt::format("{}|{}", context.state.document->id(), wanted.key);
  const bool alike =
      std::exchange(made_of_, context.state.document->id()) == context.state.document->id();
  const MadeScene* made = cache_.get(key, alike, wanted.make);
  if (cache_.busy() && context.unfinished != nullptr) *context.unfinished = true;
  if (made == nullptr) return draw_empty(context, "Drawing …", "");
  if (!made->error.empty()) return draw_empty(context, "This cannot be drawn", made->error);
  ImGui::InvisibleButton("scene", size,
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle |
                             ImGuiButtonFlags_MouseButtonRight);
  const bool hovered = ImGui::IsItemHovered();
  const bool windowed = wanted.windowed && made->scene.clock_axis;
  if (windowed) {
    zoom_ = 1;
    pan_ = {0, 0};
    follow(*context.state.document, context.state.playback.moment);
  }
  if (!windowed) start_legible(made->scene, size, unit);
  if (hovered || ImGui::IsItemActive()) {
    if (windowed) navigate_window(*context.state.document, made->scene, low, size);
    else navigate(made->scene, low, size);
  }
  obey(context, made->scene, windowed, low, size);
  ScenePlace at = place(made->scene, low, size);
  if (windowed) at.warp = warp(*context.state.document, made->scene);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect(low, {low.x + size.x, low.y + size.y}, true);
  interact(context, made->scene, at, hovered);
  PaintOptions options;
  options.now = wanted.now;
  options.hovered = hovered_;
  const auto selected = selected_group(context);
  if (!selected.empty()) options.selected = group_named(made->scene, selected);
  if (context.state.settings.motion) options.travellers = &made->travellers;
  if (context.state.settings.motion) options.moved = moved(context, made->scene);
  paint(list, made->scene, context.look, at, options);
  overlay(context, list, made->scene, at);
  list.PopClipRect();
}

std::string SceneView::selected_group(const ViewContext& context) const {
  const auto& selection = context.state.selection;
  if (selection.message >= 0) return fmt::format("m{}", selection.message);
  return selection.event >= 0 ? fmt::format("e{}", selection.event) : "";
}

Selection SceneView::selection_of(const std::string& group) const {
  Selection selection;
  std::int64_t number = -1;
  if (group.starts_with('m') || group.starts_with('e')) {
    const auto [end, error] =
        std::from_chars(group.data() + 1, group.data() + group.size(), number);
    if (error == std::errc() && end == group.data() + group.size())
      (group.front() == 'm' ? selection.message : selection.event) = number;
  }
  return selection;
}

}  // namespace rankscope::gui
