// A student's diagram as a picture, to be handed in.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"
#include "lessons/grading/diagram_answer.h"

namespace rankscope {

/// A lane for each rank, a column for each time slot that is used, the local copies in front. Drawn as
/// it was given, right or wrong; arrows of ranks that do not exist are named below it. Throws UserError
/// for more ranks than a diagram has.
Scene diagram_picture(std::span<const DiagramArrow> arrows, int ranks, std::string_view title,
                      const Ruler& ruler);

/// The bytes of a file: "svg", "pdf" or "png". Throws UserError for another format.
std::string picture_file(const Scene& scene, std::string_view format);

}  // namespace rankscope
