// The command line as a whole: help, errors, exit codes, man page and completions.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/help.h"
#include "cli/program.h"
#include "engine/core/base/json_text.h"
#include "tests/cli/files.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

using namespace rankscope;
using test::check_refused;
using test::has;
using test::run_rankscope;

namespace {

void for_each_command(const cli::CommandDoc& doc,
                      const std::function<void(const cli::CommandDoc&)>& visit) {
  visit(doc);
  for (const auto& command : doc.commands) for_each_command(command, visit);
}

}  // namespace

TEST_CASE("cli: the command tells its version") {
  for (const char* option : {"--version", "-V"}) {
    const auto run = run_rankscope({option});
    CHECK(run.exit_code == cli::kOk);
    CHECK(run.out == "rankscope " RANKSCOPE_VERSION "\n");
  }
}

TEST_CASE("cli: without a command it explains itself") {
  const auto run = run_rankscope({});
  CHECK(run.exit_code == cli::kOk);
  CHECK(has(run.out, "Usage: rankscope"));
  CHECK(run.err.empty());
}

TEST_CASE("cli: every group of commands appears once in the help") {
  const auto help = run_rankscope({"--help"}).out;
  for (const char* group : {"Running", "Teaching", "Measuring", "Traces", "Help and shell"}) {
    const auto heading = fmt::format("\n{}:\n", group);
    INFO(heading);
    const auto at = help.find(heading);
    REQUIRE(at != std::string::npos);
    CHECK(help.find(heading, at + 1) == std::string::npos);
  }
}

TEST_CASE("cli: every command has a help with a summary and examples") {
  const cli::Program program;
  for_each_command(cli::describe(program.app), [](const cli::CommandDoc& doc) {
    INFO(doc.path);
    CHECK_FALSE(doc.summary.empty());
    CHECK_FALSE(doc.summary.ends_with("."));
    if (doc.commands.empty()) CHECK_FALSE(doc.examples.empty());
    for (const auto& example : doc.examples) CHECK(has(example.command, "rankscope "));
    for (const auto& action : doc.actions) CHECK_FALSE(action.summary.empty());
    for (const auto& option : doc.options) {
      INFO(option.description);
      CHECK_FALSE(option.description.empty());
    }
    std::vector<std::string> words;
    for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
      end = doc.path.find(' ', at);
      if (at > 0) words.push_back(doc.path.substr(at, end - at));
    }
    words.emplace_back("--help");
    const auto run = run_rankscope(words);
    CHECK(run.exit_code == cli::kOk);
    CHECK(has(run.out, "Usage: " + doc.path));
    if (!doc.examples.empty()) CHECK(has(run.out, "Examples:\n"));
  });
}

TEST_CASE("cli: the examples of every help parse") {
  const cli::Program program;
  for_each_command(cli::describe(program.app), [](const cli::CommandDoc& doc) {
    for (const auto& example : doc.examples) {
      INFO(example.command);
      // Of a pipe or a redirection, only our own part.
      const auto start = example.command.find("rankscope ");
      auto line = example.command.substr(start + 10);
      line = line.substr(0, line.find_first_of("|>)"));
      cli::Program parser;
      try {
        parser.app.parse(line);
      } catch (const CLI::Success&) {  // --help, --version
      } catch (const CLI::ParseError& error) {
        FAIL_CHECK(error.what());
      }
    }
  });
}

TEST_CASE("cli: unknown words get a suggestion and exit code 2") {
  const auto command = run_rankscope({"complation"});
  check_refused(command, "rankscope has no command 'complation'", "did you mean 'completion'?");
  CHECK(command.out.empty());

  check_refused(run_rankscope({"man", "--quite"}), "rankscope man has no option '--quite'",
                "did you mean '--quiet'?", "Try 'rankscope man --help'.");
}

