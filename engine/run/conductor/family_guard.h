// Ends the processes of a program when the one that started them is killed, and cannot do so itself.
#pragma once

#include "engine/core/base/fd.h"

namespace rankscope {

/// Gives this process's environment a mark, once, which all that it starts from now on inherit.
void mark_family();

/// While it lives, a process that shares nothing with this one waits for its end, and then kills whatever carries the mark:
/// ranks that sleep and never call us, and what they started, in whichever session or group. It is no child of this process.
/// Does nothing where there is no /proc.
class FamilyGuard {
 public:
  FamilyGuard();
  ~FamilyGuard();
  FamilyGuard(const FamilyGuard&) = delete;
  FamilyGuard& operator=(const FamilyGuard&) = delete;

 private:
  Fd alive_;  ///< The guard reads from its other end.
};

}  // namespace rankscope
