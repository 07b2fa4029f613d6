// Reads the parts of a rank's results.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "engine/capi/agent.h"

namespace rankscope {

inline std::vector<double> numbers_in(const capi::TaskResult& result) {
  std::vector<double> out;
  visit_dtype(result.dtype, [&]<class T>() {
    for (std::size_t at = 0; at + sizeof(T) <= result.data.size(); at += sizeof(T)) {
      T value;
      std::memcpy(&value, result.data.data() + at, sizeof(T));
      out.push_back(static_cast<double>(value));
    }
  });
  return out;
}

inline std::string text_in(const capi::TaskResult& result) {
  return {reinterpret_cast<const char*>(result.data.data()), result.data.size()};
}

/// "return|float32": the part before the bar is `name`. Null: nothing of this name.
inline const capi::TaskResult* result_called(const capi::AgentReport& rank, std::string_view name) {
  for (const auto& result : rank.results)
    if (std::string_view(result.name).substr(0, result.name.find('|')) == name) return &result;
  return nullptr;
}

/// The part behind the bar: its type in the program.
inline std::string kind_in(const capi::TaskResult& result) {
  const auto bar = result.name.find('|');
  return bar == std::string::npos ? "" : result.name.substr(bar + 1);
}

}  // namespace rankscope
