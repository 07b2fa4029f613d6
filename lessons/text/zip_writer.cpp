// Writes zip files by libarchive.
#include "lessons/text/zip_writer.h"

#include <stdexcept>
#include <utility>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

namespace rankscope {
namespace {

la_ssize_t take(archive*, void* bytes, const void* data, std::size_t size) {
  static_cast<std::string*>(bytes)->append(static_cast<const char*>(data), size);
  return static_cast<la_ssize_t>(size);
}

}  // namespace

ZipWriter::ZipWriter() : archive_(archive_write_new()) {
  archive_write_set_format_zip(archive_);
  archive_write_set_bytes_in_last_block(archive_, 1);
  check(archive_write_open(archive_, &bytes_, nullptr, &take, nullptr));
}

ZipWriter::~ZipWriter() { archive_write_free(archive_); }

void ZipWriter::add(const std::string& name, const std::string& bytes, bool executable) {
  archive_entry* entry = archive_entry_new();
  archive_entry_set_pathname(entry, name.c_str());
  archive_entry_set_size(entry, static_cast<la_int64_t>(bytes.size()));
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_perm(entry, executable ? 0755 : 0644);
  const int state = archive_write_header(archive_, entry);
  archive_entry_free(entry);
  check(state);
  if (archive_write_data(archive_, bytes.data(), bytes.size()) < 0) check(ARCHIVE_FATAL);
}

std::string ZipWriter::finish() {
  check(archive_write_close(archive_));
  return std::move(bytes_);
}

void ZipWriter::check(int state) const {
  if (state < ARCHIVE_WARN)
    throw std::runtime_error(fmt::format("zip: {}", archive_error_string(archive_)));
}

}  // namespace rankscope
