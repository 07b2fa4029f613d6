// The command in circumstances that nobody meant: files that stand in its way, closed descriptors,
// limits of the system.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "engine/core/base/json_text.h"
#include "engine/core/trace/trace_file.h"
#include "tests/cli/files.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"
#include "tests/support/runs.h"

using namespace rankscope;
using test::check_refused;
using test::has;
using test::read;
using test::run_rankscope;
using test::write_ring;

TEST_CASE("cli: two runs do not write one trace") {
  const test::TemporaryFolder folder;
  const auto file = folder / "a.rankscope";
  const auto run_it = [&](const std::string& output) {
    return run_rankscope({"run", "allreduce.ring", "-n", "2", "-t", "inproc", "-o", output});
  };
  {
    TraceMeta meta;
    meta.world_size = 2;
    TraceWriter other(file, meta);
    const auto whole = read(file);
    const auto run = run_it(file);
    check_refused(run, "another run is writing it: choose another -o");
    CHECK(read(file) == whole);
    CHECK(TraceReader::open(file).world_size() == 2);  // readers are free
  }
  CHECK(run_it(file).exit_code == cli::kOk);
  CHECK(run_it(file).exit_code == cli::kOk);  // and once more, over the older one
  CHECK(run_it("/dev/null").exit_code == cli::kOk);
}

TEST_CASE("cli: a standard output that cannot be written is the same error everywhere") {
  const test::TemporaryFolder folder;
  write_ring(folder / "a.rankscope");
  for (const std::string command :
       {"list", "man", "--help", "--version", "completion bash", "replay a.rankscope",
        "trace info a.rankscope", "trace print a.rankscope --json",
        "run barrier.dissemination -n 2", "export a.rankscope --format csv -o -",
        "export a.rankscope --format svg -o -"})
    for (const char* redirection : {" >&-", " > /dev/full"}) {
      const auto line = "exec \"$0\" " + command + redirection;
      const auto run = test::run_process({"sh", "-c", line, test::rankscope_binary().string()},
                                         {.folder = folder.path()});
      INFO(line << ": " << run.err);
      CHECK(run.exit_code == cli::kFailed);
      CHECK(has(run.err, "cannot write to the standard output"));
    }
  // Nothing of ours takes the place of what was closed.
  const auto line = "exec \"$0\" run barrier.dissemination -n 2 -o b.rankscope <&- >&- 2>&-";
  const auto run = test::run_process({"sh", "-c", line, test::rankscope_binary().string()},
                                     {.folder = folder.path()});
  CHECK(run.exit_code == cli::kFailed);
  CHECK(run_rankscope({"trace", "info", folder / "b.rankscope"}).exit_code == cli::kOk);
}

TEST_CASE("cli: --step ends when its input cannot be read or its answers cannot be written") {
  const test::TemporaryFolder folder;
  for (const char* redirection : {"< /", "<&-", "> /dev/full", ">&-"}) {
    const auto command = std::string("exec \"$0\" run allreduce.ring -n 2 --step ") + redirection;
    const auto run = test::run_process({"sh", "-c", command, test::rankscope_binary().string()},
                                       {.input = "where\n", .folder = folder.path()});
    INFO(redirection << ": " << run.out << run.err);
    CHECK_FALSE(run.timed_out);
    CHECK(run.exit_code == (*redirection == '<' ? cli::kOk : cli::kFailed));
  }
}

TEST_CASE("cli: with --join, ranks talk over tcp, and --timeout holds for their coming") {
  const test::TemporaryFolder folder;
  const auto run = run_rankscope(
      {"run", "allreduce.ring", "-n", "2", "--join", "tcp://127.0.0.1:0", "--timeout", "200ms"},
      {.folder = folder.path()});
  INFO(run.err);
  CHECK(run.exit_code == cli::kBadInput);
  CHECK(has(run.err, "0 of 2 ranks came within 0.2 s; missing: 0, 1"));

  const std::string script =
      "\"$0\" run allreduce.ring -n 2 --join tcp://127.0.0.1:0 --timeout 20 --json & "
      "while ! test -f rankscope.key; do sleep 0.02; done; "
      "\"$0\" worker --key-file rankscope.key & \"$0\" worker --key-file rankscope.key; wait";
  const auto joined = test::run_process({"sh", "-c", script, test::rankscope_binary().string()},
                                        {.folder = folder.path()});
  INFO(joined.err);
  CHECK(parse_json(joined.out)["job"]["transport"] == "tcp");
}

