// Work of a rank between its messages, for the trace: as long as the object lives, under a name.
#pragma once

#include <source_location>
#include <string_view>

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

}  // namespace rankscope::training
