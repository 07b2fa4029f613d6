// The chain of messages that delayed the last arrival.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/account/messages.h"

namespace rankscope {

/// Goes back from the last arrival to what its sender had received last before it sent, and so on. Indices of messages,
/// the last one first; internal messages are left out.
std::vector<std::size_t> critical_path(const std::vector<MessageRecord>& messages);

}  // namespace rankscope
