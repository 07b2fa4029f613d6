// Finding answer files in folders and zip files, whatever is wrong with them.
#include "lessons/submissions/submissions.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>
#include <sys/stat.h>

#include "engine/core/base/files.h"
#include "lessons/grading/answer_file.h"
#include "lessons/submissions/submission_heads.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"
#include "tests/support/zip_file.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::has;
using test::TemporaryFolder;
using test::ZipFile;

constexpr std::string_view kAnswers = "course = \"small\"\n[answers]\n";

void write_bytes(const std::string& path, std::string_view bytes) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

/// "read" and the first bytes, or the fault, by stem.
std::map<std::string, std::string> outcomes(const SubmissionList& found) {
  std::map<std::string, std::string> out;
  for (const Submission& one : found.all) {
    std::string fault;
    const std::string bytes = bytes_of(one, fault);
    out[one.stem] = fault.empty() ? "read " + bytes.substr(0, 6) : fault;
  }
  return out;
}

TEST_CASE("Folders: files, sub-folders, links, pipes and what lies about", "[grading]") {
  const TemporaryFolder folder;
  write_bytes(folder / "subs/anna.toml", kAnswers);
  write_bytes(folder / "subs/ben/answers.json", "{}");
  write_bytes(folder / "subs/cleo/late/answers.toml", "");
  write_bytes(folder / "subs/dora/notes.txt", "");
  write_bytes(folder / "subs/eve/answers.toml", "");
  write_bytes(folder / "subs/eve/answers.json", "");
  write_bytes(folder / "subs/.DS_Store", "");
  write_bytes(folder / "subs/notes.pdf", "");
  write_bytes(folder / "subs/marks.toml", "");
  write_bytes(folder / "secret.toml", kAnswers);
  fs::create_symlink(folder / "secret.toml", folder / "subs/mallory.toml");
  fs::create_directories(folder / "subs/out/anna");
  write_bytes(folder / "subs/out/anna/results.json", "{}");
  fs::create_directories(folder / "subs/nick");
  fs::create_symlink(folder / "secret.toml", folder / "subs/nick/answers.toml");
  fs::create_directory_symlink(folder / "subs", folder / "subs/round");

  const SubmissionList found =
      find_submissions({folder / "subs", folder / "gone.toml"}, folder / "subs/out");
  const auto by_stem = outcomes(found);
  CHECK(by_stem.at("anna") == "read course");
  CHECK(by_stem.at("ben") == "read {}");
  CHECK(by_stem.at("cleo") == "read ");
  CHECK(has(by_stem.at("dora"), "has no answers.toml"));
  CHECK(has(by_stem.at("dora"), "'notes.txt' may hold answers"));
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
  const auto by_stem = outcomes(found);
  CHECK(by_stem.at("anna") == "read course");
  CHECK(by_stem.at("ben") == "read {}");
  CHECK(has(by_stem.at("link"), "symbolic link"));
  CHECK(has(by_stem.at("bomb"), "more than 1048576 bytes"));
  CHECK(has(found.complaints.to_string(), "'class/../../escape.toml' leads out of the zip file"));
  CHECK(has(found.complaints.to_string(), "'/etc/escape.toml' leads out"));
  CHECK_FALSE(by_stem.contains("escape"));
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);

  write_bytes(folder / "torn.zip", "PK\x03\x04 and nothing more");
  const SubmissionList torn = find_submissions({folder / "torn.zip"});
  REQUIRE(torn.all.size() == 1);
  CHECK(torn.all[0].fault != "");
}

std::string zip_of(const std::string& entry, std::string_view bytes) {
  const TemporaryFolder folder;
  { ZipFile(folder / "x.zip").add(entry, bytes); }
  std::string fault;
  return read_whole(folder / "x.zip", 1 << 20, fault);
}

struct HandedIn {
  std::string name;
  std::function<void(const std::string& subs)> make;  ///< What mallory hands in; "zoe" is behind.
  std::string fault;                                  ///< "read ..." or what mallory's row says
};