TEST_CASE("cli: errors are JSON with --json, wherever it stands") {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--json", "completion", "csh"},
        std::vector<std::string>{"completion", "csh", "--json"},
        std::vector<std::string>{"complation", "--json"}}) {
    const auto run = run_rankscope(words);
    CHECK(run.exit_code == cli::kBadInput);
    const auto json = parse_json(run.err);
    CHECK(json["error"]["exit_code"] == cli::kBadInput);
    CHECK(json["error"]["message"].is_string());
  }
}

TEST_CASE("cli: colours only where they are wanted") {
  const auto plain = run_rankscope({"nonsense"}, {.environment = {{"NO_COLOR", ""}}});
  CHECK_FALSE(has(plain.err, "\x1b["));  // a pipe
  const auto forced = run_rankscope({"completion", "csh", "--color", "always"});
  CHECK(has(forced.err, "\x1b["));
  CHECK(run_rankscope({"man", "--color", "sometimes"}).exit_code == cli::kBadInput);
}

TEST_CASE("cli: a full disk is an error") {
  const auto run = test::run_process(
      {"sh", "-c", "exec \"$0\" man > /dev/full", test::rankscope_binary().string()});
  CHECK(run.exit_code == cli::kFailed);
  CHECK(has(run.err, "cannot write"));
}

TEST_CASE("cli: the man page is well-formed roff") {
  const auto run = run_rankscope({"man"});
  REQUIRE(run.exit_code == cli::kOk);
  CHECK(run.out.starts_with(".TH RANKSCOPE 1"));
  for (const char* section :
       {"NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXIT STATUS", "ENVIRONMENT", "EXAMPLES"})
    CHECK(has(run.out, std::string("\n.SH ") + section + "\n"));
  CHECK(std::all_of(run.out.begin(), run.out.end(),
                    [](unsigned char c) { return c == '\n' || (c >= 0x20 && c < 0x7F); }));
  const std::vector<std::string> known{"TH", "SH", "SS", "PP", "TP", "B", "in", "nf", "fi"};
  // Every line that starts with a dot is a request that we know.
  for (std::size_t at = 0; at < run.out.size();) {
    const auto line = run.out.substr(at, run.out.find('\n', at) - at);
    if (line.starts_with(".")) {
      const auto request = line.substr(1, line.find(' ') - 1);
      CAPTURE(line);
      CHECK(std::ranges::find(known, request) != known.end());
    }
    CHECK_FALSE(line.starts_with("'"));
    at += line.size() + 1;
  }
}

TEST_CASE("cli: the completion scripts are valid and complete what they should") {
  const auto bash = run_rankscope({"completion", "bash"});
  REQUIRE(bash.exit_code == cli::kOk);
  const auto checked = test::run_process({"bash", "-n"}, {.input = bash.out});
  INFO(checked.err);
  CHECK(checked.exit_code == 0);

  const auto complete = [&](const std::string& words, int at) {
    const std::string script = bash.out + "\nCOMP_WORDS=(" + words +
                               ")\nCOMP_CWORD=" + std::to_string(at) +
                               "\n_rankscope\necho \"${COMPREPLY[@]}\"\n";
    return test::run_process({"bash", "-s"}, {.input = script}).out;
  };
  CHECK(complete("rankscope comp", 1) == "completion\n");
  CHECK(complete("rankscope completion z", 2) == "zsh\n");
  CHECK(complete("rankscope man --col", 2) == "--color\n");
  CHECK(complete("rankscope man --color a", 3) == "auto always\n");
  CHECK(complete("rankscope sim allreduce.ring --topology puz", 4) == "puzzler puzzler-measured\n");
  CHECK(has(complete("rankscope exec --sim tor", 3), "torus-2d torus-3d"));
  CHECK(complete("rankscope topology show tor", 3) == "torus-2d torus-3d\n");

  const auto zsh = run_rankscope({"completion", "zsh"});
  CHECK(zsh.out.starts_with("#compdef rankscope\n"));
  const auto fish = run_rankscope({"completion", "fish"});
  CHECK(has(fish.out, "complete -c rankscope -n '__fish_use_subcommand' -a completion"));
  CHECK(run_rankscope({"completion", "csh"}).exit_code == cli::kBadInput);
}
