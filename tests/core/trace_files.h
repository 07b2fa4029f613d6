// Trace files to write, to damage and to compare.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/trace/trace_file.h"
#include "engine/core/trace/trace_format.h"

namespace rankscope::test {

/// A file name of one test, removed at its end.
class TemporaryFile {
 public:
  TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }
  std::string read() const;
  void write(std::string_view data) const;

 private:
  std::filesystem::path path_;
};

TraceMeta some_meta();

/// One block after each `every` batches.
void write_trace(const std::filesystem::path& path, std::vector<EventBatch> batches, int every);

/// The positions of a file's blocks.
struct Blocks {
  std::vector<std::size_t> begin;
  std::vector<trace_format::BlockHeader> header;
};
Blocks blocks_of(std::string_view data);

/// The same events in batches of at most `size`.
std::vector<EventBatch> small_batches(const std::vector<EventBatch>& batches, std::size_t size);

/// The sequence numbers per rank are a prefix of the recorded ones; nothing is invented.
void check_prefix(const Trace& part, const Trace& whole);

}  // namespace rankscope::test
