// A trace file as blocks: what TraceReader and scan_trace have in common.
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
  /// Throws UserError when it cannot be opened.
  explicit InputFile(const std::filesystem::path& path);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  std::uint64_t size() const noexcept { return size_; }
  /// Tells this state of this file from others of the same size.
  struct Identity {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t changed_ns = 0;  ///< Since 1970.
    bool operator==(const Identity&) const = default;
  };
  /// As it is now.
  Identity identity() const;
  /// As messages show it.
  const std::string& name() const noexcept { return name_; }
  /// As much as there is: fewer bytes only at the end.
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
  // Filled by decode():
  bool good = false;
  std::vector<Definition> definitions;
  std::shared_ptr<EventChunk> chunk;
  std::vector<std::span<const StepEvent>> runs;
  TraceMeta meta;
  std::vector<EventDigest> digests;  ///< By digest(), in place of events.
};

/// Finds the blocks; where something is damaged, it looks for the next block's beginning.
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

/// Reads and checks a block; one that is damaged stays without `good`.
void decode(const InputFile& file, Block& block);
/// The same for sums, three times as fast: without events and definitions, but with what is good of them.
void digest(const InputFile& file, Block& block);

/// The account of what a file's blocks, in their order, do not say: a reader of the whole file and
/// one that only scans it report the same.
class Account {
 public:
  explicit Account(const Index& index);

  /// Whether the block is whole and the next one: blocks count up, and one that does not was copied
  /// here. Counts it as damaged otherwise.
  bool accept(const Block& block) noexcept;
  /// An accepted block that turned out to be damaged.
  void reject() noexcept { ++issues_.damaged_blocks; }
  /// An accepted block that was used.
  void enter(const Block& block) noexcept;

  /// After the last block. Throws FormatError when nothing was entered.
  TraceIssues finish(const InputFile& file);

 private:
  TraceIssues issues_;
  std::uint64_t expected_ = 0;
  bool readable_ = false;
};

enum class Depth : std::uint8_t { events, digests };
/// Gets the number of its thread (0 or 1), that of the block among the file's event blocks, and the block.
using Visit = std::function<void(int thread, std::size_t number, const Block& block)>;
/// See scan_trace(). `progress`, if any: the share that is done; false stops it, with a UserError.
TraceIssues scan(const InputFile& file, Index& index, Depth depth, const Visit& visit,
                 const std::function<bool(double share)>& progress = {});

/// Throws FormatError: the file is empty, of a newer version, or no trace.
void check_readable(const InputFile& file, const Index& index);

}  // namespace rankscope::trace_blocks
