// `rankscope grade` for a class in which not everybody means well, over several calls.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "engine/core/base/json_text.h"
#include "engine/core/base/subprocess.h"
#include "tests/cli/files.h"
#include "tests/cli/grading.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"
#include "tests/support/zip_file.h"

using namespace rankscope;
using nlohmann::json;
using test::Finished;
using test::grade;
using test::has;
using test::read;
using test::results;
using test::TemporaryFolder;
using test::tree;
using test::write;

namespace fs = std::filesystem;

namespace {

std::string answers(const std::string& student, const std::string& more = "") {
  return fmt::format(
      "course = \"small\"\nstudent = \"{}\"\n[answers]\n\"sums/root\" = 10\n"
      "\"sums/sums\" = [3, 6, 10]\n\"sums/why\" = \"The root.\"\n\"sums/least\" = \"a\"\n{}",
      student, more);
}

std::string repeated(std::string_view part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

/// Starts it and lets it run; its outputs are dropped.
pid_t start(std::vector<std::string> words) {
  words.insert(words.begin(), test::rankscope_binary().string());
  pid_t pid = -1;
  REQUIRE(start_process(
              {.words = std::move(words),
               .environment = {"RANKSCOPE_LESSONS=" + test::small_lessons()},
               .descriptors = {{.theirs = STDOUT_FILENO, .file = "/dev/null", .flags = O_WRONLY},
                               {.theirs = STDERR_FILENO, .file = "/dev/null", .flags = O_WRONLY}},
               .own_group = false},
              pid) == 0);
  return pid;
}

}  // namespace

TEST_CASE("cli: grade gives the neighbours of a hostile submission their marks") {
  const TemporaryFolder folder;
  const std::string subs = folder / "subs";
  write(subs + "/anna.toml", answers("Anna"));
  write(subs + "/m-dots.toml", repeated("a.", 60'000) + "a = 1\n");
  write(subs + "/m-header.toml", "[" + repeated("a.", 200'000) + "a]\n");
  const std::string key(30'000, 'k');
  write(subs + "/m-key.toml", fmt::format("{} = [{}]\n", key, repeated("1,", 30'000)));
  write(subs + "/m-long.toml",
        fmt::format("{} = [{}]\n", std::string(500'000, 'k'), repeated("1,", 40'000)));
  write(subs + "/m-list.toml",
        fmt::format("[answers]\n\"sums/sums\" = [{}]\n", repeated("1,", 400'000)));
  write(subs + "/m-deep.toml", fmt::format("[answers]\n\"sums/sums\" = \"{}{}\"\n",
                                           repeated("[", 400'000), repeated("]", 400'000)));
  write(subs + "/m-json.json", repeated("[", 400'000));
  write(subs + "/m-odd.toml",
        answers("Odd \xEF\xBF\xBF", "\"sums/x\xEF\xBF\xBE\" = \"\xEF\xB7\x90\"\n"));
  write(subs + "/m-words.toml",
        answers("Words") + "\"sums/my-sum\" = \"\xEF\xBF\xBF \xEF\xB7\x90\"\n");
  test::ZipFile(subs + "/m-bombs.zip")
      .add_zeros("a/answers.toml", 100)
      .add_zeros("b/answers.toml", 100);
  { test::ZipFile(subs + "/zed.zip").add("answers.toml", answers("Zed")); }
  const Finished done = grade({subs, "--out", folder / "out", "--json"});
  INFO(done.err);
  CHECK(done.exit_code == 0);
  const json all = parse_json(done.out);
  std::map<std::string, json> by_folder;
  for (const json& one : all["students"]) by_folder[one["folder"]] = one;
  CHECK(by_folder.size() == 12);
  CHECK(all["failures"].empty());
  for (const char* neighbour : {"Anna", "Zed", "Words", "Odd \xEF\xBF\xBD"}) {
    INFO(neighbour);
    CHECK(by_folder.at(neighbour)["points"] == 12);
    CHECK(fs::exists(fs::path(folder / "out") / neighbour / "results.json"));
    CHECK(fs::exists(fs::path(folder / "out") / neighbour / "report.html"));
  }
  for (const auto& [name, one] : by_folder)
    if (name.starts_with("m-")) {
      INFO(name);
      CHECK(one["points"] == 0);
      CHECK_FALSE(one["remarks"].empty());
    }
  CHECK(has(dump_json(by_folder.at("m-dots")["remarks"]), "more than 32 dots"));
}

TEST_CASE("cli: grade makes no secret of a name that was mistyped") {
  const TemporaryFolder folder;
  write(folder / "subs/anna.toml", answers("Anna"));
  const Finished done =
      grade({folder / "subs", "--out", folder / "out", "--secret", folder / "typo.secret"});
  CHECK(done.exit_code == cli::kBadInput);
  CHECK(has(done.err, "typo.secret"));
  CHECK_FALSE(fs::exists(folder / "typo.secret"));
}

TEST_CASE("cli: a report that cannot be written costs no marks") {
  const TemporaryFolder folder;
  write(folder / "anna.toml", answers("Anna"));
  fs::create_directories(folder / "out/Anna/report.html/not-empty");
  const Finished done = grade({folder / "anna.toml", "--out", folder / "out"});
  CHECK(done.exit_code == 1);
  CHECK(has(done.out, "report.html of 'Anna' could not be written"));
  CHECK(results(folder / "out/Anna/results.json")["score"] == 12);
  CHECK(has(read(folder / "out/gradebook.csv"), ",12,12,8,"));
}

TEST_CASE("cli: a TA's marks stay with whom they are for") {
  const TemporaryFolder folder;
  write(folder / "subs/c.toml", answers("Anna"));
  write(folder / "out/marks.toml", "[Anna.\"sums/why\"]\nrubric = [3, 1]\n");
  REQUIRE(grade({folder / "subs", "--out", folder / "out"}).exit_code == 0);
  CHECK(results(folder / "out/Anna/results.json")["score"] == 20);

  // Another Anna, who comes first.
  write(folder / "subs/a.toml", answers("Anna"));
  const Finished two = grade({folder / "subs", "--out", folder / "out"});
  CHECK(two.exit_code == 2);
  CHECK(has(two.out,
            "marks.toml:1: 2 submissions are from 'Anna', so these marks count for none of "
            "them; write [\"Anna (a)\"] or [\"Anna (c)\"]"));
  for (const char* one : {"Anna (a)", "Anna (c)"})
    CHECK(results(fmt::format("{}/{}/results.json", folder / "out", one))["score"] == 12);
  CHECK(has(two.out, "Anna: results of"));  // the folder is of c.toml, which has another name now
  CHECK(has(two.out, "now 'Anna (c)'"));

  write(folder / "out/marks.toml", "[\"Anna (c)\".\"sums/why\"]\nrubric = [3, 1]\n");
  CHECK(grade({folder / "subs", "--out", folder / "out"}).exit_code == 0);
  write(folder / "subs/0.toml", answers("Anna"));
  CHECK(grade({folder / "subs", "--out", folder / "out"}).exit_code == 0);
  CHECK(results(folder / "out/Anna (c)/results.json")["score"] == 20);
  CHECK(results(folder / "out/Anna (0)/results.json")["score"] == 12);
}

TEST_CASE("cli: a later call keeps what earlier ones graded") {
  const TemporaryFolder folder;
  write(folder / "subs/anna.toml", answers("Anna"));
  write(folder / "subs/ben.toml", answers("Ben"));
  write(folder / "late/x.toml",
        "course = \"small\"\nstudent = \"Anna\"\n[answers]\n\"sums/root\" = 10\n");
  REQUIRE(grade({folder / "subs", "--out", folder / "out"}).exit_code == 0);
  const std::string before = read(folder / "out/Anna/results.json");
  const Finished late = grade({folder / "late", "--out", folder / "out"});
  CHECK(late.exit_code == 0);
  CHECK(read(folder / "out/Anna/results.json") == before);
  CHECK(results(folder / "out/Anna (x)/results.json")["score"] == 4);
  CHECK(has(late.out, "the folder 'Anna' has the results of"));
  CHECK(has(late.out,
            "2 students of earlier gradings are in the gradebook as graded then: Anna, Ben"));
  const std::string book = read(folder / "out/gradebook.csv");
  for (const char* row : {"\nAnna,Anna (x),", "\nAnna,Anna,", "\nBen,Ben,"}) CHECK(has(book, row));
  CHECK(has(read(folder / "out/class.html"), ">Ben</a>"));
  // Nothing moves when either call is repeated.
  const auto all = tree(folder / "out");
  CHECK(grade({folder / "late", "--out", folder / "out"}).exit_code == 0);
  CHECK(tree(folder / "out") == all);
  // The same files by another name are the same submissions.
  const Finished there =
      test::run_with_lessons({"grade", "small", ".", "--out", "../out"}, folder / "subs");
  CHECK(there.exit_code == 0);
  CHECK(test::files_in(folder / "out") == 7);  // 3 students, gradebook, page, 2 of statistics
}

TEST_CASE("cli: results never lie between submissions") {
  const TemporaryFolder folder;
  write(folder / "subs/anna.toml", answers("Anna"));
  for (const std::string& out : {folder / "subs", folder.path()}) {
    const Finished done = grade({folder / "subs", "--out", out});
    CHECK(done.exit_code == 2);
    CHECK(has(done.err, "Choose another folder"));
    CHECK(test::files_in(folder / "subs") == 1);
  }
  CHECK(grade({folder / "subs", "--out", folder / "subs/out"}).exit_code == 0);
  const Finished again = grade({folder / "subs", "--out", folder / "elsewhere"});
  CHECK(again.exit_code == 0);
  CHECK(has(again.out, "1 submission graded"));  // subs/out holds folders of results
}

TEST_CASE("cli: Ctrl-C in the middle of a class, and on from there", "[serial]") {
  const TemporaryFolder folder;
  constexpr int kStudents = 400;
  for (int i = 0; i < kStudents; ++i)
    write(folder / fmt::format("subs/s{:03}.toml", i),
          fmt::format("course = \"small\"\nseed = {}\n[answers]\n\"sums/root\" = 6\n", i));
  const pid_t pid = start({"grade", "small", folder / "subs", "--out", folder / "out", "-j", "1"});
  const auto until = std::chrono::steady_clock::now() + test::kWaitLimit;
  const auto some = [&] { return fs::exists(folder / "out/s000/results.json"); };
  while (!some() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(some());
  kill(pid, SIGINT);
  int status = 0;
  REQUIRE(waitpid(pid, &status, 0) == pid);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 130);
  CHECK_FALSE(fs::exists(folder / "out/gradebook.csv"));
  CHECK(test::files_in(folder / "out") < kStudents);
  for (const auto& [name, bytes] : tree(folder / "out"))
    if (name.ends_with("results.json")) CHECK(json::accept(bytes));

  const Finished on = grade({folder / "subs", "--out", folder / "out"});
  CHECK(on.exit_code == 0);
  CHECK(has(on.out, " as before)"));
  REQUIRE(grade({folder / "subs", "--out", folder / "fresh"}).exit_code == 0);
  CHECK((tree(folder / "out") == tree(folder / "fresh")));
}

TEST_CASE("cli: shards, merged, write what a grading in one piece writes") {
  const TemporaryFolder folder;
  const std::string subs = folder / "subs", seal = folder / "course.seal";
  for (const char* name : {"Anna", "Ben", "Cem", "Dora", "Eve"})
    write(fmt::format("{}/{}.toml", subs, name), answers(name));
  write(subs + "/twin.toml", answers("Anna", "# another one\n"));
  write(subs + "/broken.toml", "[answers\n");
  const auto run = [&](const std::string& out, std::vector<std::string> more) {
    std::vector<std::string> words{subs, "--out", folder / out, "--seal", seal};
    words.insert(words.end(), more.begin(), more.end());
    return grade(words);
  };
  const Finished whole = run("whole", {});
  for (const char* shard : {"3/3", "1/3", "2/3"}) {
    const Finished part = run("parts", {"--shard", shard});
    INFO(part.err);
    CHECK(part.exit_code == whole.exit_code);
    CHECK(has(part.out, "--merge"));
    CHECK_FALSE(fs::exists(folder / "parts/gradebook.csv"));
  }
  const Finished merged = run("parts", {"--merge"});
  INFO(merged.err);
  CHECK(merged.exit_code == whole.exit_code);
  CHECK(tree(folder / "parts") == tree(folder / "whole"));

  // What is missing, edited or old is named, and no gradebook is written.
  const auto refused = [&](const std::string& says) {
    fs::remove(folder / "parts/gradebook.csv");
    const Finished again = run("parts", {"--merge"});
    INFO(again.err);
    CHECK(again.exit_code == cli::kFailed);
    CHECK(has(again.err, says));
    CHECK_FALSE(fs::exists(folder / "parts/gradebook.csv"));
  };
  write(subs + "/Ben.toml", answers("Ben", "# changed\n"));
  refused("Ben.toml: its answers, programs, marks or the options have changed");
  write(subs + "/Ben.toml", answers("Ben"));
  std::string edited = read(folder / "parts/Cem/results.json");
  edited.insert(edited.find("\"score\": ") + 9, "9");
  write(folder / "parts/Cem/results.json", edited);
  refused("give each the same --seal FILE");
  fs::remove_all(folder / "parts/Dora");
  refused("Dora.toml: no shard has graded it");
  CHECK(grade({subs, "--out", folder / "x", "--shard", "4/3"}).exit_code == cli::kBadInput);
  CHECK(grade({subs, "--out", folder / "x", "--shard", "1/2", "--merge"}).exit_code ==
        cli::kBadInput);
}

TEST_CASE("cli: pack makes an autograder that runs away from the build tree") {
  const TemporaryFolder folder;
  const auto packed =
      test::run_with_lessons({"pack", "--gradescope", "small", "-o", folder / "a.zip"});
  INFO(packed.err);
  REQUIRE(packed.exit_code == cli::kOk);
  CHECK(has(packed.err, "It holds the answers"));
  REQUIRE(test::run_process(
              {"python3", "-m", "zipfile", "-e", folder / "a.zip", folder / "autograder/source"})
              .exit_code == 0);
  const fs::path program = fs::path(folder / "autograder/source") / "rankscope/bin/rankscope";
  fs::permissions(program, fs::perms::owner_all);
  write(folder / "autograder/submission/answers.toml", answers("Anna"));
  write(folder / "autograder/submission_metadata.json", "{\"users\": [{\"name\": \"Ann/a B\"}]}");
  const auto graded =
      test::run_process({"bash", folder / "autograder/source/run_autograder"},
                        {.environment = {{"RANKSCOPE_AUTOGRADER", folder / "autograder"}}});
  INFO(graded.err);
  REQUIRE(graded.exit_code == 0);
  const json all = results(folder / "autograder/results/results.json");
  CHECK(all.at("execution_time").is_number());
  CHECK(all.at("stdout_visibility") == "hidden");
  CHECK(all.at("tests").size() >= 4);
  CHECK(all.at("score").get<double>() > 0);
  CHECK(has(all.dump(), "Ann_a B/answers.toml"));
  // Where nothing can be graded nothing is written, so nobody gets points.
  fs::remove(folder / "autograder/results/results.json");
  fs::remove_all(folder / "autograder/submission");
  CHECK(test::run_process({"bash", folder / "autograder/source/run_autograder"},
                          {.environment = {{"RANKSCOPE_AUTOGRADER", folder / "autograder"}}})
            .exit_code != 0);
  CHECK_FALSE(fs::exists(folder / "autograder/results/results.json"));
  CHECK(test::run_with_lessons({"pack", "small"}).exit_code == cli::kBadInput);
}

TEST_CASE("cli: the page for marking has the answers, and keeps what it does not edit") {
  const TemporaryFolder folder;
  write(folder / "subs/Anna.toml", answers("Anna"));
  write(folder / "subs/Eve.toml",
        "course = \"small\"\nstudent = \"Eve\"\n[answers]\n\"sums/why\" = "
        "\"</script><b>\u202E\"\n");
  write(folder / "out/marks.toml",
        "# mine\n[Anna]\ncomment = \"Well done.\"\n[Anna.\"sums/why\"]  # see above\nrubric = [1, "
        "0]\n"
        "comment = \"Say \\\"why\\\".\"\n[Anna.\"sums/root\"]\noverride = 1\n");
  REQUIRE(grade({folder / "subs", "--out", folder / "out", "--marking"}).exit_code == cli::kOk);
  const std::string page = read(folder / "out/marking.html");
  constexpr std::string_view kBegin = "id=\"data\">";
  const auto begin = page.find(kBegin) + kBegin.size();
  const json data = json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  const json& question = data.at("questions").at(0);
  CHECK(question.at("key") == "sums/why");
  const json& anna = question.at("answers").at(0);
  CHECK(anna.at("student") == "Anna");
  CHECK(anna.at("points") == json::parse("[1.0, 0.0]"));
  CHECK(anna.at("comment") == "Say \"why\".");
  CHECK(question.at("answers").at(1).at("answer") == "</script><b>[U+202E]");
  CHECK(question.at("answers").at(1).at("points") == json::parse("[null, null]"));
  const std::string rest = data.at("rest");
  CHECK(rest == "# mine\n[Anna]\ncomment = \"Well done.\"\n[Anna.\"sums/root\"]\noverride = 1\n");
}
