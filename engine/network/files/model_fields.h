// The fields of a topology file's [model], in one table for its reader and its writer.
#pragma once

#include <string_view>

#include "engine/network/network_model.h"

namespace rankscope {

struct ModelField {
  std::string_view name;
  double NetworkModel::*member;
  bool per_byte;  ///< Also written as a bandwidth.
};

inline constexpr ModelField kModelFields[] = {
    {"alpha", &NetworkModel::alpha, false}, {"beta", &NetworkModel::beta, true},
    {"gamma", &NetworkModel::gamma, true},  {"o", &NetworkModel::overhead, false},
    {"g", &NetworkModel::gap, false},       {"O", &NetworkModel::byte_overhead, true},
};

}  // namespace rankscope
