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

#include "engine/core/event_codec.h"
#include "engine/core/trace_builder.h"
#include "engine/core/trace_file.h"
#include "engine/core/trace_format.h"

namespace rankscope {
namespace {

using trace_format::BlockHeader;
using trace_format::Type;

class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path) : name_(path.string()) {
    file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file_ < 0) fail("cannot open");
    struct stat status {};
    if (::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) {
      ::close(file_);
      throw UserError(fmt::format("{} is not a file. Name a trace (*.rankscope).", name_));
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile() { ::close(file_); }

  std::uint64_t size() const noexcept { return size_; }
  const std::string& name() const noexcept { return name_; }

  /// As much as there is: fewer bytes only at the end.
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const {
    std::size_t done = 0;
    while (done < into.size()) {
      const auto got =
          ::pread(file_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail("cannot read");
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw UserError(fmt::format("{} {}: {}.", what, name_,
                                std::error_code(errno, std::system_category()).message()));
  }

  std::string name_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

struct Block {
  BlockHeader header;
  std::uint64_t payload = 0;  ///< Position in the file.
  // Filled by decode():
  bool good = false;
  std::vector<Definition> definitions;
  std::shared_ptr<EventChunk> chunk;
  std::vector<std::span<const StepEvent>> runs;
  TraceMeta meta;
};

/// Finds the blocks; where something is damaged, it looks for the next block's beginning.
class Index {
 public:
  explicit Index(const InputFile& file) : file_(file) {
    std::uint64_t at = 0;
    bool in_damage = false;
    while (at < file_.size()) {
      BlockHeader header;
      if (!read_header(at, header)) {
        const auto next = find_magic(at + 1);
        if (!next) {
          cut = true;
          // What is left is a block's beginning, or damage; either way nobody knows of how much.
          exact = false;
          return;
        }
        if (!std::exchange(in_damage, true)) ++damaged;
        at = *next;
        continue;
      }
      in_damage = false;
      const auto payload = at + sizeof(BlockHeader);
      if (header.stored_size > file_.size() - payload) {
        cut = true;
        cut_events = header.events;
        return;
      }
      blocks.push_back({header, payload, false, {}, {}, {}, {}});
      at = payload + header.stored_size;
    }
  }

  std::vector<Block> blocks;
  std::uint64_t damaged = 0, cut_events = 0;
  bool cut = false, exact = true;
  std::uint16_t newer_version = 0;

 private:
  bool read_header(std::uint64_t at, BlockHeader& header) {
    if (file_.read(at, std::as_writable_bytes(std::span(&header, 1))) != sizeof(header) ||
        header.magic != trace_format::kMagic)
      return false;
    if (header.version > trace_format::kVersion)
      newer_version = std::max(newer_version, header.version);
    return header.version == trace_format::kVersion &&
           header.header_check == trace_format::header_check(header) && trace_format::sane(header);
  }

  std::optional<std::uint64_t> find_magic(std::uint64_t from) const {
    constexpr auto kMagic = trace_format::kMagic;
    const auto magic = std::as_bytes(std::span(&kMagic, 1));
    Bytes window(std::size_t{1} << 20);
    while (from < file_.size()) {
      const auto got = file_.read(from, window);
      const auto end = window.begin() + static_cast<std::ptrdiff_t>(got);
      const auto found = std::search(window.begin(), end, magic.begin(), magic.end());
      if (found != end) return from + static_cast<std::uint64_t>(found - window.begin());
      if (got < window.size()) break;
      from += got - (magic.size() - 1);
    }
    return std::nullopt;
  }

  const InputFile& file_;
};

void check_events(std::span<const StepEvent> run) {
  const Rank rank = run.front().rank;
  bool good = rank >= 0 && rank < TraceBuilder::kMostRanks;
  for (const StepEvent& event : run)
    good &= event.rank == rank && static_cast<int>(event.verb) < kVerbCount &&
            event.kind <= EventKind::job && event.dtype <= DType::float64 &&
            event.reduce_op <= ReduceOp::bxor && event.mode <= SendMode::rendezvous &&
            event.origin <= Origin::simulator;
  if (!good) throw FormatError("an event with a field out of range");
}

void decode_event_block(Block& block, std::span<const std::byte> raw) {
  ByteReader in(raw);
  const auto definitions = in.get<std::uint32_t>();
  for (std::uint32_t i = 0; i < definitions; ++i)
    block.definitions.push_back(decode_definition(in));
  auto chunk = std::make_shared<EventChunk>(block.header.events);
  auto rest = chunk->events();
  const auto runs = in.get<std::uint32_t>();
  for (std::uint32_t i = 0; i < runs; ++i) {
    const auto count = in.get<std::uint32_t>();
    if (count == 0 || count > kCodecEvents || count > rest.size())
      throw FormatError("a block has another number of events than it says");
    const auto run = rest.first(count);
    decode_events(in, run);
    check_events(run);
    block.runs.emplace_back(run);
    rest = rest.subspan(count);
  }
  if (!rest.empty()) throw FormatError("a block has fewer events than it says");
  const auto blobs = in.take(static_cast<std::size_t>(in.get<std::uint64_t>()));
  chunk->blobs.assign(blobs.begin(), blobs.end());
  block.chunk = std::move(chunk);
}

void decode(const InputFile& file, Block& block) try {
  Bytes stored(static_cast<std::size_t>(block.header.stored_size));
  if (file.read(block.payload, stored) != stored.size()) return;  // it shrank while we read
  const auto raw = trace_format::unseal(block.header, stored);
  if (block.header.type == Type::meta)
    block.meta =
        trace_format::meta_from_json({reinterpret_cast<const char*>(raw.data()), raw.size()});
  else if (block.header.type == Type::events) decode_event_block(block, raw);
  block.good = true;
} catch (const FormatError&) {  // counted as damaged
  block.chunk = nullptr;
  block.runs.clear();
  block.definitions.clear();
}

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
  if (file.size() == 0)
    throw FormatError(
        fmt::format("{} is empty: its recorder was stopped before it wrote anything. "
                    "Record the run again.",
                    file.name()));
  Index index(file);
  if (index.blocks.empty() && index.newer_version > 0)
    throw FormatError(
        fmt::format("{} was written by a newer rankscope (format {}, this one reads up to {}). "
                    "Update rankscope.",
                    file.name(), index.newer_version, trace_format::kVersion));
  check_memory(file, index.blocks);
  decode_all(file, index.blocks);
  Assembly assembly(index);
  for (Block& block : index.blocks) assembly.add(block);
  if (assembly.readable()) return assembly.finish();
  if (index.blocks.empty() && index.damaged == 0)
    throw FormatError(
        fmt::format("{} is not a rankscope trace, or nothing but its beginning is "
                    "left. Name a *.rankscope file that `rankscope run` wrote.",
                    file.name()));
  throw FormatError(fmt::format(
      "nothing in {} is readable: all of its blocks are damaged. Copy the file again (in binary "
      "mode), or record the run again.",
      file.name()));
}

}  // namespace rankscope