TEST_CASE("cli: profile knows before it measures where the fit goes") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "other.json") << "{}";
  struct {
    std::vector<std::string> words;
    const char* says;
  } const mistakes[] = {{{"--fit"}, "give --fit FILE"},
                        {{"--fit", folder.path()}, "cannot be written"},
                        {{"--fit", "/proc/none/fit.json"}, "cannot be written"},
                        {{"--fit", folder / "other.json"}, "no table of choices"}};
  for (const auto& mistake : mistakes) {
    std::vector<std::string> words{"profile", "--sizes", "8", "--np", "2", "--budget", "20"};
    words.insert(words.end(), mistake.words.begin(), mistake.words.end());
    const auto run = run_rankscope(words, {.environment = {{"HOME", ""}, {"XDG_CONFIG_HOME", ""}}});
    check_refused(run, mistake.says);
    CHECK(run.out.empty());  // nothing was measured
  }
}

TEST_CASE("cli: limits of the system are named for what they are") {
  const test::TemporaryFolder folder;
  const auto with_limit = [&](const std::string& limit, const std::string& transport) {
    const auto line = "ulimit " + limit + " && exec \"$0\" run allreduce.ring -n 8 -t " + transport;
    return test::run_process({"sh", "-c", line, test::rankscope_binary().string()},
                             {.folder = folder.path()});
  };
  const auto files = with_limit("-n 24", "ipc");
  check_refused(files, "open files");
  CHECK_FALSE(has(files.err, "trace"));
  CHECK(std::filesystem::is_empty(folder.path()));
  const auto size = with_limit("-f 8", "inproc");
  INFO(size.err);
  CHECK(size.exit_code == cli::kFailed);
  CHECK(has(size.err, "cannot write the trace"));
  CHECK(has(size.err, "ulimit -f"));
}

TEST_CASE("cli: small mistakes get words of their own") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "no.rankscope")
      << "no trace, but long enough to be looked at as if it was";
  struct {
    std::vector<std::string> words;
    const char *says, *says_not;
  } const mistakes[] = {
      {{"run", "p2p.ping", "-n", "4", "-n", "8"}, "--ranks was given more than once", "At Most"},
      {{"run", "p2p.ping", "-o", ""}, "name of the file is empty", "trace:"},
      {{"demo", "-o", ""}, "name of the file is empty", "trace:"},
      {{"export", "no.rankscope", "-o", ""}, "name of the file is empty", "no trace"},
      {{"worker", "--key-file", "/dev/zero"}, "more than 64 KiB", "damaged"},
      {{"run", "p2p.ping", "--join", "tcp://no.such.host.invalid:5000"},
       "address of this machine",
       "No such device"},
      {{"trace", "info", "no.rankscope"}, "no.rankscope", "--help"},
      {{"trace", "info", "missing.rankscope"}, "missing.rankscope", "--help"}};
  for (const auto& mistake : mistakes) {
    const auto run = run_rankscope(mistake.words, {.folder = folder.path()});
    INFO(mistake.says << " in: " << run.out << run.err);
    check_refused(run, mistake.says);
    CHECK_FALSE(has(run.err, mistake.says_not));
  }
}

TEST_CASE("cli: a demo keeps the trace of a run, and COLUMNS is the width without a terminal") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "allreduce.ring-n4.rankscope") << "a run's";
  CHECK(run_rankscope({"demo", "-t", "inproc"}, {.folder = folder.path()}).exit_code == cli::kOk);
  CHECK(read(folder / "allreduce.ring-n4.rankscope") == "a run's");
  const auto longest = [](const std::string& columns) {
    const auto help = run_rankscope({"run", "--help"}, {.environment = {{"COLUMNS", columns}}}).out;
    std::size_t most = 0;
    for (std::size_t at = 0, end = 0; at < help.size(); at = end + 1) {
      end = std::min(help.find('\n', at), help.size());
      most = std::max(most, end - at);
    }
    return most;
  };
  CHECK(longest("60") < longest(""));
  CHECK(longest("wide") == longest(""));
}

TEST_CASE("cli: export does not replace the trace that it reads") {
  const test::TemporaryFolder folder;
  write_ring(folder / "a.rankscope");
  for (const char* name : {"lesson.json", "lesson.svg", "lesson-001.png"})
    std::filesystem::copy_file(folder / "a.rankscope", folder / name);
  std::filesystem::create_symlink(folder / "a.rankscope", folder / "link.csv");
  const auto whole = read(folder / "a.rankscope");
  const std::vector<std::vector<std::string>> mistakes{
      {"a.rankscope", "--format", "csv", "-o", "./a.rankscope"},
      {"a.rankscope", "-o", "link.csv"},
      {"lesson.json"},
      {"lesson.svg", "--diagram", "spacetime"},
      {"a.rankscope", "--format", "svg", "-o", folder / "a.rankscope"},
      {"lesson-001.png", "-o", "lesson.png", "--sequence"}};
  for (auto arguments : mistakes) {
    const auto file = folder / arguments.front();
    arguments.insert(arguments.begin(), "export");
    const auto run = run_rankscope(arguments, {.folder = folder.path()});
    INFO(file << ": " << run.err);
    check_refused(run, "that is the trace itself");
    CHECK(read(file) == whole);
  }
}
