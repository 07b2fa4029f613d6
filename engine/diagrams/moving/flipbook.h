// An animation as plain data: pictures and the moments at which it may stop. GIFs, videos, PNG sequences and the HTML
// player are made from it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/scene/scene.h"
#include "engine/diagrams/scene/theme.h"

namespace rankscope {

struct Flipbook {
  struct Moment {
    double now = 0;       ///< On the clock of the timed panels.
    std::string name;     ///< "step 3", "12.5 µs"; "start".
    std::string phase;    ///< Which phase it belongs to; may be empty.
    std::string caption;  ///< The steps since the moment before, in words: "rank 0 sends ..."
  };
  /// Either one scene whose groups the clock fades, or `between` scenes per moment, all of one size: its own, and those
  /// on the way to the next. In these, groups "moving-..." are painted last, and differ from scene to scene only in
  /// place, as far as possible.
  struct Panel {
    std::vector<Scene> scenes;
    int between = 1;
    /// Returns the index of the scene at this share (0 to below 1) of the way from a moment to the next.
    std::size_t number(std::size_t moment, double share = 0) const noexcept;
    bool timed() const noexcept { return scenes.size() == 1; }
  };

  std::string title, description;
  std::vector<Moment> moments;  ///< At least one; the first is the state before anything happened.
  std::vector<Panel> panels;    ///< From top to bottom.
  std::vector<Scene>
      captions;  ///< The caption of each moment, below the panels; empty where the caller shows it.
  double pace = 1;  ///< Multiplies the time from moment to moment.
};

/// Returns the stops of a diagram's clock: with `rounds`, the end of each round from `first_round` on (a scene without
/// a clock, such as an overview, gets round_moments()); else each message's arrival in microseconds, or fewer if there
/// are very many. Captions and phases are those of the messages, whose groups are "m<number>" by their number in
/// rounds().
std::vector<Flipbook::Moment> moments_of(const TraceAnalysis& analysis, const Scene& scene,
                                         bool rounds, int first_round = 1);

/// Returns the stops of rounds `first` to `last` (0: the last one) from the messages alone, for diagrams that are
/// redrawn for each round. Throws UserError for rounds that the run lacks.
std::vector<Flipbook::Moment> round_moments(const TraceAnalysis& analysis, int first = 1,
                                            int last = 0);

/// Makes a flipbook of one timed scene; panels may be added. Throws UserError for a scene without a clock.
Flipbook flipbook_of(const TraceAnalysis& analysis, Scene scene, bool rounds, int first_round = 1);

/// A message in a scene that can be shown on its way: its arrow, and the label that travels along.
struct MovingMessage {
  std::int32_t group = -1;
  std::size_t arrow = 0;  ///< Index of a mark.
  std::vector<std::size_t>
      label;  ///< Indices of marks: a pill and its text; empty without a label.
  /// The times at which it is at the arrow's ends, on the scene's clock; in between it lies on the cursor.
  double leaves = 0, arrives = 0;
};
std::vector<MovingMessage> moving_messages(const Scene& scene);
/// Returns where the message is at `now`.
Point place_at(const Scene& scene, const MovingMessage& message, double now);

/// Returns the point at this share (0 to 1) of a path's length.
Point point_along(const std::vector<Point>& path, double share);
/// Eases motion: slow, fast, slow.
double eased(double share) noexcept;

/// A scene to paint, and the time `now` on its clock.
struct Still {
  Scene scene;
  double now = -1;
};
/// Returns the panels below each other, `share` (0 to below 1) of the way from this moment to the next; labels of
/// messages on their way travel along their arrows.
Still still_of(const Flipbook& book, std::size_t moment, double share = 0);

class VideoWriter;

struct FrameOptions {
  int fps = 12;            ///< While something moves; 0 shows only the moments.
  double move_s = 0.9;     ///< From one moment to the next.
  double rest_s = 0.7;     ///< At a moment.
  double last_rest_s = 2;  ///< At the last one.
};

/// One frame: which moment it paints, and how long it shows.
struct FramePlan {
  std::size_t moment = 0;
  double share = 0;  ///< See still_of().
  int duration_ms = 0;
};
/// Throws UserError for a frame rate outside of 0 to 50.
std::vector<FramePlan> frames_of(const Flipbook& book, const FrameOptions& options);

using FrameProgress = std::function<void(std::size_t done, std::size_t all)>;

/// Returns a GIF file's bytes.
std::string to_gif(const Flipbook& book, const Theme& theme, double dpi,
                   const FrameOptions& options, const FrameProgress& progress = {});
/// Paints the frames into a video of `video_fps`, each as often as it lasts, and finishes it.
void to_video(const Flipbook& book, const Theme& theme, double dpi, const FrameOptions& options,
              VideoWriter& writer, int video_fps, const FrameProgress& progress = {});
std::string to_png(const Flipbook& book, const FramePlan& frame, const Theme& theme, double dpi);

}  // namespace rankscope
