// Asks a future without waiting for it.
#pragma once

#include <chrono>
#include <future>

namespace rankscope::gui {

/// What was made in the background is there.
template <class T>
bool is_ready(const std::future<T>& made) {
  return made.valid() && made.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace rankscope::gui
