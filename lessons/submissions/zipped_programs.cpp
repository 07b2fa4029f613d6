// Unpacks submitted programs into a folder.
#include "lessons/submissions/zipped_programs.h"

#include <fstream>
#include <map>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"
#include "lessons/submissions/submission_choice.h"
#include "lessons/submissions/submissions.h"
#include "lessons/submissions/zip_entries.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

// As copy_submission takes of a folder.
constexpr std::size_t kMostFiles = 2000, kMostBytes = std::size_t{64} << 20;
constexpr int kMostDepth = 16;
constexpr std::size_t kMostReported = 10;

struct TooMuch {};  // ends the unpacking: a bomb is not unpacked to its end

class Unpacking {
 public:
  explicit Unpacking(const ZippedPrograms& from) : from_(from) {}

  UnpackedPrograms run() {
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
    if (!from_.nested) return {from_.zip, ""};
    ZipSource inner;
    unpack_entries({from_.zip, ""}, {{*from_.nested, SubmissionList::kMostNested}},
                   [&](std::size_t, std::string bytes, std::string fault) {
                     inner.bytes = std::move(bytes);
                     if (!fault.empty()) leave_out("the zip file " + fault);
                   });
    return inner;
  }

  void choose(const std::vector<ZipEntry>& entries) {
    const auto known = ranges::find(entries, from_.beside, &ZipEntry::index);
    if (known == entries.end()) return;
    const std::string prefix = known->path.substr(0, known->path.rfind('/') + 1);
    for (const ZipEntry& entry : entries) {
      if (entry.folder || !entry.path.starts_with(prefix)) continue;
      const std::string path = entry.path.substr(prefix.size());
      if (is_system_file(path) || is_zip(path)) continue;
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
    // What was too large by itself was unpacked as far as that.
    written_ += fault.empty() ? bytes.size() : kMostBytes / 8;
    if (written_ > kMostBytes) throw TooMuch();
    if (!fault.empty()) return;
    const fs::path to = out_.folder.path() / path;
    std::error_code error;
    fs::create_directories(to.parent_path(), error);
    // The first of two with one name stays, and what one of them made a folder is no file.
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
