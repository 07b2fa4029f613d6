// Extracts named results, their kinds and their numbers from what a rank returned.
#include "lessons/coding/result_parts.h"

#include <cstring>

namespace rankscope {

std::vector<double> numbers_in(const capi::TaskResult& result) {
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

std::string text_in(const capi::TaskResult& result) {
  return {reinterpret_cast<const char*>(result.data.data()), result.data.size()};
}

const capi::TaskResult* result_called(const capi::AgentReport& rank, std::string_view name) {
  for (const auto& result : rank.results)
    if (std::string_view(result.name).substr(0, result.name.find('|')) == name) return &result;
  return nullptr;
}

std::string kind_in(const capi::TaskResult& result) {
  const auto bar = result.name.find('|');
  return bar == std::string::npos ? "" : result.name.substr(bar + 1);
}

}  // namespace rankscope
