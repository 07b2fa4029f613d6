#include "lessons/submissions.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/core/utf8.h"
#include "lessons/answer_file.h"
#include "lessons/zip_entries.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLevels = 6;  // of folders within a student's folder

bool is_zip(const fs::path& path) {
  return path.extension() == ".zip" || path.extension() == ".ZIP";
}
std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}
bool is_sheet(std::string_view path) {
  return file_name(path) == "answers.toml" || file_name(path) == "answers.json";
}
/// What computers leave behind: .DS_Store, __MACOSX, Thumbs.db.
bool is_litter(std::string_view path) {
  return path.starts_with("__MACOSX") || file_name(path).starts_with('.') ||
         path.starts_with('.') || path.find("/.") != std::string_view::npos ||
         file_name(path) == "Thumbs.db";
}

class Finder {
 public:
  explicit Finder(fs::path skip) : skip_(std::move(skip)) {}

  SubmissionList find(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      const std::string shown = escaped(path);
      std::error_code error;
      const fs::file_status status = fs::status(path, error);
      if (fs::is_directory(status)) folder(path, shown);
      else if (!fs::exists(status)) lost(path, shown, "does not exist");
      else if (is_zip(path)) zip(path, shown, stem_of(path));
      else add(shown, stem_of(path), {"", false, path, "", ""});
    }
    return std::move(out_);
  }

 private:
  static std::string stem_of(fs::path path) {
    if (path.filename().empty()) path = path.parent_path();
    std::error_code error;
    if (path.filename() == "." || path.filename() == "..") path = fs::canonical(path, error);
    return is_sheet(path.filename().string()) && path.has_parent_path()
               ? path.parent_path().filename().string()
               : path.stem().string();
  }

  void lost(const std::string& path, const std::string& shown, const std::string& why) {
    out_.all.push_back({shown, stem_of(path), {}, {}, fmt::format("{} {}", shown, why)});
  }

  void add(std::string name, std::string stem, FoundFile file) {
    std::string fault = file.fault.empty() ? "" : fmt::format("{} {}", name, file.fault);
    out_.all.push_back({std::move(name), std::move(stem), std::move(file.file),
                        std::move(file.bytes), std::move(fault)});
  }

  void zip(const fs::path& path, const std::string& shown, const std::string& stem) {
    const std::size_t before = out_.complaints.all().size();
    auto found = zip_entries(path, shown, unpacked_, out_.complaints);
    const auto count = out_.all.size();
    arrange(std::move(found), shown + ": ", stem, true);
    if (out_.all.size() > count) return;
    const auto& complaints = out_.complaints.all();
    lost(path.string(), shown,
         complaints.size() > before ? complaints.back().text : "has no answer file in it");
  }

  void folder(const fs::path& path, const std::string& shown) {
    std::vector<FoundFile> found;
    walk(path, "", shown, kMostLevels, found);
    std::string prefix = shown;
    if (!prefix.ends_with('/')) prefix += '/';
    arrange(std::move(found), prefix, stem_of(path), false);
  }

  // Never into a symbolic link: it may lead to another student's answers, or in a circle.
  void walk(const fs::path& folder, const std::string& below, const std::string& shown, int levels,
            std::vector<FoundFile>& into) {
    std::error_code error;
    std::vector<fs::directory_entry> entries;
    for (auto it = fs::directory_iterator(folder, error); !error && it != fs::directory_iterator();
         it.increment(error))
      entries.push_back(*it);
    if (error)
      out_.complaints.add(shown, 0,
                          fmt::format("{} cannot be read: {}", escaped(below), error.message()));
    std::ranges::sort(entries, {}, [](const auto& entry) { return entry.path(); });
    for (const fs::directory_entry& entry : entries) {
      if (entries_++ == SubmissionList::kMostEntries)
        out_.complaints.add(shown, 0,
                            fmt::format("has more than {} files; the rest is not read",
                                        SubmissionList::kMostEntries));
      if (entries_ > SubmissionList::kMostEntries) return;
      const std::string name = below + entry.path().filename().string();
      if (is_litter(name)) continue;
      const bool link = entry.is_symlink(error);
      if (link)
        into.push_back(
            {name, false, entry.path(), "", "is a symbolic link; links are not followed"});
      else if (!entry.is_directory(error)) into.push_back({name, false, entry.path(), "", ""});
      else if (skip_.empty() || !fs::equivalent(entry.path(), skip_, error)) {
        into.push_back({name, true, entry.path(), "", ""});
        if (levels > 0) walk(entry.path(), name + "/", shown, levels - 1, into);
      }
    }
  }

  /// Which of the files are whose submission.
  void arrange(std::vector<FoundFile> found, const std::string& prefix, const std::string& stem,
               bool zip_file) {
    std::erase_if(found, [](const FoundFile& file) { return is_litter(file.path); });
    std::ranges::sort(found, {}, &FoundFile::path);
    // A zip file of a folder has this folder's name before all others.
    while (zip_file && !found.empty() && common_folder(found)) {
      const std::size_t cut = found.back().path.find('/') + 1;
      std::erase_if(found, [&](const FoundFile& file) { return file.path.size() < cut; });
      for (FoundFile& file : found) file.path.erase(0, cut);
    }
    const bool single = std::ranges::any_of(found, [](const FoundFile& file) {
      return is_sheet(file.path) && file.path.find('/') == std::string::npos;
    });
    if (single) return one_of(std::move(found), prefix, stem);
    std::map<std::string, std::vector<FoundFile>> folders;
    for (FoundFile& file : found) {
      const auto slash = file.path.find('/');
      if (file.folder && slash == std::string::npos) folders[file.path];
      else if (slash != std::string::npos)
        folders[file.path.substr(0, slash)].push_back(std::move(file));
      else top(std::move(file), prefix);
    }
    for (auto& [name, files] : folders) {
      const std::string student = name;
      one_of(std::move(files), prefix, student);
    }
  }

  static bool common_folder(const std::vector<FoundFile>& found) {
    const std::string& last = found.back().path;
    const auto slash = last.find('/');
    if (slash == std::string::npos) return false;
    const std::string folder = last.substr(0, slash + 1);
    return std::ranges::all_of(found,
                               [&](const FoundFile& file) {
                                 return (file.folder && file.path + "/" == folder) ||
                                        file.path.starts_with(folder);
                               }) &&
           std::ranges::none_of(found, [&](const FoundFile& file) {
             return file.path == folder + "answers.toml" || file.path == folder + "answers.json";
           });
  }

  void top(FoundFile file, const std::string& prefix) {
    const fs::path path = file.path;
    const std::string shown = prefix + escaped(file.path);
    if (is_zip(path) && !file.file.empty() && file.fault.empty())
      return zip(file.file, shown, path.stem().string());
    if (may_be_answers(file.path)) return add(shown, path.stem().string(), std::move(file));
    if (path.filename() != "marks.toml")
      out_.complaints.add(
          shown, 0, file.fault.empty() ? "is neither .toml, .json nor .zip; not read" : file.fault);
  }

  /// A student's files: answers.toml or answers.json, the one nearest to the top; else the only
  /// .toml or .json.
  void one_of(std::vector<FoundFile> files, const std::string& prefix, const std::string& stem) {
    std::erase_if(files,
                  [](const FoundFile& file) { return file.folder || !may_be_answers(file.path); });
    const auto depth = [](const FoundFile& file) { return std::ranges::count(file.path, '/'); };
    if (std::ranges::any_of(files, [](const FoundFile& file) { return is_sheet(file.path); }))
      std::erase_if(files, [](const FoundFile& file) { return !is_sheet(file.path); });
    std::ranges::stable_sort(files, {}, depth);
    while (files.size() > 1 && depth(files.back()) > depth(files.front())) files.pop_back();
    const std::string shown = prefix + escaped(stem);
    if (files.empty())
      out_.all.push_back({shown,
                          stem,
                          {},
                          {},
                          fmt::format("{} has no answers.toml or answers.json in it", shown)});
    else if (files.size() > 1)
      out_.all.push_back(
          {shown,
           stem,
           {},
           {},
           fmt::format("{} has {} answer files ({}, {}); keep one, as answers.toml", shown,
                       files.size(), escaped(files[0].path), escaped(files[1].path))});
    else {
      std::string name = prefix + escaped(files[0].path);
      add(std::move(name), stem, std::move(files[0]));
    }
  }

  fs::path skip_;
  SubmissionList out_;
  std::uint64_t unpacked_ = 0;
  std::size_t entries_ = 0;
};

}  // namespace

