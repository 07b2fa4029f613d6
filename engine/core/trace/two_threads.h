// Shares numbered pieces of work between the calling thread and a second one: more do not help much on the machines
// that rankscope is made for.
#pragma once

#include <cstddef>
#include <functional>

namespace rankscope {

/// Does `work(thread, i)` for each i < `count`, thread 0 being the caller's and 1 the other, and returns when all is
/// done. Where it is not `worth_a_thread`, the caller's does all. Rethrows what `work` threw.
/// `progress`, if there is one, gets the share that is done, in the caller's thread: 0 before the first piece, 1 after the
/// last, nothing where there are none. Where it returns false, UserError "stopped" is thrown, and no piece is begun but
/// those that the other thread is about to begin.
void on_two_threads(std::size_t count, bool worth_a_thread,
                    const std::function<void(int thread, std::size_t i)>& work,
                    const std::function<bool(double share)>& progress = {});

}  // namespace rankscope
