// Shares numbered pieces of work between the calling thread and a second one; more threads help little on the machines
// for which rankscope is made.
#pragma once

#include <cstddef>
#include <functional>

namespace rankscope {

/// Calls `work(thread, i)` for each i < `count`, where thread 0 is the caller's and 1 the other, and returns when all
/// are done. Unless `worth_a_thread`, the caller's thread does all. Rethrows an exception of `work`. `progress`, if
/// given, is called in the caller's thread with the share that is done: 0 before the first piece, 1 after the last,
/// never if there are none. If it returns false, UserError "stopped" is thrown, and no piece starts except one that
/// the other thread is about to start.
void on_two_threads(std::size_t count, bool worth_a_thread,
                    const std::function<void(int thread, std::size_t i)>& work,
                    const std::function<bool(double share)>& progress = {});

}  // namespace rankscope
