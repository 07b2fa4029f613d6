#include "engine/diagrams/overview.h"

namespace rankscope {

bool needs_overview(const Trace&, const SpacetimeOptions&) { return false; }
Scene overview(const Trace&, const SpacetimeOptions&, const Ruler&) { return {}; }

}  // namespace rankscope
