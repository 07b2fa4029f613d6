#include "lessons/zip_entries.h"

#include <algorithm>
#include <array>
#include <memory>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "engine/core/utf8.h"
#include "lessons/answer_file.h"
#include "lessons/submissions.h"

namespace rankscope {
namespace {

using Archive = std::unique_ptr<archive, int (*)(archive*)>;

std::string lower_end(std::string_view path, std::size_t count) {
  std::string out(path.substr(path.size() - std::min(path.size(), count)));
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

/// Does the name stay inside? "../x", "a/../../x", "/x", "C:\x".
bool stays_inside(std::string_view path) {
  if (path.empty() || path.front() == '/' || path.find('\\') != std::string_view::npos)
    return false;
  if (path.size() > 1 && path[1] == ':') return false;
  for (const auto& part : std::filesystem::path(path))
    if (part == "..") return false;
  return path.size() < 4096;
}

class ZipReader {
 public:
  ZipReader(std::string name, std::uint64_t& unpacked, Complaints& complaints)
      : name_(std::move(name)), unpacked_(unpacked), complaints_(complaints) {}

  std::vector<FoundFile> read(const std::filesystem::path& zip) {
    if (archive_read_support_format_zip(archive_.get()) != ARCHIVE_OK ||
        archive_read_open_filename(archive_.get(), zip.c_str(), 64 * 1024) != ARCHIVE_OK) {
      complain("is not a zip file that can be read");
      return {};
    }
    archive_entry* entry = nullptr;
    for (std::size_t count = 0;; ++count) {
      const int status = archive_read_next_header(archive_.get(), &entry);
      if (status == ARCHIVE_EOF) break;
      if (status < ARCHIVE_WARN) {
        complain("is damaged; what comes before the damage is read");
        break;
      }
      if (count == SubmissionList::kMostEntries) {
        complain(fmt::format("has more than {} entries; the rest is not read",
                             SubmissionList::kMostEntries));
        break;
      }
      take(entry);
    }
    return std::move(found_);
  }

 private:
  void complain(std::string text) { complaints_.add(name_, 0, std::move(text)); }

  void take(archive_entry* entry) {
    const char* raw = archive_entry_pathname_utf8(entry);
    if (raw == nullptr) raw = archive_entry_pathname(entry);
    std::string path = raw == nullptr ? "" : raw;
    if (!stays_inside(path))
      return complain(fmt::format("'{}' leads out of the zip file; it is not read",
                                  escaped(path.substr(0, 200))));
    const bool folder = archive_entry_filetype(entry) == S_IFDIR || path.ends_with('/');
    while (path.ends_with('/')) path.pop_back();
    FoundFile file;
    file.path = std::move(path);
    file.folder = folder;
    if (folder) return found_.push_back(std::move(file));
    if (!may_be_answers(file.path)) return found_.push_back(std::move(file));
    if (archive_entry_filetype(entry) == S_IFLNK || archive_entry_hardlink(entry) != nullptr)
      file.fault = "is a symbolic link; links are not followed";
    else if (archive_entry_filetype(entry) != S_IFREG) file.fault = "is not a regular file";
    else if (archive_entry_is_encrypted(entry) != 0) file.fault = "is protected by a password";
    else unpack(file);
    found_.push_back(std::move(file));
  }

  // What a zip file says of an entry's size is not believed.
  void unpack(FoundFile& file) {
    std::array<char, 64 * 1024> part;
    for (;;) {
      const la_ssize_t got = archive_read_data(archive_.get(), part.data(), part.size());
      if (got == 0) return;
      if (got < 0) file.fault = "is damaged in the zip file";
      else if (unpacked_ + static_cast<std::uint64_t>(got) > SubmissionList::kMostUnpacked)
        file.fault = fmt::format("is not read: the zip files unpack to more than {} MiB",
                                 SubmissionList::kMostUnpacked >> 20);
      else if (file.bytes.size() + static_cast<std::size_t>(got) > AnswerFile::kMostBytes)
        file.fault = fmt::format("has more than {} bytes; an answer file has at most so many",
                                 AnswerFile::kMostBytes);
      if (!file.fault.empty()) {
        file.bytes = {};
        return;
      }
      unpacked_ += static_cast<std::uint64_t>(got);
      file.bytes.append(part.data(), static_cast<std::size_t>(got));
    }
  }

  std::string name_;
  std::uint64_t& unpacked_;
  Complaints& complaints_;
  Archive archive_{archive_read_new(), archive_read_free};
  std::vector<FoundFile> found_;
};

}  // namespace

bool may_be_answers(std::string_view path) {
  const std::string end = lower_end(path, 5);
  return (end == ".toml" || end == ".json") && lower_end(path, 10) != "marks.toml";
}

std::vector<FoundFile> zip_entries(const std::filesystem::path& zip, const std::string& name,
                                   std::uint64_t& unpacked, Complaints& complaints) {
  return ZipReader(name, unpacked, complaints).read(zip);
}

}  // namespace rankscope
