// A view that shows one scene, with pan, zoom, hover and selection. A scene is made again only when its input has
// changed, and in the background if that takes long.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gui/state/command/made_later.h"
#include "gui/views/base/context_popup.h"
#include "gui/views/base/view.h"
#include "gui/views/scene/scene_painter.h"

namespace rankscope::gui {

struct MadeScene {
  Scene scene;
  std::vector<MovingMessage> moving_messages;
  std::string error;  ///< Why no scene could be made; empty if one was.
};

class SceneCache {
 public:
  using Make = std::function<Scene()>;
  /// See MadeLater::get().
  const MadeScene* get(std::uint64_t source, const std::string& key, Make make);
  bool busy() const noexcept { return scenes_.busy(); }

 private:
  MadeLater<MadeScene> scenes_;
};

class SceneView : public View {
 public:
  void draw(ViewContext& context) final;
  bool zooms() const final { return true; }

 protected:
  struct Request {
    double width = 0, height = 0;  ///< Size of the pane, in the scene's units.
    std::string key;  ///< Everything that the scene depends on, except for the document.
    SceneCache::Make make;
    double now = -1;
    /// If true, the scene shows only the part window() of the time. Zooming and panning change this part, and the older
    /// scene is stretched until the new one is ready. If false, the scene shows the whole time and is longer than the
    /// pane by the factor stretch().
    bool windowed = false;
    /// Writes Scene::description in the pane, in the window's own text size: its first line above the scene, the others
    /// below.
    bool captioned = false;
    /// Shows the whole run even if only a part of it is in memory, so the scene does not depend on that part.
    bool of_run = false;
  };
  /// Returns whether the whole scene is shown at first, however small, because its form matters more than its texts.
  virtual bool always_fits() const { return false; }
  /// Returns false if the view can be drawn without a trace.
  virtual bool needs_trace() const { return true; }
  /// Called when there is nothing to show, before empty_text().
  virtual void before_empty(const ViewContext&) {}
  /// Returns the scene to show; a request without `make` shows `empty_text`.
  virtual Request request(const ViewContext& context, double width, double height) = 0;
  virtual std::string_view empty_text() const { return "Nothing has been recorded yet"; }
  virtual std::string_view empty_advice() const { return kStartOrOpen; }
  /// Return the group of the current selection, and the selection that a group stands for. By default, groups are
  /// messages ("m17").
  virtual std::string selected_group(const ViewContext& context) const;
  virtual Selection selection_of(const std::string& group) const;
  /// Returns the meaning of the two numbers in groups such as "cell-2-1"; nothing if a selection does not dim this
  /// scene, or if the scene does so itself.
  virtual std::optional<CellMeaning> cell_meaning() const { return CellMeaning::other; }
  /// Draws over the scene, such as the cursor's line.
  virtual void overlay(ViewContext&, ImDrawList&, const Scene&, const ScenePlace&) {}
  /// Returns whether something covers the scene at this point, so that no group is found there.
  virtual bool covers(const ViewContext&, const Scene&, Point) const { return false; }
  /// Returns the height of the row of controls below the scene (0 for none); footer() draws it from ImGui's cursor.
  virtual float footer_height(const ViewContext&, float /*width*/) const { return 0; }
  virtual void footer(ViewContext&, float /*width*/) {}
  /// Handles a click on a group; returns true if that was a command, so that nothing is selected.
  virtual bool picked(ViewContext&, const std::string& /*group*/) { return false; }
  /// Returns whether something drawn over the scene uses the mouse; then nothing in the scene is hovered or pressed.
  virtual bool takes_mouse(ViewContext&, const ScenePlace&, bool /*hovered*/) { return false; }
  /// Handles a click beside all groups that can be selected.
  virtual void clicked(ViewContext&, const Scene&, Point) {}
  /// Handles a double click; returns false to let it fit the scene into the pane.
  virtual bool double_clicked(ViewContext&, const Scene&, Point, std::int32_t /*group*/) {
    return false;
  }
  /// Returns whether commands that show a part of the time apply to this view.
  virtual bool shows_time() const { return false; }
  /// Handles a press or drag beside all groups that can be selected (scrubbing); returns false to let the view pan.
  virtual bool dragged(ViewContext&, const Scene&, Point) { return false; }
  /// Returns the groups that are moved from their places in the scene, and by how much.
  virtual std::vector<std::pair<std::int32_t, Point>> moved(const ViewContext&, const Scene&) {
    return {};
  }
  /// Returns the emphasis of each group for the current selection; computed again only when the scene or the selection
  /// changes.
  const std::vector<Emphasis>& emphasis_of(const AppState& state, const Scene& scene,
                                           const std::string& key);
  void fit() noexcept {
    touched_ = true;
    zoom_ = 1;
    pan_ = {0, 0};
    window_.reset();
  }
  /// A part of the time, on the playback's clock.
  struct Span {
    double begin = 0, end = 0;
    bool operator==(const Span&) const = default;
  };
  /// Returns the part of the time to show: the whole time until somebody zooms.
  Span window(const AppState& state);
  /// Returns how many times longer than the pane a scene of the whole time must be, so that window() fills the pane.
  double stretch(const AppState& state);

