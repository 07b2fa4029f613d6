// A view that shows one scene, with pan, zoom, hover and selection. Scenes are made again only when what
// they are made from has changed, and in the background where that takes long.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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
  std::string error;  ///< Instead of a scene.
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
    /// The scene shows window() of the time that its clock axis tells: zooming and panning ask for
    /// another window, and until its scene is ready the older one is stretched. Otherwise it shows all of
    /// the time, as much longer than the pane as window() is shorter than that.
    bool windowed = false;
    /// Scene::description is written in the pane: its first line above the scene, the others below it, in
    /// letters that stay as large as the window's own.
    bool captioned = false;
    /// Whether it shows all of a run that is held in parts, whichever part is held.
    bool of_run = false;
  };
  /// All of it is shown at first, however small: its form says more than its texts do.
  virtual bool always_fits() const { return false; }
  /// False: it has something to show, or to say, where nothing is open.
  virtual bool needs_trace() const { return true; }
  /// Nothing is shown now: empty_text() is asked next.
  virtual void before_empty(const ViewContext&) {}
  /// Returns the scene to show; a request without `make` shows `empty_text`.
  virtual Request request(const ViewContext& context, double width, double height) = 0;
  virtual std::string_view empty_text() const { return "Nothing has been recorded yet"; }
  virtual std::string_view empty_advice() const { return kStartOrOpen; }
  /// The group of what is selected, and what a group selects. Default: messages "m17".
  virtual std::string selected_group(const ViewContext& context) const;
  virtual Selection selection_of(const std::string& group) const;
  /// The meaning of its groups "cell-2-1"; `other` where a selection dims nothing here, or the scene itself does.
  virtual std::optional<CellMeaning> cell_meaning() const { return CellMeaning::other; }
  /// Over the scene: the cursor's line.
  virtual void overlay(ViewContext&, ImDrawList&, const Scene&, const ScenePlace&) {}
  /// Something lies over this point, so that nothing of the scene is found there.
  virtual bool covers(const ViewContext&, const Scene&, Point) const { return false; }
  /// A row of controls below the scene: its height, and what is in it. It draws in the window, from the cursor on.
  virtual float footer_height(const ViewContext&, float /*width*/) const { return 0; }
  virtual void footer(ViewContext&, float /*width*/) {}
  /// A click on a group: an order, and no selection.
  virtual bool picked(ViewContext&, const std::string& /*group*/) { return false; }
  /// The mouse is for what lies over the scene, which draws it, too: nothing of the scene is hovered or pressed then.
  virtual bool takes_mouse(ViewContext&, const ScenePlace&, bool /*hovered*/) { return false; }
  /// A click on nothing.
  virtual void clicked(ViewContext&, const Scene&, Point) {}
  /// A double click; false: it fits the scene into the pane.
  virtual bool double_clicked(ViewContext&, const Scene&, Point, std::int32_t /*group*/) {
    return false;
  }
  /// Orders to show a part of the time are meant for this view.
  virtual bool shows_time() const { return false; }
  /// The mouse is held down on nothing and moves (scrubbing); false: the view pans.
  virtual bool dragged(ViewContext&, const Scene&, Point) { return false; }
  /// Returns the groups that are moved from their places in the scene, and by how much.
  virtual std::vector<std::pair<std::int32_t, Point>> moved(const ViewContext&, const Scene&) {
    return {};
  }
  /// For what is selected; made again only when the scene or the selection changes.
  const std::vector<Emphasis>& emphasis_of(const AppState& state, const Scene& scene,
                                           const std::string& key);
  void fit() noexcept {
    touched_ = true;
    zoom_ = 1;
    pan_ = {0, 0};
    window_.reset();
  }
  /// Part of the time, on the playback's clock.
  struct Span {
    double begin = 0, end = 0;
    bool operator==(const Span&) const = default;
  };
  /// The part to be shown: at first all.
  Span window(const AppState& state);
  /// How much longer than the pane a scene of all of the time has to be, to show window() in it.
  double stretch(const AppState& state);

 private:
  ScenePlace place(const Scene& scene, ImVec2 low, ImVec2 size) const;
  ScenePlace place_of_part(const AppState& state, const Scene& scene, ImVec2 low, ImVec2 size);
  void navigate(const Look& look, const Scene& scene, ImVec2 low, ImVec2 size);
  /// Draws the bars of a scene that is larger than its pane; true: the mouse is for them.
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

  void ask_what_to_do(const ViewContext& context, const Scene& scene);

  ContextPopup popup_;
  std::string emphasis_for_;  ///< Scene and selection.
  std::vector<Emphasis> emphasis_;
  bool touched_ = false;        ///< Somebody has zoomed or moved it.
  bool begins_larger_ = false;  ///< Its letters would be too small if all of it were shown.
  int held_bar_ = -1;           ///< 0: the one below, 1: the one at the right.
  double zoom_ = 1;             ///< Relative to the size at which the whole scene fits.
  ImVec2 pan_{0, 0};
  std::optional<Span> window_;  ///< Empty: all of the time.
  ClockBase window_clock_ = ClockBase::rounds;
  std::uint64_t zoom_done_ = 0;  ///< The last ZoomOrder.
  double followed_ = -1;
  float unit_ = 1;
  std::int32_t hovered_ = -1;
  bool scrubbing_ = false;
  bool right_taken_ = false;  ///< The right button was pressed for what lies over the scene.
};

}  // namespace rankscope::gui
