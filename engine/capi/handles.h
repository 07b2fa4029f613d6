// The C interface's handles, and the conversion of exceptions into codes.
#pragma once

#include <memory>
#include <type_traits>

#include "engine/capi/port.h"
#include "engine/capi/program_threads.h"
#include "engine/capi/rankscope.h"
#include "engine/core/base/error.h"

/// Every handle of a program keeps the rank's side alive, so that nothing dangles after rs_leave.
struct rs_comm {
  std::shared_ptr<rankscope::capi::Port> port;
  rankscope::capi::PortComm* comm = nullptr;
  std::unique_ptr<rankscope::capi::PortComm> own;  ///< Null for the world's communicator.
};
struct rs_session {
  std::shared_ptr<rankscope::capi::Port> port;
  rs_comm world;
};
struct rs_request {
  std::shared_ptr<rankscope::capi::Port> port;
  rankscope::capi::PortRequestPtr request;
};

namespace rankscope::capi {

/// Sets this thread's results of rs_error() and rs_error_reason(). Returns `code`.
int failed(int code, const char* what, int reason = RS_REASON_OTHER) noexcept;
/// Returns the code of this thread's last call that failed.
int last_code() noexcept;
/// Texts of call sites live as long as the program: there are only as many as lines that communicate.
const char* kept(const char* text);

/// Returns the result of `body` (RS_OK if it has none), or the code of its exception.
template <class Body>
int guarded(Port* port, Body&& body) noexcept {
  const InVerb mark;
  try {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return RS_OK;
    } else {
      return body();
    }
  } catch (const CommError& e) {
    const bool stopped = e.reason() == CommError::Reason::stopped;
    if (stopped && port != nullptr) port->stopped(e.what());
    return failed(
        stopped ? RS_STOPPED : RS_COMM, e.what(),
        e.reason() == CommError::Reason::truncated ? RS_REASON_TRUNCATED : RS_REASON_OTHER);
  } catch (const std::exception& e) {
    return failed(RS_USAGE, e.what());
  }
}

}  // namespace rankscope::capi