std::vector<HandedIn> too_much() {
  return {{"a bomb",
           [](const std::string& subs) {
             ZipFile zip(subs + "/mallory.zip");
             for (int i = 0; i < 70; ++i) zip.add_zeros(fmt::format("x{}/answers.toml", i), 1);
             zip.add_zeros("answers.toml", 100);
           },
           "more than 1048576 bytes"},
          {"many bombs beside the answers",
           [](const std::string& subs) {
             ZipFile zip(subs + "/mallory.zip");
             zip.add("answers.toml", kAnswers);
             for (int i = 0; i < 200; ++i) zip.add_zeros(fmt::format("x/{}.toml", i), 1);
           },
           "read course"},
          {"20,000 entries",
           [](const std::string& subs) {
             ZipFile zip(subs + "/mallory.zip");
             for (int i = 0; i < 20'000; ++i) zip.add(fmt::format("{}.txt", i), "");
           },
           "more than 1000 entries"},
          {"2,000 files",
           [](const std::string& subs) {
             for (int i = 0; i < 2000; ++i)
               write_bytes(fmt::format("{}/mallory/{}.json", subs, i), "{}");
           },
           "more than 1000 files"},
          {"2,000 files beside the answers",
           [](const std::string& subs) {
             for (int i = 0; i < 2000; ++i)
               write_bytes(fmt::format("{}/mallory/{}.json", subs, i), "{}");
             write_bytes(subs + "/mallory/answers.toml", kAnswers);
           },
           "read course"}};
}

std::vector<HandedIn> of_strange_kinds() {
  return {
      {"two answer files in a zip file",
       [](const std::string& subs) {
         ZipFile(subs + "/mallory.zip").add("1.toml", kAnswers).add("2.toml", kAnswers);
       },
       "2 answer files (1.toml, 2.toml)"},
      {"a zip file in a folder",
       [](const std::string& subs) {
         fs::create_directories(subs + "/mallory/part");
         ZipFile(subs + "/mallory/part/hw.zip").add("hw/answers.toml", kAnswers);
       },
       "read course"},
      {"a zip file in a zip file in a zip file",
       [](const std::string& subs) {
         ZipFile(subs + "/mallory.zip").add("b.zip", zip_of("answers.toml", kAnswers));
       },
       "read course"},
      {"six zip files in each other",
       [](const std::string& subs) {
         std::string inner = zip_of("answers.toml", kAnswers);
         for (int i = 0; i < 4; ++i) inner = zip_of("b.zip", inner);
         ZipFile(subs + "/mallory.zip").add("b.zip", inner);
       },
       "has archives in archives (b.zip)"},
      {"a pipe",
       [](const std::string& subs) {
         REQUIRE(mkfifo((subs + "/mallory.toml").c_str(), 0600) == 0);
       },
       "not a regular file"},
      {"a pipe that is called a zip file",
       [](const std::string& subs) { REQUIRE(mkfifo((subs + "/mallory.zip").c_str(), 0600) == 0); },
       ""},
      {"a name that ends like the marks",
       [](const std::string& subs) {
         write_bytes(subs + "/mallory.toml", "");
         write_bytes(subs + "/tim-marks.toml", kAnswers);
       },
       "read "}};
}

TEST_CASE("Whatever one student hands in, the neighbour is read", "[grading]") {
  auto cases = too_much();
  for (const HandedIn& one : of_strange_kinds()) cases.push_back(one);
  for (const HandedIn& one : cases) {
    INFO(one.name);
    const TemporaryFolder folder;
    const std::string subs = folder / "subs";
    write_bytes(subs + "/anna/answers.toml", kAnswers);
    write_bytes(subs + "/zoe.toml", kAnswers);
    { ZipFile(subs + "/zed.zip").add("answers.toml", kAnswers); }
    one.make(subs);
    const SubmissionList found = find_submissions({subs});
    const auto by_stem = outcomes(found);
    for (const char* neighbour : {"anna", "zoe", "zed"})
      CHECK(by_stem.at(neighbour) == "read course");
    if (one.fault.empty()) CHECK(has(found.complaints.to_string(), "mallory"));
    else CHECK(has(by_stem.at("mallory"), one.fault));
    const std::size_t more = one.fault.empty() ? 0 : 1 + by_stem.count("tim-marks");
    CHECK(by_stem.size() == 3 + more);
  }
}

TEST_CASE("The zip file of a class, as a course's site makes it", "[grading]") {
  const TemporaryFolder folder;
  {
    ZipFile zip(folder / "class.zip");
    zip.add("anna.zip", zip_of("hw/answers.toml", kAnswers))
        .add("ben.zip", zip_of("answers.json", "{}"));
    zip.add("cleo/hw.zip", zip_of("answers.toml", kAnswers)).add("dora.zip", "PK no zip file");
    zip.add("eve.zip", zip_of("notes.txt", "x")).add("finn/answers.toml", kAnswers);
    zip.add_zeros("mallory.zip", 40).add("readme.pdf", "");
    for (std::size_t i = 0; i < SubmissionList::kMostOfStudent + 5; ++i)
      zip.add(fmt::format("nora/{}.json", i), "{}");
    zip.add("zoe.toml", kAnswers);
  }
  const SubmissionList found = find_submissions({folder / "class.zip"});
  const auto by_stem = outcomes(found);
  for (const char* whole : {"anna", "cleo", "finn", "zoe"})
    CHECK(by_stem.at(whole) == "read course");
  CHECK(by_stem.at("ben") == "read {}");
  CHECK(has(by_stem.at("dora"), "not a zip file"));
  CHECK(has(by_stem.at("eve"), "has no answers.toml"));
  CHECK(has(by_stem.at("mallory"), "more than 16777216 bytes"));
  CHECK(has(by_stem.at("nora"), "has more than"));
  CHECK(by_stem.size() == 9);
  CHECK(has(found.complaints.to_string(), "readme.pdf"));

  // Many answer files are kept to a limit of the zip file, not of the batch.
  {
    ZipFile zip(folder / "many.zip");
    const std::string large(AnswerFile::kMostBytes - 10, ' ');
    for (int i = 0; i < 260; ++i) zip.add(fmt::format("s{:03}/answers.toml", i), large);
  }
  const SubmissionList many = find_submissions({folder / "many.zip", folder / "class.zip"});
  CHECK(many.all.at(0).fault == "");
  CHECK(has(many.all.at(259).fault, "more than 256 MiB"));
  CHECK(outcomes(many).at("anna") == "read course");
}

TEST_CASE("A blank sheet beside students is no student", "[grading]") {
  const TemporaryFolder folder;
  write_bytes(folder / "subs/answers.toml",
              "course = \"small\"\nstudent = \"\"\n\"sums/root\" = \"\"\n");
  write_bytes(folder / "subs/anna/answers.toml", kAnswers);
  write_bytes(folder / "subs/ben.toml", kAnswers);
  const SubmissionList found = find_submissions({folder / "subs"});
  const auto by_stem = outcomes(found);
  CHECK(by_stem.size() == 2);
  CHECK(by_stem.at("anna") == "read course");
  CHECK(by_stem.at("ben") == "read course");
  CHECK(has(found.complaints.to_string(), "answers.toml: is blank"));

  // With a student's name in it, it is one more submission.
  write_bytes(folder / "subs/answers.toml", "student = \"TA\"\n[answers]\n");
  CHECK(outcomes(find_submissions({folder / "subs"})).size() == 3);
  // Alone, it is a submission: what else lies there has a line.
  const TemporaryFolder one;
  write_bytes(one / "anna/answers.toml", "student = \"Anna\"\n[answers]\n");
  write_bytes(one / "anna/build/data.json", "{}");
  write_bytes(one / "anna/data.json", "{}");
  const SubmissionList single = find_submissions({one / "anna"});
  CHECK(single.all.size() == 1);
  CHECK(has(single.complaints.to_string(), "anna/data.json: is not read"));
}

TEST_CASE("Results of an earlier grading are no submissions", "[grading]") {
  const TemporaryFolder folder;
  const std::string results = R"({"extra_data": {"rankscope": {"digest": "x"}}})";
  write_bytes(folder / "subs/Anna/results.json", results);
  write_bytes(folder / "subs/Anna/report.html", "");
  write_bytes(folder / "subs/results.json", results);
  write_bytes(folder / "subs/ben/answers.toml", kAnswers);
  write_bytes(folder / "subs/ben/results.json", results);
  write_bytes(folder / "subs/cleo/results.json", "{\"answers\": {}}");
  const SubmissionList found = find_submissions({folder / "subs"});
  const auto by_stem = outcomes(found);
  CHECK(by_stem.size() == 2);
  CHECK(by_stem.at("ben") == "read course");
  CHECK(by_stem.at("cleo") == "read {\"answ");
  CHECK(has(found.complaints.to_string(), "Anna: holds results of an earlier grading"));
}

TEST_CASE("A sparse file of 1 GB is not read", "[grading]") {
  const TemporaryFolder folder;
  write_bytes(folder / "big.toml", "");
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
}

TEST_CASE("Names follow from submissions, not from their order", "[grading]") {
  std::vector<NamedSubmission> all{{"Anna", "b", "subs/b.toml"},
                                   {"anna", "a", "subs/a.toml"},
                                   {"Ben", "ben", "subs/ben.toml"},
                                   {"Anna (a)", "x", "subs/x.toml"}};
  using Names = std::vector<std::string>;
  const Names first = folder_names(all, {});
  CHECK(first[0] == "Anna (b)");
  CHECK(first[1].starts_with("anna (a, "));  // "Anna (a)" is another student's name
  CHECK(first[2] == "Ben");
  CHECK(first[3] == "Anna (a) (x)");
  std::ranges::reverse(all);
  Names turned = folder_names(all, {});
  std::ranges::reverse(turned);
  std::ranges::reverse(all);
  CHECK(turned == first);
  // The same file name in two folders, and the same file twice.
  const std::vector<NamedSubmission> same{{"Anna", "hw", "a/hw.toml"},
                                          {"Anna", "hw", "b/hw.toml"},
                                          {"Ben", "hw", "c/hw.toml"},
                                          {"Ben", "hw", "c/hw.toml"}};
  const Names names = folder_names(same, {});
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == 4);
  CHECK(names[0].starts_with("Anna (hw, "));
  CHECK(
      folder_names(std::vector<NamedSubmission>{{std::string(500, 'x'), std::string(500, 'y'), "a"},
                                                {std::string(500, 'x'), "z", "b"}},
                   {})[0]
          .size() <= 81);

  // Folders that exist belong to somebody.
  const std::vector<TakenFolder> taken{{"Anna", "subs/b.toml"}, {"Ben", "late/ben.toml"}};
  const std::vector<NamedSubmission> later{{"Anna", "b", "./subs/b.toml"},
                                           {"Ben", "ben", "subs/ben.toml"}};
  CHECK(folder_names(later, taken) == Names{"Anna", "Ben (ben)"});
  CHECK(same_submission("/home/ta/subs/a.toml", "subs//a.toml"));
  CHECK_FALSE(same_submission("subs/anna.toml", "a.toml"));
}

}  // namespace
}  // namespace rankscope
