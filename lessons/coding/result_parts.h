// What a rank handed in, taken apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/capi/agent.h"

namespace rankscope {

std::vector<double> numbers_in(const capi::TaskResult& result);
std::string text_in(const capi::TaskResult& result);
/// "return|float32": the part before the bar is `name`. Null: nothing of this name.
const capi::TaskResult* result_called(const capi::AgentReport& rank, std::string_view name);
/// The part behind the bar: its type in the program.
std::string kind_in(const capi::TaskResult& result);

}  // namespace rankscope
