// Makes and draws the stage on a card.
#include "gui/views/scene/small_stage.h"

#include <algorithm>
#include <cmath>
#include <exception>

#include <fmt/format.h>

#include "gui/views/scene/scene_painter.h"

namespace rankscope::gui {

void SmallStage::draw(ViewContext& context, const std::function<DocumentPtr()>& run, double moment,
                      ImVec2 low, ImVec2 size, bool awaited, double shrunk) {
  const Look& look = context.look;
  const auto unit = static_cast<double>(look.scale()) / shrunk;
  const double width = std::floor(static_cast<double>(size.x) / unit),
               height = std::floor(static_cast<double>(size.y) / unit);
  if (width < 60 || height < 40) return;
  const Picture* made = picture_.get(
      1, fmt::format("{:.3f} {}x{}", end_ > 0 ? moment : -1.0, width, height),
      [card = made_, run, moment, width, height] {
        Picture out;
        try {
          if (!card->run) card->run = run();
          if (!card->stage || card->width != width || card->height != height) {
            StageOptions options;
            options.width = card->width = width;
            options.height = card->height = height;
            options.heading = false;
            card->stage = std::make_unique<Stage>(card->run->analysis(), options, system_ruler());
          }
          out.scene = card->stage->at(moment);
          out.end = card->stage->end();
          out.stuck = card->stage->stuck();
        } catch (const std::exception& e) {  // a page without one of its pictures is still a page
          out.error = e.what();
        }
        return out;
      });
  const bool waited_for = made == nullptr || end_ == 0 || awaited;
  if (picture_.busy() && waited_for && context.unfinished != nullptr) *context.unfinished = true;
  if (made == nullptr) return;
  if (end_ == 0 && made->end > 0 && context.unfinished != nullptr) *context.unfinished = true;
  end_ = made->end;
  stuck_ = made->stuck;
  if (made->scene.width <= 0) return;
  const double zoom = std::min(static_cast<double>(size.x) / made->scene.width,
                               static_cast<double>(size.y) / made->scene.height);
  const ScenePlace place{{low.x + (size.x - static_cast<float>(made->scene.width * zoom)) / 2,
                          low.y + (size.y - static_cast<float>(made->scene.height * zoom)) / 2},
                         zoom};
  paint(*ImGui::GetWindowDrawList(), made->scene, look, place, {});
}

}  // namespace rankscope::gui
