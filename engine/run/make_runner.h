// The runner that suits a transport.
#pragma once

#include <memory>
#include <string_view>

#include "engine/run/conductor/process_runner.h"

namespace rankscope {

/// Throws UserError for an unknown transport.
std::unique_ptr<Runner> make_runner(std::string_view transport, RunnerOptions options = {});

}  // namespace rankscope
