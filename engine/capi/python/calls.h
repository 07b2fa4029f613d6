// Messages of Python programs in one call of a function that reads Python's objects itself: through ctypes, and with
// source lines looked up in Python, a small message costs several times as much.
#pragma once

#include "engine/capi/rankscope.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For lessons/python/rankscope/_quick.py, with Python's lock. `given`: a tuple (lock, session, describe, threading's two
 * dictionaries of threads, the session's orphans, the longest wait in milliseconds). Gives a tuple of functions, or
 * Python's None where this Python has not what they need:
 *
 *   send(data, dest, tag, flags)          True: done
 *   receive(into, source, tag)            (source, tag, bytes, message): done; into None: a message of any size
 *   start_send(data, dest, tag, flags), start_receive(into, source, tag)
 *   wait(request)                         as receive
 *   learn(array, address of its rs_memory, what keeps that)
 *   close()                               the communicator is about to go
 *
 * Each may give None: nothing was done, it has to go the long way. A number over 0 is a request that is not done, one
 * under 0 the code of an error. `message` is None, bytes, or True where what came into a buffer looks like an object. */
RS_API void* rs_python_calls(rs_comm* comm, void* given);

#ifdef __cplusplus
}
#endif
