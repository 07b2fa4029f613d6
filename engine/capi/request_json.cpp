// Writes a verb's operands and call site for requests to an agent.
#include <string>

#include "engine/capi/guarded_port.h"

namespace rankscope::capi {

using nlohmann::json;

json memory_json(const rs_memory& memory) {
  json shape = json::array();
  for (std::uint32_t d = 0; d < memory.dims && d < RS_DIMS; ++d) shape.push_back(memory.shape[d]);
  json out{{"count", memory.count}, {"dtype", memory.dtype}, {"shape", shape}};
  if (memory.dims > 0 && memory.array != nullptr) {
    out["array"] = reinterpret_cast<std::uintptr_t>(memory.array);
    out["at"] = static_cast<const char*>(memory.data) - static_cast<const char*>(memory.array);
  } else {
    out["array"] = reinterpret_cast<std::uintptr_t>(memory.data);
  }
  if (memory.name != nullptr) out["name"] = std::string(memory.name).substr(0, 200);
  return out;
}

json site_json(const Site& where) {
  json out = json::array();
  for (const CallSite& call : where.stack())
    out.push_back({std::string(call.file).substr(0, 500), std::string(call.function).substr(0, 200),
                   call.line});
  return out;
}

}  // namespace rankscope::capi
