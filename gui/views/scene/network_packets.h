// Packets that travel over the links of a simulated run's network, those that wait, and links that were cut.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/network/router.h"
#include "gui/state/network/network_traffic.h"
#include "gui/views/base/view.h"
#include "gui/views/scene/scene_painter.h"

namespace rankscope::gui {

class NetworkPackets {
 public:
  /// At the cursor, over the scene of the shown topology.
  void draw(const ViewContext& context, ImDrawList& list, const Scene& scene,
            const ScenePlace& place);

 private:
  struct Flight {
    double posted = 0, begin = 0, end = 0;  ///< Shares of the step.
    std::vector<Hop> route;
    Rank from = 0;
    Ink ink;
    std::string name;  ///< "c3"
  };
  void find(const AppState& state, int round);
  void draw_moving(const ViewContext& context, ImDrawList& list, const Scene& scene,
                   const ScenePlace& place, const Flight& flight, double now) const;
  static void draw_waiting(const ViewContext& context, ImDrawList& list, const Box& node,
                           const ScenePlace& place, const std::vector<const Flight*>& all);
  static void draw_cuts(const ViewContext& context, ImDrawList& list, const Scene& scene,
                        const ScenePlace& place);

  std::uint64_t of_document_ = 0, of_network_ = 0;
  int of_round_ = -1;
  std::vector<Flight> flights_;
};

}  // namespace rankscope::gui
