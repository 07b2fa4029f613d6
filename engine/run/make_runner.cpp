#include "engine/run/make_runner.h"

#include "engine/run/sim/sim_runner.h"
#include "transports/factory.h"

namespace rankscope {

std::unique_ptr<Runner> make_runner(std::string_view transport, RunnerOptions options) {
  const Transport& chosen = require_transport(transport);
  if (chosen.virtual_time) return std::make_unique<SimRunner>(std::move(options));
  if (!chosen.processes) return std::make_unique<InprocRunner>(std::move(options));
  return std::make_unique<ProcessRunner>(std::move(options));
}

}  // namespace rankscope
