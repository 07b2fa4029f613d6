// A trace file as blocks: the common part of all readers of trace files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/trace/event.h"
#include "engine/core/trace/event_codec.h"
#include "engine/core/trace/trace.h"
#include "engine/core/trace/trace_data.h"
#include "engine/core/trace/trace_format.h"

namespace rankscope::trace_blocks {

class InputFile {
 public:
  /// Throws UserError if the file cannot be opened.
  explicit InputFile(const std::filesystem::path& path);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  std::uint64_t size() const noexcept { return size_; }
  /// Distinguishes this state of the file from others of the same size.
  struct Identity {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t changed_ns = 0;  ///< Nanoseconds since 1970.
    bool operator==(const Identity&) const = default;
  };
  /// Returns the current state.
  Identity identity() const;
  /// The file's name for messages.
  const std::string& name() const noexcept { return name_; }
  /// Reads as much as there is; returns fewer bytes only at the end of the file.
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const;

 private:
  [[noreturn]] void fail(std::string_view what) const;
  std::string name_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

struct Block {
  trace_format::BlockHeader header;
  std::uint64_t payload = 0;  ///< Position in the file.
  // Filled in by decode():
  bool good = false;
  std::vector<Definition> definitions;
  std::shared_ptr<EventChunk> chunk;
  std::vector<std::span<const StepEvent>> runs;
  TraceMeta meta;
  std::vector<EventDigest> digests;  ///< Filled in by digest(), in place of events.
};

/// Finds the blocks; after damage, it searches for the beginning of the next block.
class Index {
 public:
  explicit Index(const InputFile& file);

  std::vector<Block> blocks;
  std::uint64_t damaged = 0, cut_events = 0;
  bool cut = false, exact = true;
  std::uint16_t newer_version = 0;

 private:
  bool read_header(std::uint64_t at, trace_format::BlockHeader& header);
  std::optional<std::uint64_t> find_magic(std::uint64_t from) const;
  const InputFile& file_;
};

/// Reads and checks a block; a damaged one keeps `good` false.
void decode(const InputFile& file, Block& block);
/// The same for sums, three times as fast: yields digests instead of events and definitions, and sets `good`.
void digest(const InputFile& file, Block& block);

/// Accounts for what is missing, from a file's blocks in order, so that a reader of the whole file and one that only
/// scans it report the same issues.
class Account {
 public:
  explicit Account(const Index& index);

  /// Returns whether the block is intact and begins after all events of the blocks entered so far; otherwise counts it
  /// as damaged.
  bool accept(const Block& block) noexcept;
  /// Reports that an accepted block turned out to be damaged.
  void reject() noexcept { ++issues_.damaged_blocks; }
  /// Reports that an accepted block was used.
  void enter(const Block& block) noexcept;

  /// Must be called after the last block. Throws FormatError if no block was entered.
  TraceIssues finish(const InputFile& file);

 private:
  TraceIssues issues_;
  std::uint64_t expected_ = 0;
  bool readable_ = false;
};

enum class Depth : std::uint8_t { events, digests };
/// Gets its thread's number (0 or 1), the block's number among the file's event blocks, and the block.
using Visit = std::function<void(int thread, std::size_t number, const Block& block)>;
/// See scan_trace(). `progress`, if given, gets the share that is done; returning false stops the scan with a
/// UserError.
TraceIssues scan(const InputFile& file, Index& index, Depth depth, const Visit& visit,
                 const std::function<bool(double share)>& progress = {});

/// Throws FormatError if the file is empty, of a newer version, or no trace.
void check_readable(const InputFile& file, const Index& index);

}  // namespace rankscope::trace_blocks