SubmissionList find_submissions(const std::vector<std::string>& paths, const fs::path& skip) {
  return Finder(skip).find(paths);
}

std::string bytes_of(const Submission& submission, std::string& fault) {
  fault = submission.fault;
  if (!fault.empty() || submission.file.empty()) return submission.bytes;
  // Without waiting for whoever may write into a pipe.
  const int file = ::open(submission.file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  std::string out;
  if (file < 0 || ::fstat(file, &status) != 0)
    fault = fmt::format("{} cannot be read: {}", submission.name,
                        std::error_code(errno, std::generic_category()).message());
  else if (!S_ISREG(status.st_mode))
    fault = fmt::format("{} is not a regular file", submission.name);
  else if (static_cast<std::uint64_t>(status.st_size) > AnswerFile::kMostBytes)
    fault = fmt::format("{} has {} bytes; an answer file has at most {}", submission.name,
                        status.st_size, AnswerFile::kMostBytes);
  else {
    out.resize(AnswerFile::kMostBytes + 1);  // it may have grown since
    std::size_t have = 0;
    for (ssize_t got = 1; got > 0 && have < out.size(); have += static_cast<std::size_t>(got)) {
      got = ::read(file, out.data() + have, out.size() - have);
      if (got >= 0) continue;
      fault = fmt::format("{} cannot be read", submission.name);
      break;
    }
    out.resize(fault.empty() ? have : 0);
  }
  if (file >= 0) ::close(file);
  return out;
}

std::string safe_name(std::string_view student) {
  constexpr std::size_t kMost = 80;
  std::string out;
  const std::string text = printable(student.substr(0, 4 * kMost));
  for (std::size_t at = 0; at < text.size() && out.size() < kMost;) {
    const std::size_t begin = at;
    const char32_t character = next_character(text, at);
    static constexpr std::u32string_view kSeparators = U"/\\:*?\"<>|";
    const bool hidden = (character >= 0x200B && character <= 0x200F) ||
                        (character >= 0x2028 && character <= 0x202E) ||
                        (character >= 0x2066 && character <= 0x2069) || character == 0xFEFF;
    if (hidden) continue;  // directions and widths: two names would look alike
    if (kSeparators.find(character) != std::u32string_view::npos) out += '-';
    else out += text.substr(begin, at - begin);
  }
  while (!out.empty() && (out.back() == ' ' || out.back() == '.')) out.pop_back();
  const auto first = out.find_first_not_of(' ');
  out.erase(0, first == std::string::npos ? out.size() : first);
  if (out.empty()) return "student";
  // Hidden files, options, formulas of a spreadsheet.
  if (std::string_view(".-=+@~").find(out.front()) != std::string_view::npos) out.insert(0, "_");
  if (out == "gradebook.csv" || out == "class.html" || out == "marks.toml") out += "_";
  return out;
}

std::string FolderNames::of(std::string_view student) {
  const std::string base = safe_name(student);
  const auto lower = [](std::string text) {
    for (char& c : text)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
  };
  std::string out = base;
  for (int number = 2; !taken_.insert(lower(out)).second; ++number)
    out = fmt::format("{}-{}", base, number);
  return out;
}

}  // namespace rankscope
