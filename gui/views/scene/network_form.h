// The row below a network: what is shown, the form of the selected link, or which networks may be opened.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "gui/views/base/view.h"
#include "gui/views/scene/scene_painter.h"

namespace rankscope::gui {

class NetworkForm {
 public:
  /// `room`: the height of the pane.
  static float height(const ViewContext& context, float room);
  /// From the cursor on. `now`: a line about what is shown; `load_of`: what 100 % is, empty: there are no loads.
  void draw(ViewContext& context, float width, float room, const std::string& now,
            const std::string& load_of);
  /// Measures the links' widths for the legend.
  void measure(const Topology& topology, const Scene& scene, const ScenePlace& place);
  /// Buttons of the topologies that come with rankscope, for who has none.
  static float offers_height(const ViewContext& context, float width);
  static void draw_offers(ViewContext& context, float width);

 private:
  enum class Rows : std::uint8_t { one, two, all };
  static Rows rows_of(const ViewContext& context, float room);
  void legend(const ViewContext& context, float width, const std::string& load_of) const;
  void link_row(ViewContext& context, float width);
  void load_fields(const AppState& state);
  bool field(const ViewContext& context, const char* id, const char* title, std::size_t which,
             float width);
  void apply(ViewContext& context) const;

  std::map<double, float> widths_;  ///< Pixels, by bandwidth.
  bool half_ = false;               ///< A link is shared by both directions.
  std::string of_;                  ///< Link and revision whose figures the fields hold.
  std::array<std::array<char, 32>, 3> fields_{};  ///< Bandwidth, the way back, latency.
};

}  // namespace rankscope::gui
