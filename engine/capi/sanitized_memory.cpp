// Asks the address sanitizer's runtime about the memory of calls and of open requests.
#include "engine/capi/sanitized_memory.h"

#include <map>
#include <mutex>
#include <string_view>

#include <dlfcn.h>
#include <fmt/format.h>

#include "engine/core/base/types.h"

namespace rankscope::capi {
namespace {

using IsPoisoned = void*(void*, std::size_t);
using Report = void(void*, void*, void*, void*, int, std::size_t);

IsPoisoned* is_poisoned() noexcept {
  static auto* const one =
      reinterpret_cast<IsPoisoned*>(::dlsym(RTLD_DEFAULT, "__asan_region_is_poisoned"));
  return one;
}

struct OpenMemory {
  rs_memory memory;
  bool written;
  CallSite where;  ///< Where its request began; empty for memory of the call itself.
};
/// Where the request that this thread is reporting began; empty unless a request's memory is reported.
thread_local CallSite lost;

struct AllOpen {
  std::mutex mutex;
  std::map<const rs_request*, OpenMemory> by_request;
};
AllOpen& all_open() {
  static auto* const one = new AllOpen;  // used until the very end of the process
  return *one;
}

std::size_t bytes_of(const rs_memory& memory) noexcept {
  return memory.count * dtype_size(static_cast<DType>(memory.dtype));
}

/// Returns the first byte that the sanitizer has marked as freed or out of bounds; null if there is none.
void* bad_byte(const rs_memory& memory) noexcept {
  const std::size_t bytes = memory.data == nullptr || memory.dims > 0 ? 0 : bytes_of(memory);
  return bytes == 0 ? nullptr : is_poisoned()(memory.data, bytes);
}

void report(void* at, const rs_memory& memory, bool written) noexcept {
  auto* const report = reinterpret_cast<Report*>(::dlsym(RTLD_DEFAULT, "__asan_report_error"));
  void* const frame = __builtin_frame_address(0);
  if (report != nullptr)
    report(__builtin_return_address(0), frame, frame, at, written ? 1 : 0, bytes_of(memory));
}

}  // namespace

void check_memory(const rs_memory* read, const rs_memory* written) noexcept {
  if (is_poisoned() == nullptr) return;
  OpenMemory found{};
  void* bad = nullptr;
  const auto look = [&](const OpenMemory& one) {
    if (bad == nullptr && (bad = bad_byte(one.memory)) != nullptr) found = one;
  };
  if (read != nullptr) look({*read, false, {}});
  if (written != nullptr) look({*written, true, {}});
  {
    const std::lock_guard lock(all_open().mutex);
    for (const auto& [request, one] : all_open().by_request) look(one);
  }
  if (bad == nullptr) return;
  lost = found.where;
  report(bad, found.memory, found.written);
}

void open_memory(const rs_request* request, const rs_memory& memory, bool written,
                 const CallSite& where) {
  if (is_poisoned() == nullptr) return;
  const std::lock_guard lock(all_open().mutex);
  all_open().by_request[request] = {memory, written, where};
}

std::string words_of_lost_array() {
  if (lost.line == 0) return {};
  const std::string_view file = lost.file;
  return fmt::format("the array of the request that begins at {}:{} is gone before its wait",
                     file.substr(file.rfind('/') + 1), lost.line);
}

void close_memory(const rs_request* request) noexcept {
  if (is_poisoned() == nullptr) return;
  const std::lock_guard lock(all_open().mutex);
  all_open().by_request.erase(request);
}

}  // namespace rankscope::capi
