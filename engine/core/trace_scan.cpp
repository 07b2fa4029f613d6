#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "engine/core/trace_blocks.h"
#include "engine/core/trace_file.h"

namespace rankscope {

using trace_blocks::Block;
using trace_blocks::Index;
using trace_blocks::InputFile;
using trace_format::Type;

TraceScope look_at_trace(const std::filesystem::path& path) {
  const InputFile file(path);
  Index index(file);
  trace_blocks::check_readable(file, index);
  TraceScope scope;
  bool any = false;
  for (Block& block : index.blocks) {
    if (block.header.type == Type::meta) {
      trace_blocks::decode(file, block);
      if (block.good) scope.meta = std::move(block.meta);
    }
    if (block.header.type != Type::events || block.header.events == 0) continue;
    scope.events += block.header.events;
    scope.first_ns = any ? std::min(scope.first_ns, block.header.min_time_ns) : block.header.min_time_ns;
    scope.last_ns = any ? std::max(scope.last_ns, block.header.max_time_ns) : block.header.max_time_ns;
    any = true;
  }
  return scope;
}

void scan_trace(const std::filesystem::path& path,
                const std::function<void(int, std::span<const StepEvent>)>& visit) {
  const InputFile file(path);
  Index index(file);
  trace_blocks::check_readable(file, index);
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&](int thread) {
    try {
      for (std::size_t i = next++; i < index.blocks.size(); i = next++) {
        Block& block = index.blocks[i];
        if (block.header.type != Type::events) continue;
        trace_blocks::decode(file, block);
        for (const auto run : block.runs) visit(thread, run);
        block.runs.clear();
        block.definitions.clear();
        block.chunk = nullptr;
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
      next = index.blocks.size();
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace rankscope
