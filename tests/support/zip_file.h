// Zip files as students make them, and as attackers do. Needs libarchive.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

namespace rankscope::test {

class ZipFile {
 public:
  explicit ZipFile(const std::string& path) : archive_(archive_write_new()) {
    archive_write_set_format_zip(archive_);
    if (archive_write_open_filename(archive_, path.c_str()) != ARCHIVE_OK)
      throw std::runtime_error("cannot write " + path);
  }
  ~ZipFile() {
    archive_write_close(archive_);
    archive_write_free(archive_);
  }
  ZipFile(const ZipFile&) = delete;
  ZipFile& operator=(const ZipFile&) = delete;

  /// Takes any name, even "../x".
  ZipFile& add(const std::string& name, std::string_view bytes) {
    header(name, S_IFREG, static_cast<la_int64_t>(bytes.size()), "");
    archive_write_data(archive_, bytes.data(), bytes.size());
    return *this;
  }
  ZipFile& add_zeros(const std::string& name, std::size_t mebibytes) {
    header(name, S_IFREG, static_cast<la_int64_t>(mebibytes << 20), "");
    const std::string zeros(1 << 20, '\0');
    for (std::size_t i = 0; i < mebibytes; ++i)
      archive_write_data(archive_, zeros.data(), zeros.size());
    return *this;
  }
  ZipFile& add_link(const std::string& name, const std::string& target) {
    header(name, S_IFLNK, static_cast<la_int64_t>(target.size()), target);
    return *this;
  }

 private:
  void header(const std::string& name, mode_t type, la_int64_t size, const std::string& target) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_filetype(entry, type);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, size);
    if (!target.empty()) archive_entry_set_symlink(entry, target.c_str());
    archive_write_header(archive_, entry);
    archive_entry_free(entry);
  }
  archive* archive_;
};

}  // namespace rankscope::test
