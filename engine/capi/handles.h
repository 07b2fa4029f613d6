// The C interface's handles, and how its functions turn exceptions into codes.
#pragma once

#include <memory>
#include <type_traits>

#include "engine/capi/port.h"
#include "engine/capi/rankscope.h"
#include "engine/core/base/error.h"

/// Everything that a program holds keeps the rank's side alive, so that nothing dangles after rs_leave.
struct rs_comm {
  std::shared_ptr<rankscope::capi::Port> port;
  rankscope::capi::PortComm* comm = nullptr;
  std::unique_ptr<rankscope::capi::PortComm> own;  ///< Not of the world's.
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

/// Notes what rs_error() and rs_error_reason() say in this thread. Returns `code`.
int failed(int code, const char* what, int reason = RS_REASON_OTHER) noexcept;
/// Texts of call sites live as long as the program: there are as many as it has lines that communicate.
const char* kept(const char* text);

/// Returns what `body` returns (RS_OK when that is nothing), or the code of what it throws.
template <class Body>
int guarded(Port* port, Body&& body) noexcept {
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
