// What a page draws many times, written once: <use> elements for it.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/diagrams/scene/scene.h"

namespace rankscope {

/// First everything is counted, then what saves bytes is defined.
class SharedShapes {
 public:
  explicit SharedShapes(std::string_view prefix) : prefix_(prefix) {}

  void count(const std::string& shape) { ++shapes_[shape].times; }
  /// A <use> at this place; empty where the shape is better written as it is.
  std::string use(const std::string& shape, Point at);
  /// "<g id=...>...</g>" for all that were used.
  const std::string& definitions() const noexcept { return definitions_; }

 private:
  struct Shape {
    std::size_t times = 0;
    std::string id;
  };
  std::string prefix_;
  std::unordered_map<std::string, Shape> shapes_;
  std::size_t defined_ = 0;
  std::string definitions_;
};

}  // namespace rankscope
