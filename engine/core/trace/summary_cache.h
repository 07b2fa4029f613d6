// Caches summaries of trace files that have none of their own, from one opening to the next.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "engine/core/trace/trace.h"
#include "engine/core/trace/trace_blocks.h"
#include "engine/core/trace/trace_summary.h"

namespace rankscope {

/// A folder of bounded size; the least recently used summaries go first. A summary that cannot be written is not kept,
/// and one that is damaged or belongs to another state of the file is not found: neither is an error. Several processes
/// may use it at once.
class SummaryCache {
 public:
  /// A pass over a smaller file takes too little time to be worth caching.
  static constexpr std::uint64_t kLeastFile = std::uint64_t{16} << 20;
  static constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
  static constexpr std::size_t kMostFiles = 256;

  /// Returns the user's cache: $XDG_CACHE_HOME/rankscope/summaries, else in ~/.cache.
  SummaryCache();
  explicit SummaryCache(std::filesystem::path folder, std::uint64_t least_file = kLeastFile,
                        std::uint64_t most_bytes = kMostBytes);

  /// One state of one file: its identity, its time of writing, and the headers of all blocks, which contain the
  /// checksums of the blocks' contents.
  struct Key {
    trace_blocks::InputFile::Identity file;
    std::uint64_t headers = 0;
    /// The time is so old that any later write into the file changes it.
    bool settled = false;
    bool operator==(const Key& other) const noexcept {
      return file == other.file && headers == other.headers;
    }
  };
  static Key key_of(const trace_blocks::InputFile& file, const trace_blocks::Index& index);

  struct Kept {
    TraceSummary summary;
    TraceIssues issues;
  };
  std::optional<Kept> find(const Key& key) const;
  /// `file` is the key's file; nothing is kept if it has changed since.
  void keep(const Key& key, const trace_blocks::InputFile& file, const Kept& made) const;

 private:
  std::filesystem::path place_of(const Key& key) const;
  void remove_oldest() const;

  std::filesystem::path folder_;
  std::uint64_t least_file_, most_bytes_;
};

}  // namespace rankscope
