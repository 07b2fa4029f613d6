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

#include "engine/core/trace_blocks.h"
#include "engine/core/trace_builder.h"
#include "engine/core/trace_file.h"

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

/// Puts together what is good and counts what is missing.
class Assembly {
 public:
  Assembly(const Index& index) {
    issues_.damaged_blocks = index.damaged;
    issues_.cut = index.cut;
    issues_.lost_events = index.cut_events;
    issues_.lost_exactly = index.exact;
    issues_.unclosed = true;
  }

  void add(Block& block) {
    // Blocks count up; one that does not was copied here.
    if (!block.good || block.header.first_event < expected_) {
      ++issues_.damaged_blocks;
      return;
    }
    if (block.header.type == Type::events) {
      if (!add_events(block)) return;
    } else if (block.header.type == Type::meta) {
      meta_ = std::move(block.meta);
    } else {
      issues_.unclosed = false;
    }
    readable_ = true;
    issues_.lost_events += block.header.first_event - expected_;
    expected_ = block.header.first_event + block.header.events;
  }

  bool readable() const noexcept { return readable_; }
  Trace finish() {
    meta_.complete = meta_.complete && !issues_.unclosed;
    if (!issues_.unclosed) issues_.lost_exactly = true;  // the end says how many there were
    builder_.set_meta(std::move(meta_));
    builder_.set_issues(issues_);
    return builder_.finish();
  }

 private:
  bool add_events(Block& block) try {
    for (auto& definition : block.definitions) builder_.put_definition(std::move(definition));
    builder_.adopt(std::move(block.chunk), block.runs);
    return true;
  } catch (const FormatError&) {
    ++issues_.damaged_blocks;
    return false;
  }

  TraceBuilder builder_;
  TraceIssues issues_;
  TraceMeta meta_;
  std::uint64_t expected_ = 0;
  bool readable_ = false;
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
  if (assembly.readable()) return assembly.finish();
  throw FormatError(fmt::format(
      "nothing in {} is readable: all of its blocks are damaged. Copy the file again (in binary "
      "mode), or record the run again.",
      file.name()));
}

}  // namespace rankscope
