// Reads a whole trace file into a Trace, within the memory that is available.
#include <cstdlib>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/core/base/text.h"
#include "engine/core/trace/trace_blocks.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/core/trace/trace_file.h"
#include "engine/core/trace/two_threads.h"

namespace rankscope {
namespace {

using trace_blocks::Block;
using trace_blocks::decode;
using trace_blocks::Index;
using trace_blocks::InputFile;
using trace_format::Type;

void decode_all(const InputFile& file, std::vector<Block>& blocks) {
  constexpr std::uint64_t kWorthAThread = 256 * 1024;
  on_two_threads(blocks.size(), blocks.size() > 4 && file.size() > kWorthAThread,
                 [&](int, std::size_t i) { decode(file, blocks[i]); });
}

/// Returns the memory that is available without swapping; if the kernel does not report it, the total.
double free_memory() {
  std::ifstream in("/proc/meminfo");
  for (std::string line; std::getline(in, line);)
    if (constexpr std::string_view kKey = "MemAvailable:"; line.starts_with(kKey))
      return std::strtod(line.c_str() + kKey.size(), nullptr) * 1024;
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<double>(::sysconf(_SC_PAGESIZE));
}

void check_memory(const InputFile& file, const std::vector<Block>& blocks) {
  double events = 0, contents = 0;
  for (const Block& block : blocks) {
    events += block.header.events;
    contents += static_cast<double>(block.header.raw_size);
  }
  const double needed = events * (sizeof(StepEvent) + 24) + contents;
  const double memory = free_memory();
  if (needed < memory * 0.9) return;
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  throw UserError(fmt::format(
      "{} holds {:.0f} events and would need up to {:.1f} GiB of memory; of this machine's, {:.1f} "
      "are free. `rankscope trace info|stats|print`, `rankscope export` (the picture of all of it) "
      "and `rankscope-gui` read such a file in parts. For all else open it on a larger machine, or "
      "record a shorter run or at trace level light.",
      file.name(), events, needed / kGiB, memory / kGiB));
}

/// Combines the intact blocks.
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

std::uint64_t most_events_held() {
  constexpr std::uint64_t kMost = 16'000'000;
  const char* const text = std::getenv("RANKSCOPE_STREAM_EVENTS");
  if (text == nullptr || *text == '\0') return kMost;
  const auto events = as_number<std::uint64_t>(text);
  if (!events)
    throw UserError(fmt::format(
        "RANKSCOPE_STREAM_EVENTS is \"{}\": give a number of events, or unset it", escaped(text)));
  return *events;
}

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
