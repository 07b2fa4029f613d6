// Writes a zip file in memory.
#pragma once

#include <string>

struct archive;

namespace rankscope {

/// Entries have no dates, so that the same files give the same bytes. Throws std::runtime_error.
class ZipWriter {
 public:
  ZipWriter();
  ~ZipWriter();
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  void add(const std::string& name, const std::string& bytes, bool executable = false);
  /// The bytes of the zip file; nothing can be added afterwards.
  std::string finish();

 private:
  void check(int state) const;

  archive* archive_;
  std::string bytes_;
};

}  // namespace rankscope
