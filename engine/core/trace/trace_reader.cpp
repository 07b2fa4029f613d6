// Reads a whole trace file into a Trace, within the memory that is available.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/core/trace/trace_blocks.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/core/trace/trace_file.h"

namespace rankscope {
namespace {

using trace_blocks::Block;
using trace_blocks::decode;
using trace_blocks::Index;
using trace_blocks::InputFile;
using trace_format::Type;

/// Two threads: more do not help much on the machines that this is made for.
void decode_all(const InputFile& file, std::vector<Block>& blocks) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < blocks.size(); i = next++) decode(file, blocks[i]);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
      next = blocks.size();
    }
  };
  constexpr std::uint64_t kWorthAThread = 256 * 1024;
  if (blocks.size() > 4 && file.size() > kWorthAThread) {
    std::thread other(work);
    work();
    other.join();
  } else {
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

void check_memory(const InputFile& file, const std::vector<Block>& blocks) {
  double events = 0, contents = 0;
  for (const Block& block : blocks) {
    events += block.header.events;
    contents += static_cast<double>(block.header.raw_size);
  }
  const double needed = events * (sizeof(StepEvent) + 24) + contents;
  const double memory =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  if (needed < memory * 0.9) return;
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  throw UserError(fmt::format(
      "{} holds {:.0f} events and would need up to {:.1f} GiB of memory; this machine has {:.1f}. "
      "Open it on a larger machine, or record a shorter run or at trace level light.",
      file.name(), events, needed / kGiB, memory / kGiB));
}

/// Puts together what is good.
class Assembly {
 public:
  explicit Assembly(const Index& index) : account_(index) {}

  void add(Block& block) {
    if (!account_.accept(block)) return;
    if (block.header.type == Type::events && !add_events(block)) return account_.reject();
    if (block.header.type == Type::meta) meta_ = std::move(block.meta);
    account_.enter(block);
  }

  Trace finish(const InputFile& file) {
    const TraceIssues issues = account_.finish(file);
    meta_.complete = meta_.complete && !issues.unclosed;
    builder_.set_meta(std::move(meta_));
    builder_.set_issues(issues);
    return builder_.finish();
  }

 private:
  bool add_events(Block& block) try {
    for (auto& definition : block.definitions) builder_.put_definition(std::move(definition));
    builder_.adopt(std::move(block.chunk), block.runs);
    return true;
  } catch (const FormatError&) {
    return false;
  }

  TraceBuilder builder_;
  TraceMeta meta_;
  trace_blocks::Account account_;
};

}  // namespace

Trace TraceReader::open(const std::filesystem::path& path) {
  const InputFile file(path);
  Index index(file);
  trace_blocks::check_readable(file, index);
  check_memory(file, index.blocks);
  decode_all(file, index.blocks);
  Assembly assembly(index);
  for (Block& block : index.blocks) assembly.add(block);
  return assembly.finish(file);
}

}  // namespace rankscope