 private:
  ScenePlace place(const Scene& scene, ImVec2 low, ImVec2 size) const;
  ScenePlace place_of_part(const AppState& state, const Scene& scene, ImVec2 low, ImVec2 size);
  void navigate(const Look& look, const Scene& scene, ImVec2 low, ImVec2 size);
  /// Draws scroll bars if the scene is larger than its pane; returns whether they use the mouse.
  bool scroll(const ViewContext& context, ImDrawList& list, const Scene& scene,
              const ScenePlace& at, ImVec2 low, ImVec2 size);
  bool scroll_by_wheel(const Look& look);
  void keep_inside(const Scene& scene, ImVec2 low, ImVec2 size);
  void navigate_time(const AppState& state, double from, double to, double mouse, double moved);
  Warp warp(const AppState& state, const Scene& scene);
  void follow(const AppState& state);
  void carry_out(const AppState& state);
  ScenePlace navigated(const ViewContext& context, const Scene& scene, ImVec2 low, ImVec2 size,
                       bool windowed, bool under_mouse);
  static ImVec2 head_of(const ViewContext& context, ImDrawList& list, const Scene& scene,
                        const ScenePlace& at, ImVec2 low, ImVec2 size);
  void show_part(double end, Span part);
  void zoom(const Scene& scene, ImVec2 low, ImVec2 size, ImVec2 to, double notches);
  void zoom_time(const AppState& state, double share, double notches);
  void apply_commands(const ViewContext& context, const Scene& scene, bool windowed, ImVec2 low,
                      ImVec2 size);
  void paint_picture(ViewContext& context, ImDrawList& list, const MadeScene& made,
                     const Request& wanted, const ScenePlace& at, ImVec2 low, ImVec2 size);
  void interact(ViewContext& context, const Scene& scene, const ScenePlace& at, bool hovered);

  SceneCache cache_;
  static void write_caption(const ViewContext& context, const std::string& text, ImVec2& low,
                            ImVec2& size);
  static void name_phases(const ViewContext& context, ImDrawList& list, const Scene& scene,
                          const ScenePlace& at, ImVec2 low, ImVec2 size);
  void pin_names(const ViewContext& context, ImDrawList& list, const Scene& scene,
                 const ScenePlace& at, ImVec2 low, ImVec2 size) const;
  /// Pictures that would be too small to read begin at a legible size, at their top left corner.
  void start_legible(const Scene& scene, ImVec2 size, double unit);
  void start_whole(const AppState& state);

  void ask_what_to_do(const ViewContext& context, const Scene& scene);

  ContextPopup popup_;
  std::string emphasis_for_;  ///< Key of the scene and selection that emphasis_ was computed for.
  std::vector<Emphasis> emphasis_;
  bool touched_ = false;        ///< The user has zoomed or panned.
  bool begins_larger_ = false;  ///< The text would be too small if the whole scene were shown.
  int held_bar_ = -1;           ///< The scroll bar being dragged: 0 below, 1 right, -1 none.
  std::string enlarged_for_;    ///< The ranks and algorithm of the run that the zoom is for.
  double zoom_ = 1;             ///< Relative to the size at which the whole scene fits.
  ImVec2 pan_{0, 0};
  std::optional<Span> window_;  ///< The whole time if empty.
  ClockBase window_clock_ = ClockBase::rounds;
  std::uint64_t zoom_done_ = 0;  ///< The last ZoomOrder.
  double followed_ = -1;
  float unit_ = 1;
  bool projector_ = false;
  std::int32_t hovered_ = -1;
  bool scrubbing_ = false;
  bool right_taken_ = false;  ///< Whether something over the scene used the right press.
};

}  // namespace rankscope::gui
