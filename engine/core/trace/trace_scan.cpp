// Scans a trace file block by block without keeping it in memory.
#include <algorithm>
#include <array>
#include <functional>

#include "engine/core/trace/trace_blocks.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/core/trace/trace_file.h"
#include "engine/core/trace/two_threads.h"

namespace rankscope {
namespace {

using trace_blocks::Block;
using trace_blocks::Depth;
using trace_blocks::Index;
using trace_blocks::InputFile;
using trace_blocks::Visit;
using trace_format::Type;

class Scan {
 public:
  using Progress = std::function<bool(double)>;
  Scan(const InputFile& file, Index& index, Depth depth, const Visit& visit,
       const Progress& progress)
      : file_(file),
        blocks_(index.blocks),
        depth_(depth),
        visit_(visit),
        progress_(progress),
        account_(index),
        postponed_(index.blocks.size()) {
    std::size_t event_blocks = 0;
    for (const Block& block : blocks_)
      numbers_.push_back(block.header.type == Type::events ? event_blocks++ : event_blocks);
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      postponed_[i] = blocks_[i].header.first_event < end;
      end = std::max(end, blocks_[i].header.first_event + blocks_[i].header.events);
    }
  }

  TraceIssues run() {
    constexpr std::size_t kWorthAThread = 4;
    on_two_threads(
        blocks_.size(), blocks_.size() >= kWorthAThread,
        [this](int thread, std::size_t i) {
          if (postponed_[i]) return;
          read(blocks_[i]);
          show(thread, i);
          forget(blocks_[i]);
        },
        progress_);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (postponed_[i]) read(blocks_[i]);
      if (account_.accept(blocks_[i])) {
        account_.enter(blocks_[i]);
        if (postponed_[i]) show(0, i);
      }
      forget(blocks_[i]);
    }
    return account_.finish(file_);
  }

 private:
  void read(Block& block) const {
    if (depth_ == Depth::digests) trace_blocks::digest(file_, block);
    else trace_blocks::decode(file_, block);
  }

  void show(int thread, std::size_t block) const {
    if (blocks_[block].good && blocks_[block].header.type == Type::events)
      visit_(thread, numbers_[block], blocks_[block]);
  }

  // Clears everything except its header and whether it was good.
  static void forget(Block& block) {
    block.runs = {};
    block.definitions = {};
    block.chunk = nullptr;
    block.meta = {};
    block.digests = {};
  }

  const InputFile& file_;
  std::vector<Block>& blocks_;
  const Depth depth_;
  const Visit& visit_;
  const Progress& progress_;
  std::vector<std::size_t> numbers_;  // by block: its number among the event blocks
  trace_blocks::Account account_;
  // Blocks that repeat earlier ones according to their headers: they count only if the earlier ones are damaged, which
  // is known only once those are decoded.
  std::vector<bool> postponed_;
};

int ranks_in(const InputFile& file, Index& index) {
  std::array<Rank, 2> highest{-1, -1};
  const Visit visit = [&](int thread, std::size_t, const Block& block) {
    auto& mine = highest[static_cast<std::size_t>(thread)];
    for (const EventDigest& run : block.digests) mine = std::max(mine, run.rank);
  };
  trace_blocks::scan(file, index, Depth::digests, visit);
  return std::max(highest[0], highest[1]) + 1;
}

}  // namespace

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
    scope.first_ns =
        any ? std::min(scope.first_ns, block.header.min_time_ns) : block.header.min_time_ns;
    scope.last_ns =
        any ? std::max(scope.last_ns, block.header.max_time_ns) : block.header.max_time_ns;
    any = true;
  }
  scope.world_size = std::clamp(scope.meta.world_size, 0, TraceBuilder::kMostRanks);
  if (scope.world_size == 0 && any) scope.world_size = ranks_in(file, index);
  return scope;
}

TraceIssues trace_blocks::scan(const InputFile& file, Index& index, Depth depth, const Visit& visit,
                               const std::function<bool(double)>& progress) {
  return Scan(file, index, depth, visit, progress).run();
}

TraceIssues scan_trace(const std::filesystem::path& path,
                       const std::function<void(int, std::span<const StepEvent>)>& visit) {
  const InputFile file(path);
  Index index(file);
  trace_blocks::check_readable(file, index);
  return trace_blocks::scan(file, index, Depth::events,
                            [&](int thread, std::size_t, const Block& block) {
                              for (const auto run : block.runs) visit(thread, run);
                            });
}

}  // namespace rankscope
