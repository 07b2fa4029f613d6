// Finds all submissions in a folder or zip file, and reads their bytes.
#include "lessons/submissions/submissions.h"

#include <algorithm>
#include <functional>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/files.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/grading/answer_file.h"
#include "lessons/kinds/kind.h"
#include "lessons/submissions/submission_choice.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

/// The contents of a folder or zip file in which submissions are looked for.
struct Listing {
  std::string shown, prefix;   ///< "subs", "subs/"; "class.zip", "class.zip: "
  std::string stem;            ///< The student, when it is a single submission.
  std::vector<FoundFile> top;  ///< Files and folders, sorted.
  /// Lists the files below a folder of `top`, named from there; returns false if there are more than are read.
  std::function<bool(const FoundFile& folder, std::vector<FoundFile>& into)> below;
  std::function<std::string(const FoundFile& file, std::string& fault)> read;
  bool flat_class = true;  ///< Files beside each other are of different students.
};

/// Entries of a zip file that are to be unpacked, all in one pass.
struct Pending {
  struct One {
    std::size_t place;  ///< Index in SubmissionList::all.
    bool zip;
    bool sheet = false;  ///< Programs may lie beside it.
  };
  std::map<std::size_t, One> by_index;
  fs::path zip;
};

constexpr std::string_view kOtherArchives[] = {".rar", ".7z", ".gz", ".xz", ".bz2", ".zst"};
constexpr std::size_t kMostInside = 3;  // archives within a student's archive

/// An archive that is not read.
bool is_other_archive(std::string_view path) {
  const std::string name = ascii_lower(file_name(path));
  return ranges::any_of(kOtherArchives, [&](auto ending) { return name.ends_with(ending); });
}

/// "anna" of "anna.tar.gz"
std::string stem_of_archive(std::string_view path) {
  fs::path name = file_name(path);
  if (ascii_lower(name.stem().string()).ends_with(".tar")) name = name.stem();
  return name.stem().string();
}

class Finder {
 public:
  Finder(fs::path skip, const std::set<std::string>& programs)
      : skip_(std::move(skip)), programs_(programs) {}

