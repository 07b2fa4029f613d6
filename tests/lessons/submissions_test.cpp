// Where answer files come from, and what may be wrong with it.
#include "lessons/submissions.h"

#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include "lessons/answer_file.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"
#include "tests/support/zip_file.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using test::ZipFile;

constexpr std::string_view kAnswers = "course = \"small\"\n[answers]\n";

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

void write(const std::string& path, std::string_view bytes) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST_CASE("Folders: files, sub-folders, links, pipes and what lies about", "[grading]") {
  const TemporaryFolder folder;
  write(folder / "subs/anna.toml", kAnswers);
  write(folder / "subs/ben/answers.json", "{}");
  write(folder / "subs/cleo/late/answers.toml", "");
  write(folder / "subs/dora/notes.txt", "");
  write(folder / "subs/eve/answers.toml", "");
  write(folder / "subs/eve/answers.json", "");
  write(folder / "subs/.DS_Store", "");
  write(folder / "subs/notes.pdf", "");
  write(folder / "subs/marks.toml", "");
  write(folder / "secret.toml", kAnswers);
  fs::create_symlink(folder / "secret.toml", folder / "subs/mallory.toml");
  fs::create_directories(folder / "subs/out/anna");
  write(folder / "subs/out/anna/results.json", "{}");
  fs::create_directories(folder / "subs/nick");
  fs::create_symlink(folder / "secret.toml", folder / "subs/nick/answers.toml");
  fs::create_directory_symlink(folder / "subs", folder / "subs/round");

  const SubmissionList found =
      find_submissions({folder / "subs", folder / "gone.toml"}, folder / "subs/out");
  std::map<std::string, std::string> by_stem;
  for (const Submission& one : found.all) {
    std::string fault;
    const std::string bytes = bytes_of(one, fault);
    by_stem[one.stem] = fault.empty() ? "read " + bytes.substr(0, 6) : fault;
  }
  CHECK(by_stem.at("anna") == "read course");
  CHECK(by_stem.at("ben") == "read {}");
  CHECK(by_stem.at("cleo") == "read ");
  CHECK(has(by_stem.at("dora"), "has no answers.toml"));
  CHECK(has(by_stem.at("eve"), "2 answer files"));
  CHECK(has(by_stem.at("mallory"), "symbolic link"));
  CHECK(has(by_stem.at("nick"), "symbolic link"));
  CHECK(has(by_stem.at("gone"), "does not exist"));
  CHECK(by_stem.size() == 8);
  CHECK(has(found.complaints.to_string(), "notes.pdf"));
  CHECK(has(found.complaints.to_string(), "round: is a symbolic link"));
  CHECK_FALSE(has(found.complaints.to_string(), "marks.toml"));
}

TEST_CASE("Zip files are read in memory, whatever is in them", "[grading]") {
  const TemporaryFolder folder;
  ZipFile(folder / "class.zip")
      .add("class/anna/answers.toml", kAnswers)
      .add("class/ben.json", "{}")
      .add("class/../../escape.toml", "x")
      .add("/etc/escape.toml", "x")
      .add_link("class/link.toml", "/etc/passwd")
      .add_zeros("class/bomb/answers.toml", 200)
      .add("class/__MACOSX/answers.toml", "x");
  const SubmissionList found = find_submissions({folder / "class.zip"});
  std::map<std::string, std::string> by_stem;
  for (const Submission& one : found.all)
    by_stem[one.stem] = one.fault.empty() ? "read" : one.fault;
  CHECK(by_stem.at("anna") == "read");
  CHECK(by_stem.at("ben") == "read");
  CHECK(has(by_stem.at("link"), "symbolic link"));
  CHECK(has(by_stem.at("bomb"), "more than 1048576 bytes"));
  CHECK(has(found.complaints.to_string(), "'class/../../escape.toml' leads out of the zip file"));
  CHECK(has(found.complaints.to_string(), "'/etc/escape.toml' leads out"));
  CHECK_FALSE(by_stem.contains("escape"));
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);

  write(folder / "torn.zip", "PK\x03\x04 and nothing more");
  const SubmissionList torn = find_submissions({folder / "torn.zip"});
  REQUIRE(torn.all.size() == 1);
  CHECK(torn.all[0].fault != "");
}

TEST_CASE("Many files unpack to a limit, many entries are cut", "[grading]") {
  const TemporaryFolder folder;
  {
    ZipFile zip(folder / "many.zip");
    const std::string large(AnswerFile::kMostBytes - 10, ' ');
    for (int i = 0; i < 80; ++i) zip.add(fmt::format("s{:03}/answers.toml", i), large);
  }
  const SubmissionList many = find_submissions({folder / "many.zip"});
  REQUIRE(many.all.size() == 80);
  CHECK(many.all[0].fault == "");
  CHECK(has(many.all[79].fault, "unpack to more than 64 MiB"));
  {
    ZipFile zip(folder / "entries.zip");
    for (std::size_t i = 0; i < SubmissionList::kMostEntries + 5; ++i)
      zip.add(fmt::format("{}.txt", i), "");
  }
  const SubmissionList cut = find_submissions({folder / "entries.zip"});
  CHECK(has(cut.complaints.to_string(), "more than 20000 entries"));
}

TEST_CASE("A sparse file of 1 GB is not read", "[grading]") {
  const TemporaryFolder folder;
  write(folder / "big.toml", "");
  fs::resize_file(folder / "big.toml", std::uintmax_t{1} << 30);
  const SubmissionList found = find_submissions({folder / "big.toml"});
  std::string fault;
  CHECK(bytes_of(found.all.at(0), fault).empty());
  CHECK(has(fault, "has 1073741824 bytes"));
}

TEST_CASE("Names of folders are safe and differ", "[grading]") {
  CHECK(safe_name("Anna M\xc3\xbcller") == "Anna M\xc3\xbcller");
  CHECK(safe_name("../../etc/passwd") == "_..-..-etc-passwd");
  CHECK(safe_name("") == "student");
  CHECK(safe_name("..") == "student");
  CHECK(safe_name("=1+1") == "_=1+1");
  CHECK(safe_name("a\nb\x1b[31m") == "a b [31m");
  CHECK(safe_name("gradebook.csv") == "gradebook.csv_");
  CHECK(safe_name(std::string(1000, 'x')).size() <= 80);
  FolderNames names;
  CHECK(names.of("Anna") == "Anna");
  CHECK(names.of("anna") == "anna-2");
  CHECK(names.of("Anna/") == "Anna-");
  CHECK(names.of("ANNA") == "ANNA-3");
}

}  // namespace
}  // namespace rankscope
