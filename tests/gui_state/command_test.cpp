// Commands as text: parsing, errors, the table and the queue.
#include "gui/state/app/command.h"

#include <random>
#include <set>

#include "engine/core/base/error.h"
#include "engine/run/job/job_fields.h"
#include "gui/state/run/job_words.h"
#include "tests/support/catch.h"

using namespace rankscope;
using namespace rankscope::gui;

TEST_CASE("job words: given values", "[gui_state]") {
  JobSpec job;
  set_job_words(job, {"allreduce.flat", "values=5,3,7", "ranks=3"});
  CHECK(job.input == InputPattern::given);
  CHECK(job.values == std::vector<std::vector<double>>{{5}, {3}, {7}});
  CHECK_NOTHROW(job.validate());
  set_job_word(job, "count", "7");  // one value fills any input
  CHECK(job.values.size() == 3);
  set_job_word(job, "ranks", "4");
  CHECK(job.values.empty());
  CHECK(job.input == InputPattern::exact);
  set_job_words(job, {"values=0,10;1,11;2,12;3,13"});
  CHECK(job.shape == std::vector<Count>{2});
  set_job_word(job, "count", "3");
  CHECK(job.values.empty());
  set_job_word(job, "values", "1,2,3,4");
  set_job_word(job, "input", "index");
  CHECK(job.values.empty());
  CHECK_NOTHROW(job.validate());
  set_job_words(job, {"allreduce.schedule", "schedule=1: 0 -> 1 all add"});
  CHECK_NOTHROW(job.validate());
  set_job_words(job, {"allreduce.ring", "values=1,2,3,4"});
  CHECK(job.schedule.empty());
  set_job_words(job, {"allreduce.bde", "ranks=5"});
  CHECK(job.values.empty());
  CHECK_NOTHROW(job.validate());
}

TEST_CASE("job words: every field that has a word is set by it, within its range", "[gui_state]") {
  JobSpec job;
  job.shape = {4, 4};
  job.root = 2;
  job.group_size = 2;
  job.scatter_dim = 1;
  job.segment_bytes = 4096;
  job.seed = ~std::uint64_t{0};
  job.left_ring = true;
  job.timeout_s = 2.5;
  job.transport = "tcp";
  for (const JobField& field : job_fields()) {
    if (field.word.empty() || field.key == "values") continue;
    JobSpec read;
    set_job_word(read, std::string(field.word), field_text(job, field));
    CAPTURE(field.word);
    CHECK(field_text(read, field) == field_text(job, field));
  }
  set_job_word(job, "delay.1", "20000000");
  CHECK(job.delays_us == std::vector<double>{0, 2e7});
  CHECK_THROWS_WITH(set_job_word(job, "delay.1", "60000001"),
                    Catch::Matchers::Equals("a delay must be 0 to 60,000,000 µs, not 60000001"));
  CHECK_THROWS_WITH(set_job_word(job, "transport", "inproc"),
                    Catch::Matchers::Equals("the transport is ipc, tcp, shm or sim"));
  CHECK_THROWS_WITH(set_job_word(job, "colour", "red"), ContainsSubstring("a job has no"));
}

TEST_CASE("command: lines are read as they are meant", "[gui_state]") {
  CHECK(parse_command("stop") == Command("stop"));
  CHECK(parse_command("  seek\t3.5 \r\n") == Command("seek", {"3.5"}));
  CHECK(parse_command(R"(open "my trace.rankscope")") == Command("open", {"my trace.rankscope"}));
  CHECK(parse_command(R"(bookmark "say \"now\"")") == Command("bookmark", {R"(say "now")"}));
  CHECK(parse_command(R"(open my\ trace)") == Command("open", {"my trace"}));
  CHECK(parse_command(R"(a "" b"c d"e)") == Command("a", {"", "bc de"}));
}

TEST_CASE("command: what cannot be read is a user's mistake", "[gui_state]") {
  for (const auto* line : {"", "   ", "open \"trace", "open trace\\", "\"\\"})
    CHECK_THROWS_AS(parse_command(line), UserError);
}

TEST_CASE("command: text is read back", "[gui_state]") {
  CHECK(Command("open", {"my trace"}).text() == R"(open "my trace")");
  CHECK(Command("run", {"allreduce.ring", "ranks=4"}).text() == "run allreduce.ring ranks=4");
  std::mt19937 random(1);
  const std::string letters = "ab \t\n\\\"'#→é=";
  for (int round = 0; round < 2000; ++round) {
    Command command("c" + std::string(random() % 2, ' '));
    for (auto words = random() % 4; words > 0; --words) {
      std::string word;
      for (auto length = random() % 6; length > 0; --length)
        word += letters[random() % letters.size()];
      command.words.push_back(word);
    }
    INFO(command.text());
    CHECK(parse_command(command.text()) == command);
  }
}

TEST_CASE("command: the table", "[gui_state]") {
  std::set<std::string> names, keys;
  for (const auto& info : command_infos()) {
    INFO(info.name);
    CHECK(names.insert(std::string(info.name)).second);
    CHECK(info.usage.starts_with(info.name));
    CHECK_FALSE(info.summary.empty());
    CHECK_FALSE(info.summary.ends_with('.'));
    CHECK((info.most < 0 || info.least <= info.most));
    CHECK((info.usage.find(' ') == std::string_view::npos) == (info.most == 0));
    for (const auto& key : keys_of(info)) {
      CHECK(keys.insert(key).second);
      CHECK(command_of_key(key) == info.name);
    }
    CHECK(find_command_info(info.name) == &info);
    CHECK(info.run != nullptr);
    // A key or a menu can only ask for a name.
    for (const auto& item : info.menu) {
      const auto words = parse_command(std::string(info.name) + " " + std::string(item.words));
      CHECK((lacks_arguments(words) ? info.box.title != nullptr : command_problem(words).empty()));
      CHECK((!item.hides || item.enabled != nullptr));
    }
    if (!info.shortcut.empty() && info.least > 0) CHECK(info.box.title != nullptr);
  }
  CHECK(names.contains("clear-breakpoints"));
  CHECK(keys.contains("Space"));
  CHECK(find_command_info("fly") == nullptr);
}

TEST_CASE("command: what is wrong is reported", "[gui_state]") {
  CHECK(command_problem({"stop"}).empty());
  CHECK(command_problem({"run", {"a", "b", "c", "d"}}).empty());
  CHECK_THAT(command_problem({"stpo"}), ContainsSubstring("'stop'"));
  CHECK_THAT(command_problem({"qqqqqq"}), ContainsSubstring("no command"));
  CHECK_THAT(command_problem({"open"}), ContainsSubstring("open FILE"));
  CHECK_THAT(command_problem({"stop", {"now"}}), ContainsSubstring("fewer"));
  CHECK(nearest_commands("relase").front() == "release");
}

TEST_CASE("command: a queue is taken whole", "[gui_state]") {
  CommandQueue queue;
  queue.push("play");
  queue.push(Command("seek", {"2"}));
  CHECK_FALSE(queue.empty());
  CHECK(queue.take() == std::vector<Command>{Command("play"), Command("seek", {"2"})});
  CHECK(queue.empty());
}
