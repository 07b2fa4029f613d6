// Lists and unpacks zip entries in memory, within limits.
#include "lessons/submissions/zip_entries.h"

#include <array>
#include <fstream>
#include <memory>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/submissions/submission_choice.h"
#include "lessons/submissions/submissions.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostEntryName = 1024;
constexpr std::size_t kMostOutside = 20;  // of one zip file
constexpr std::int64_t kMostOfTar = std::int64_t{1} << 30;

using Archive = std::unique_ptr<archive, int (*)(archive*)>;

/// Goes to the next entry. Passing over an entry of a packed tar unpacks it, too, so a tar ends with an error once its
/// entries have more than kMostOfTar bytes.
int next_header(archive* from, archive_entry** entry, std::int64_t& passed) {
  const int status = archive_read_next_header(from, entry);
  if (status < ARCHIVE_WARN ||
      (archive_format(from) & ARCHIVE_FORMAT_BASE_MASK) != ARCHIVE_FORMAT_TAR)
    return status;
  passed += archive_entry_size(*entry);
  return passed > kMostOfTar || passed < 0 ? ARCHIVE_FATAL : status;
}

/// Returns null for a file that is no archive.
Archive opened(const ZipSource& zip) {
  Archive out{archive_read_new(), archive_read_free};
  const auto open = [&] {
    return zip.file.empty()
               ? archive_read_open_memory(out.get(), zip.bytes.data(), zip.bytes.size())
               : archive_read_open_filename(out.get(), zip.file.c_str(), 64 * 1024);
  };
  archive* const reader = out.get();
  archive_read_support_filter_gzip(reader);
  archive_read_support_filter_bzip2(reader);
  archive_read_support_filter_xz(reader);
  archive_read_support_filter_zstd(reader);
  const bool works = archive_read_support_format_zip(reader) == ARCHIVE_OK &&
                     archive_read_support_format_tar(reader) == ARCHIVE_OK && open() == ARCHIVE_OK;
  return works ? std::move(out) : Archive{nullptr, archive_read_free};
}

/// Returns whether the path stays inside; "../x", "a/../../x", "/x" and "C:\x" do not.
bool stays_inside(std::string_view path) {
  if (path.empty() || path.front() == '/' || path.find('\\') != std::string_view::npos)
    return false;
  if (path.size() > 1 && path[1] == ':') return false;
  for (const auto& part : std::filesystem::path(path))
    if (part == "..") return false;
  return path.size() < kMostEntryName;
}

std::string path_of(archive_entry* entry) {
  const char* raw = archive_entry_pathname_utf8(entry);
  if (raw == nullptr) raw = archive_entry_pathname(entry);
  std::string out = raw == nullptr ? "" : raw;
  while (out.starts_with("./")) out.erase(0, 2);
  return out;
}

std::string fault_of(archive_entry* entry) {
  if (archive_entry_filetype(entry) == S_IFLNK || archive_entry_hardlink(entry) != nullptr)
    return "is a symbolic link; links are not followed";
  if (archive_entry_filetype(entry) != S_IFREG) return "is not a regular file";
  return archive_entry_is_encrypted(entry) != 0 ? "is protected by a password" : "";
}

