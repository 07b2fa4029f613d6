// Names of the models of ports.
#include "engine/network/network.h"

namespace rankscope {

std::string_view to_string(PortModel ports) noexcept {
  switch (ports) {
    case PortModel::full: return "full";
    case PortModel::half: return "half";
    case PortModel::none: break;
  }
  return "none";
}

}  // namespace rankscope