  SubmissionList find(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      const std::string shown = escaped(path);
      std::error_code error;
      const fs::file_status status = fs::status(path, error);
      if (fs::is_directory(status)) folder(path, shown);
      else if (!fs::exists(status)) lost(path, shown, "does not exist");
      else if (is_archive(path) && fs::is_regular_file(status))
        archive(path, shown, paths.size() == 1);
      else if (is_named(programs_, path) && is_plain_program(path)) lost(path, shown, kNeedsFolder);
      else if (is_named(programs_, path)) alone(path, shown, {path, {}, 0, 0, true});
      else add(shown, stem_of(path), {"", false, path, 0, ""});
    }
    return std::move(out_);
  }

 private:
  static constexpr const char* kNeedsFolder =
      "is a program by itself: hand in its folder, or a zip file with it";

  static std::string stem_of(fs::path path) {
    if (path.filename().empty()) path = path.parent_path();
    std::error_code error;
    if (path.filename() == "." || path.filename() == "..") path = fs::canonical(path, error);
    if (is_sheet(path.filename().string()) && path.has_parent_path())
      return path.parent_path().filename().string();
    return is_archive(path.string()) ? stem_of_archive(path.string()) : path.stem().string();
  }

  /// Returns whether its name tells the exercise, but not the student.
  bool is_plain_program(std::string_view path) const {
    return programs_.contains(std::string(file_name(path)));
  }

  void lost(const std::string& path, const std::string& shown, const std::string& why) {
    out_.all.push_back({shown, stem_of(path), {}, {}, fmt::format("{} {}", shown, why), {}});
  }

  /// A notebook that is all of a submission; what lies beside it may be another student's.
  void alone(const std::string& path, const std::string& shown, ZippedPrograms program) {
    Submission one{shown, stem_of(path), {}, {}, "", {}};
    one.programs = std::move(program);
    one.only_programs = true;
    out_.all.push_back(std::move(one));
  }

  void add(std::string name, std::string stem, const FoundFile& file) {
    std::string fault = file.fault.empty() ? "" : fmt::format("{} {}", name, file.fault);
    out_.all.push_back({std::move(name), std::move(stem), file.file, "", std::move(fault), {}});
  }

  // ---- Folders ----------------------------------------------------------------------------------

  void folder(const fs::path& path, const std::string& shown) {
    Listing listing{shown, shown.ends_with('/') ? shown : shown + '/', stem_of(path), {}, {}, {}};
    if (!list_folder(path, skip_, SubmissionList::kMostEntries, listing.top, out_.complaints))
      out_.complaints.add(shown, 0,
                          fmt::format("has more than {} files; the rest is not read",
                                      SubmissionList::kMostEntries));
    listing.below = [this](const FoundFile& top, std::vector<FoundFile>& into) {
      return list_student(top.file, skip_, into, out_.complaints);
    };
    listing.read = [](const FoundFile& file, std::string& fault) {
      return read_whole(file.file, AnswerFile::kMostBytes, fault, LinkRule::refuse);
    };
    arrange(listing, nullptr);
  }

  // ---- Zip files --------------------------------------------------------------------------------

  void archive(const fs::path& path, const std::string& shown, bool flat_class) {
    const ZipSource zip{path, ""};
    Complaints complaints;
    std::vector<ZipEntry> entries =
        zip_entries(zip, shown, SubmissionList::kMostZipEntries, complaints);
    for (const Complaint& one : complaints.all()) out_.complaints.add(one.file, one.line, one.text);
    Listing listing{shown, shown + ": ", stem_of(path), {}, {}, {}, flat_class};
    auto folders = sort_entries(std::move(entries), listing.top, programs_);
    const auto count = out_.all.size();
    listing.below = [&](const FoundFile& top, std::vector<FoundFile>& into) {
      auto& files = folders[top.path];
      into.insert(into.end(), files.begin(),
                  files.begin() + static_cast<std::ptrdiff_t>(
                                      std::min(files.size(), SubmissionList::kMostOfStudent)));
      return files.size() <= SubmissionList::kMostOfStudent;
    };
    listing.read = [&](const FoundFile& file, std::string& fault) {
      std::string out;
      unpack_entries(zip, {{file.index, AnswerFile::kMostBytes}},
                     [&](std::size_t, std::string bytes, std::string why) {
                       out = std::move(bytes);
                       fault = std::move(why);
                     });
      return out;
    };
    Pending pending;
    pending.zip = path;
    arrange(listing, &pending);
    unpack(zip, pending, SubmissionList::kMostUnpacked);
    if (out_.all.size() == count)
      lost(path.string(), shown,
           complaints.empty() ? "has no answer file in it" : complaints.all().back().text);
  }

  /// Unpacks the chosen entries into their submissions, up to `most` bytes in all.
  void unpack(const ZipSource& zip, const Pending& pending, std::uint64_t most) {
    std::map<std::size_t, std::size_t> wanted;
    for (const auto& [index, one] : pending.by_index)
      wanted[index] = one.zip ? SubmissionList::kMostNested : AnswerFile::kMostBytes;
    std::uint64_t kept = 0;
    unpack_entries(zip, wanted, [&](std::size_t index, std::string bytes, std::string fault) {
      const Pending::One& one = pending.by_index.at(index);
      if (fault.empty() && one.zip) nested({{}, std::move(bytes)}, one.place, {zip.file, {index}});
      Submission& to = out_.all[one.place];
      if (!one.zip && one.sheet && !zip.file.empty()) to.programs = {zip.file, {}, index, 0};
      if (!fault.empty()) to.fault = fmt::format("{} {}", to.name, fault);
      else if (!one.zip) to.bytes = std::move(bytes);
      kept += to.bytes.size();
      if (kept <= most) return;
      kept -= to.bytes.size();
      to.bytes.clear();
      to.fault = fmt::format(
          "{} is not read: the answer files of this zip file have more than {} MiB; unpack it",
          to.name, most >> 20);
    });
  }

  /// A student's archive, whose place among the submissions is known: one answer file of it counts.
  void nested(const ZipSource& zip, std::size_t place, ZippedPrograms programs) {
    Submission now = std::move(out_.all[place]);
    Complaints complaints;
    std::vector<FoundFile> files;
    for (ZipEntry& one : zip_entries(zip, now.name, SubmissionList::kMostOfStudent, complaints))
      if (!is_system_file(one.path))
        files.push_back({std::move(one.path), one.folder, {}, one.index, std::move(one.fault)});
    for (const Complaint& one : complaints.all()) now.remarks.push_back(one.to_string());
    SubmissionChoice choice = choose_submission(files, true);
    for (std::string& remark : choice.remarks)
      now.remarks.push_back(fmt::format("{}: {}", now.name, remark));
    const FoundFile* const program = choice.file == nullptr ? program_among(files) : nullptr;
    if (const FoundFile* const beside = program != nullptr ? program : choice.file;
        beside != nullptr && (program != nullptr || is_sheet(beside->path))) {
      programs.beside = beside->index;
      programs.levels = program != nullptr ? levels_of(*program) : 0;
      now.programs = programs;
    }
    if (program != nullptr) {
      now.only_programs = true;
      now.file.clear();
    } else if (choice.file == nullptr) {
      now.fault = fmt::format("{} {}", now.name,
                              complaints.empty() ? choice.fault : complaints.all().back().text);
    } else if (is_archive(choice.file->path) && programs.inside.size() < kMostInside) {
      const std::size_t index = choice.file->index;
      programs.inside.push_back(index);
      now.name += ": " + escaped(choice.file->path);
      out_.all[place] = std::move(now);
      return unpack_entries(zip, {{index, SubmissionList::kMostNested}},
                            [&](std::size_t, std::string bytes, const std::string& fault) {
                              if (fault.empty()) nested({{}, std::move(bytes)}, place, programs);
                              else out_.all[place].fault = out_.all[place].name + " " + fault;
                            });
    } else if (is_archive(choice.file->path)) {
      now.fault = fmt::format("{} has archives in archives ({}); hand in the innermost one",
                              now.name, escaped(choice.file->path));
    } else {
      now.name += ": " + escaped(choice.file->path);
      now.file.clear();
      if (!choice.file->fault.empty())
        now.fault = fmt::format("{} {}", now.name, choice.file->fault);
    }
    const bool read = now.fault.empty() && !now.only_programs;
    out_.all[place] = std::move(now);
    if (read) unpack(zip, {{{choice.file->index, {place, false}}}, {}}, AnswerFile::kMostBytes);
  }

  static std::size_t levels_of(const FoundFile& file) {
    return static_cast<std::size_t>(ranges::count(file.path, '/'));
  }

  /// The program that lies nearest to the top, of those that are a submission by themselves.
  const FoundFile* program_among(const std::vector<FoundFile>& files) const {
    const FoundFile* out = nullptr;
    for (const FoundFile& file : files)
      if (!file.folder && file.fault.empty() && is_named(programs_, file.path) &&
          (out == nullptr || levels_of(file) < levels_of(*out)))
        out = &file;
    return out;
  }

  /// Returns whether all files are one student's: in the course's own layout, or programs beside folders without any.
  bool is_one_students(const Listing& listing) const {
    bool others = false;
    for (const FoundFile& top : listing.top) {
      if (!top.folder) continue;
      std::vector<FoundFile> below;
      listing.below(top, below);
      if (ranges::any_of(below, [&](const FoundFile& file) {
            return programs_.contains(fmt::format("{}/{}", top.path, file.path));
          }))
        return true;
      others = others || program_among(below) != nullptr ||
               ranges::any_of(below, [](const FoundFile& file) {
                 return is_sheet(file.path) || is_archive(file.path);
               });
    }
    return !others && ranges::any_of(listing.top, [&](const FoundFile& file) {
      return !file.folder && programs_.contains(std::string(file_name(file.path)));
    });
  }

  // ---- Both -------------------------------------------------------------------------------------

  /// Assigns the files to submissions: all to a single one, or each entry to its own.
  void arrange(const Listing& listing, Pending* pending) {
    const auto sheet = ranges::find_if(
        listing.top, [](const FoundFile& file) { return !file.folder && is_sheet(file.path); });
    const auto candidates = ranges::count_if(listing.top, [](const FoundFile& file) {
      return !file.folder && (may_be_answers(file.path) || is_archive(file.path));
    });
    const bool folders = ranges::any_of(listing.top, &FoundFile::folder);
    if (sheet == listing.top.end() &&
        ((candidates == 0 && !folders && program_among(listing.top) != nullptr) ||
         is_one_students(listing)))
      return single(listing, pending);
    if (sheet == listing.top.end()) {
      if (!listing.flat_class && !folders && candidates > 1) single(listing, pending);
      else several(listing, nullptr, pending);
      return;
    }
    const bool empty_one = is_blank(listing, *sheet);
    if (others_beside(listing, empty_one && candidates > 1))
      several(listing, empty_one ? &*sheet : nullptr, pending);
    else single(listing, pending);
  }

  /// Returns whether the sheet is as it was handed out: without a name and without answers.
  static bool is_blank(const Listing& listing, const FoundFile& sheet) {
    std::string fault = sheet.fault;
    if (!fault.empty()) return false;
    const std::string bytes = listing.read(sheet, fault);
    if (!fault.empty()) return false;
    const AnswerFile file = read_answers(bytes, sheet.path);
    return file.fault.empty() && blank(file.student) &&
           ranges::all_of(file.answers, [](const auto& one) { return blank(one.second); });
  }

  /// Returns whether other students' submissions lie beside a sheet at the top; `files`: whether files beside it count.
  static bool others_beside(const Listing& listing, bool files) {
    return files || ranges::any_of(listing.top, [&](const FoundFile& one) {
             if (!one.folder) return is_archive(one.path);
             std::vector<FoundFile> below;
             listing.below(one, below);
             return ranges::any_of(below, [](const FoundFile& file) {
               return is_sheet(file.path) || is_archive(file.path);
             });
           });
  }

  void several(const Listing& listing, const FoundFile* blank_sheet, Pending* pending) {
    for (const FoundFile& one : listing.top) {
      const std::string shown = listing.prefix + escaped(one.path);
      if (one.folder) {
        std::vector<FoundFile> files;
        const bool all = listing.below(one, files);
        student(std::move(files), all, shown, one.path, shown + "/", pending);
      } else if (&one == blank_sheet) {
        out_.complaints.add(shown, 0,
                            "is blank; taken for the sheet that is handed out, not graded");
      } else if (is_own_results(one)) {
        out_.complaints.add(shown, 0, "holds results of an earlier grading, no answers; not read");
      } else if (may_be_answers(one.path) || (is_archive(one.path) && one.fault.empty())) {
        const bool sheet = is_sheet(one.path);
        const std::string stem = sheet ? listing.stem : stem_of_archive(one.path);
        put({shown, stem, {}, {}, "", {}}, one, pending);
      } else if (one.fault.empty() && is_other_archive(one.path)) {
        // Somebody handed it in, so it gets a row; otherwise nobody would miss it.
        lost(one.path, shown, "cannot be opened: hand in a zip file");
      } else if (one.fault.empty() && is_named(programs_, one.path) &&
                 !is_plain_program(one.path)) {
        alone(one.path, shown,
              pending == nullptr ? ZippedPrograms{one.file, {}, 0, 0, true}
                                 : ZippedPrograms{pending->zip, {}, one.index, 0, true});
      } else if (file_name(one.path) != "marks.toml") {
        out_.complaints.add(
            shown, 0,
            one.fault.empty() ? "is neither .toml, .json nor an archive; not read" : one.fault);
      }
    }
  }

  void single(const Listing& listing, Pending* pending) {
    std::vector<FoundFile> files;
    bool all = true;
    const bool sheet = ranges::any_of(
        listing.top, [](const FoundFile& one) { return !one.folder && is_sheet(one.path); });
    for (const FoundFile& one : listing.top) {
      if (!one.folder) {
        files.push_back(one);
        if (!sheet || is_sheet(one.path) || !may_be_answers(one.path)) continue;
        out_.complaints.add(listing.prefix + escaped(one.path), 0,
                            "is not read: its folder is one submission");
        continue;
      }
      const std::size_t first = files.size();
      all = listing.below(one, files) && all;
      for (std::size_t i = first; i < files.size(); ++i) files[i].path.insert(0, one.path + "/");
    }
    student(std::move(files), all, listing.shown, listing.stem, listing.prefix, pending);
  }

  /// One student's files.
  void student(const std::vector<FoundFile>& files, bool all, const std::string& shown,
               const std::string& stem, const std::string& prefix, Pending* pending) {
    SubmissionChoice choice = choose_submission(files, all);
    if (choice.own_results)
      return out_.complaints.add(shown, 0,
                                 "holds results of an earlier grading, no answers; not read");
    Submission one{shown, stem, {}, {}, "", {}};
    for (std::string& remark : choice.remarks)
      one.remarks.push_back(fmt::format("{}: {}", shown, remark));
    const FoundFile* const program = choice.file == nullptr ? program_among(files) : nullptr;
    if (program != nullptr) {
      one.only_programs = true;
      one.file = program->file;
      one.levels = levels_of(*program);
      if (pending != nullptr) one.programs = {pending->zip, {}, program->index, one.levels};
    } else if (choice.file == nullptr) {
      one.fault = fmt::format("{} {}", shown, choice.fault);
    }
    if (choice.file == nullptr) {
      out_.all.push_back(std::move(one));
      return;
    }
    one.name = prefix + escaped(choice.file->path);
    put(std::move(one), *choice.file, pending);
  }

  /// A submission that is `file`, which may be a zip file. `pending`: of the zip file that it is in.
  void put(Submission one, const FoundFile& file, Pending* pending) {
    const bool zip = is_archive(file.path);
    one.file = file.file;
    if (!file.fault.empty()) one.fault = fmt::format("{} {}", one.name, file.fault);
    const bool read = one.fault.empty();
    const std::size_t place = out_.all.size();
    out_.all.push_back(std::move(one));
    if (!read) return;
    if (file.file.empty()) pending->by_index[file.index] = {place, zip, is_sheet(file.path)};
    else if (zip) nested({file.file, ""}, place, {file.file, {}});
  }

  fs::path skip_;
  const std::set<std::string>& programs_;
  SubmissionList out_;
};

}  // namespace

SubmissionList find_submissions(const std::vector<std::string>& paths, const fs::path& skip,
                                const std::set<std::string>& programs) {
  return Finder(skip, programs).find(paths);
}

std::string bytes_of(const Submission& submission, std::string& fault) {
  fault = submission.fault;
  if (submission.only_programs) return "";
  if (!fault.empty() || submission.file.empty()) return submission.bytes;
  std::string out = read_whole(submission.file, AnswerFile::kMostBytes, fault);
  if (!fault.empty()) fault = fmt::format("{} {}", submission.name, fault);
  return out;
}

}  // namespace rankscope