std::string unpacked(archive* from, std::size_t most, std::string& fault) {
  std::array<char, 64 * 1024> part;
  std::string out;
  for (;;) {
    const la_ssize_t got = archive_read_data(from, part.data(), part.size());
    if (got == 0) return out;
    if (got < 0) fault = "is damaged in the zip file";
    else if (out.size() + static_cast<std::size_t>(got) > most)
      fault = fmt::format("has more than {} bytes, the most that are read", most);
    if (!fault.empty()) return "";
    out.append(part.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

std::vector<ZipEntry> zip_entries(const ZipSource& zip, const std::string& name, std::size_t most,
                                  Complaints& complaints) {
  std::vector<ZipEntry> out;
  const Archive archive = opened(zip);
  if (!archive) {
    complaints.add(name, 0, "is not a zip file that can be read");
    return out;
  }
  std::size_t outside = 0;
  archive_entry* entry = nullptr;
  std::int64_t passed = 0;
  for (std::size_t index = 0;; ++index) {
    const int status = next_header(archive.get(), &entry, passed);
    if (status == ARCHIVE_EOF) break;
    if (status < ARCHIVE_WARN)
      complaints.add(
          name, 0,
          passed > kMostOfTar
              ? fmt::format("has more than 1 GiB in it: what comes after '{}' is not read, and "
                            "its student gets no row. Unpack it and give its folder, or "
                            "pack a zip file, then grade again",
                            out.empty() ? "" : escaped(shortened(out.back().path, 200)))
              : "is damaged; what comes before the damage is read");
    else if (index == most)
      complaints.add(name, 0, fmt::format("has more than {} entries; the rest is not read", most));
    if (status < ARCHIVE_WARN || index == most) break;
    ZipEntry one{path_of(entry), false, index, ""};
    if (one.path.empty() || one.path == ".") continue;  // the folder itself, as `tar c .` has it
    if (!stays_inside(one.path)) {
      if (outside++ < kMostOutside)
        complaints.add(name, 0,
                       fmt::format("'{}' leads out of the zip file; it is not read",
                                   escaped(one.path.substr(0, 200))));
      continue;
    }
    one.folder = archive_entry_filetype(entry) == S_IFDIR || one.path.ends_with('/');
    while (one.path.ends_with('/')) one.path.pop_back();
    if (!one.folder) one.fault = fault_of(entry);
    out.push_back(std::move(one));
  }
  if (outside > kMostOutside)
    complaints.add(name, 0, fmt::format("and {} more such names", outside - kMostOutside));
  return out;
}

void unpack_entries(const ZipSource& zip, const std::map<std::size_t, std::size_t>& wanted,
                    const std::function<void(std::size_t, std::string, std::string)>& take) {
  auto next = wanted.begin();
  const Archive archive = opened(zip);
  archive_entry* entry = nullptr;
  std::int64_t passed = 0;
  for (std::size_t index = 0; archive && next != wanted.end(); ++index) {
    const int status = next_header(archive.get(), &entry, passed);
    if (status == ARCHIVE_EOF || status < ARCHIVE_WARN) break;
    if (index != next->first) continue;
    std::string fault;
    std::string bytes = unpacked(archive.get(), next->second, fault);
    take(index, std::move(bytes), std::move(fault));
    ++next;
  }
  for (; next != wanted.end(); ++next) take(next->first, "", "is damaged in the zip file");
}

namespace {

namespace fs = std::filesystem;

// The limits of copy_submission().
constexpr std::size_t kMostFiles = 2000, kMostBytes = std::size_t{64} << 20;
constexpr int kMostDepth = 16;
constexpr std::size_t kMostReported = 10;

struct TooMuch {};  // ends the unpacking: a bomb is not unpacked to its end

class Unpacking {
 public:
  explicit Unpacking(const ZippedPrograms& from) : from_(from) {}

  UnpackedPrograms run() {
    if (from_.alone && !is_archive(from_.zip.string())) {
      std::string fault;
      const std::string bytes = read_whole(from_.zip, kMostBytes, fault, LinkRule::refuse);
      write(from_.zip.filename().string(), bytes, fault);
      return std::move(out_);
    }
    const ZipSource source = student_zip();
    Complaints complaints;
    const std::vector<ZipEntry> entries =
        zip_entries(source, "the zip file", SubmissionList::kMostZipEntries, complaints);
    for (const Complaint& one : complaints.all()) leave_out(one.to_string());
    choose(entries);
    std::map<std::size_t, std::size_t> wanted;
    for (const auto& [index, path] : files_) wanted[index] = kMostBytes;
    try {
      unpack_entries(source, wanted,
                     [this](std::size_t index, const std::string& bytes, const std::string& fault) {
                       write(files_.at(index), bytes, fault);
                     });
    } catch (const TooMuch&) {
      leave_out(fmt::format("all files together have more than {} MiB; the rest is not read",
                            kMostBytes >> 20));
    }
    return std::move(out_);
  }

 private:
  ZipSource student_zip() {
    ZipSource out{from_.zip, ""};
    for (const std::size_t index : from_.inside) {
      ZipSource inner;
      unpack_entries(out, {{index, SubmissionList::kMostNested}},
                     [&](std::size_t, std::string bytes, std::string fault) {
                       inner.bytes = std::move(bytes);
                       if (!fault.empty()) leave_out("the zip file " + fault);
                     });
      out = std::move(inner);
    }
    return out;
  }

  void choose(const std::vector<ZipEntry>& entries) {
    const auto known = ranges::find(entries, from_.beside, &ZipEntry::index);
    if (known == entries.end()) return;
    if (from_.alone) {
      if (known->fault.empty()) files_[known->index] = std::string(file_name(known->path));
      return;
    }
    std::string prefix = known->path.substr(0, known->path.rfind('/') + 1);
    for (std::size_t i = 0; i < from_.levels && !prefix.empty(); ++i)
      prefix.resize(prefix.rfind('/', prefix.size() - 2) + 1);  // npos + 1 is 0
    for (const ZipEntry& entry : entries) {
      if (entry.folder || !entry.path.starts_with(prefix)) continue;
      const std::string path = entry.path.substr(prefix.size());
      if (is_system_file(path) || is_archive(path)) continue;
      if (ranges::count(path, '/') >= kMostDepth)
        leave_out(fmt::format("{} lies too deep", escaped(path)));
      else if (!entry.fault.empty()) leave_out(fmt::format("{} {}", escaped(path), entry.fault));
      else if (files_.size() >= kMostFiles)
        leave_out(fmt::format("there are more than {} files", kMostFiles));
      else files_[entry.index] = path;
    }
  }

  void write(const std::string& path, const std::string& bytes, const std::string& fault) {
    if (!fault.empty()) leave_out(fmt::format("{} {}", escaped(path), fault));
    // An entry that was too large by itself was unpacked up to its limit.
    written_ += fault.empty() ? bytes.size() : kMostBytes / 8;
    if (written_ > kMostBytes) throw TooMuch();
    if (!fault.empty()) return;
    const fs::path to = out_.folder.path() / path;
    std::error_code error;
    fs::create_directories(to.parent_path(), error);
    // The first of two entries with one name stays; a file does not replace a folder either.
    if (fs::exists(to, error)) return leave_out(fmt::format("{} is there twice", escaped(path)));
    std::ofstream file(to, std::ios::binary);
    file << bytes;
    if (!file.flush()) leave_out(fmt::format("{} cannot be written", escaped(path)));
  }

  void leave_out(std::string line) {
    if (out_.left_out.size() < kMostReported) out_.left_out.push_back(std::move(line));
  }

  const ZippedPrograms from_;
  std::map<std::size_t, std::string> files_;
  std::uint64_t written_ = 0;
  UnpackedPrograms out_;
};

}  // namespace

UnpackedPrograms unpack_programs(const ZippedPrograms& from) { return Unpacking(from).run(); }

}  // namespace rankscope
