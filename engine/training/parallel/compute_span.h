// Work of a rank between its messages, for the trace: as long as the object lives, under a name.
#pragma once

#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>

#include "engine/core/message/communicator.h"

namespace rankscope::training {

class [[nodiscard]] ComputeSpan {
 public:
  ComputeSpan(Communicator& comm, std::string_view what,
              Site site = std::source_location::current());
  ~ComputeSpan();
  ComputeSpan(const ComputeSpan&) = delete;
  ComputeSpan& operator=(const ComputeSpan&) = delete;

 private:
  Recorder& recorder_;
  StepEvent event_;
};

/// A rank's work as spans of one name after the other, interrupted by its messages.
class Computing {
 public:
  explicit Computing(Communicator& comm) : comm_(comm) {}
  /// From now on it is work of this name.
  void begin(std::string_view what) {
    what_ = what;
    resume();
  }
  void pause() { span_.reset(); }
  void resume() {
    span_.reset();
    span_.emplace(comm_, what_);
  }
  /// What `communicate` does is no computing.
  template <class Communicate>
  auto except(const Communicate& communicate) {
    pause();
    if constexpr (std::is_void_v<decltype(communicate())>) {
      communicate();
      resume();
    } else {
      auto result = communicate();
      resume();
      return result;
    }
  }

 private:
  Communicator& comm_;
  std::string what_;
  std::optional<ComputeSpan> span_;
};

}  // namespace rankscope::training
