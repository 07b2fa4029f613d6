// Tells whether a thread of the program, other than those that wait, may still do something for a rank that waits.
#pragma once

namespace rankscope::capi {

/// Marks the calling thread as being in a verb.
class InVerb {
 public:
  InVerb() noexcept;
  ~InVerb();
  InVerb(const InVerb&) = delete;
  InVerb& operator=(const InVerb&) = delete;
};

/// Returns whether the calling thread is in a verb, or has been named as one of ours.
bool in_own_code() noexcept;
/// Gives the calling thread a name by which it is known to be none of the program's.
void name_own_thread() noexcept;
/// From now on other_thread_may_act() looks at the threads. For programs that do not report them (rs_threads).
void look_at_threads() noexcept;
/// Returns whether a thread of the program is in no verb, and does not sleep until another one wakes it.
bool other_thread_may_act() noexcept;

}  // namespace rankscope::capi
