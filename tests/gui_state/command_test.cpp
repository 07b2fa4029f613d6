// Commands as text: parsing, errors, the table and the queue.
#include <random>
#include <set>

#include "engine/core/base/error.h"
#include "engine/run/job/job_fields.h"
#include "gui/state/command/commands.h"
#include "gui/state/run/sentence.h"
#include "tests/support/catch.h"

using namespace rankscope;
using namespace rankscope::gui;

TEST_CASE("job words: given values", "[gui_state]") {
  JobSpec job;
  set_job_words(job, {"allreduce.flat", "values=5,3,7", "ranks=3"});
  CHECK(job.data.input == InputPattern::given);
  CHECK(job.data.values == std::vector<std::vector<double>>{{5}, {3}, {7}});
  CHECK_NOTHROW(validate(job));
  set_job_word(job, "count", "7");  // one value fills any input
  CHECK(job.data.values.size() == 3);
  set_job_word(job, "ranks", "4");
  CHECK(job.data.values.empty());
  CHECK(job.data.input == InputPattern::exact);
  set_job_words(job, {"values=0,10;1,11;2,12;3,13"});
  CHECK(job.call.shape == std::vector<Count>{2});
  set_job_word(job, "count", "3");
  CHECK(job.data.values.empty());
  set_job_word(job, "values", "1,2,3,4");
  set_job_word(job, "input", "index");
  CHECK(job.data.values.empty());
  CHECK_NOTHROW(validate(job));
  set_job_words(job, {"allreduce.schedule", "schedule=1: 0 -> 1 all add"});
  CHECK_NOTHROW(validate(job));
  set_job_words(job, {"allreduce.ring", "values=1,2,3,4"});
  CHECK(job.call.schedule.empty());
  set_job_words(job, {"allreduce.bde", "ranks=5"});
  CHECK(job.data.values.empty());
  CHECK_NOTHROW(validate(job));
}

TEST_CASE("job words: every field that has a word is set by it, within its range", "[gui_state]") {
  JobSpec job;
  job.call.shape = {4, 4};
  job.call.root = 2;
  job.call.group_size = 2;
  job.call.scatter_dim = 1;
  job.call.segment_bytes = 4096;
  job.data.seed = ~std::uint64_t{0};
  job.call.left_ring = true;
  job.recording.timeout_s = 2.5;
  job.transport.name = "tcp";
  for (const JobField& field : job_fields()) {
    if (field.word.empty() || field.key == "values") continue;
    JobSpec read;
    set_job_word(read, std::string(field.word), field_text(job, field));
    CAPTURE(field.word);
    CHECK(field_text(read, field) == field_text(job, field));
  }
  set_job_word(job, "delay.1", "20000000");
  CHECK(job.world.delays_us == std::vector<double>{0, 2e7});
  CHECK_THROWS_WITH(set_job_word(job, "delay.1", "60000001"),
                    Catch::Matchers::Equals("a delay must be 0 to 60,000,000 µs, not 60000001"));
  CHECK_THROWS_WITH(set_job_word(job, "transport", "inproc"),
                    Catch::Matchers::Equals("the transport is ipc, tcp, shm or sim"));
  CHECK_THROWS_WITH(set_job_word(job, "colour", "red"), ContainsSubstring("a job has no"));
}

TEST_CASE("command: lines are read as they are meant", "[gui_state]") {
  CHECK(parse_command("stop") == cmd::stop());
  CHECK(parse_command("  seek\t3.5 \r\n") == cmd::seek(3.5));
  CHECK(parse_command(R"(open "my trace.rankscope")") == cmd::open("my trace.rankscope"));
  CHECK(parse_command(R"(bookmark "say \"now\"")") == cmd::bookmark(R"(say "now")"));
  CHECK(parse_command(R"(open my\ trace)") == cmd::open("my trace"));
  CHECK(parse_words(R"(a "" b"c d"e)") == Texts{"a", "", "bc de"});
}

TEST_CASE("command: what cannot be read is a user's mistake", "[gui_state]") {
  for (const auto* line : {"", "   ", "open \"trace", "open trace\\", "\"\\"})
    CHECK_THROWS_AS(parse_command(line), UserError);
}

TEST_CASE("command: text is read back", "[gui_state]") {
  CHECK(cmd::open("my trace").text() == R"(open "my trace")");
  CHECK(cmd::run({"allreduce.ring", "ranks=4"}).text() == "run allreduce.ring ranks=4");
  std::mt19937 random(1);
  const std::string letters = "ab \t\n\\\"'#→é=";
  for (int round = 0; round < 2000; ++round) {
    Command command = parse_command("c");
    command.name += std::string(random() % 2, ' ');
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
  for (const CommandInfo* const row : command_infos()) {
    const CommandInfo& info = *row;
    INFO(info.name);
    CHECK(names.insert(std::string(info.name)).second);
    CHECK(info.usage.starts_with(info.name));
    CHECK_FALSE(info.summary.empty());
    CHECK_FALSE(info.summary.ends_with('.'));
    CHECK((info.most < 0 || info.least <= info.most));
    CHECK((info.usage.find(' ') == std::string_view::npos) == (info.most == 0));
    for (const auto& key : keys_of(info)) {
      CHECK(keys.insert(key).second);
      CHECK(command_of_key(key) == &info);
    }
    CHECK(find_command_info(info.name) == &info);
    CHECK(info.run != nullptr);
    // A key or a menu can only ask for a name.
    for (const auto& item : info.menu) {
      const Command words(info, parse_words(item.words));
      CHECK((lacks_arguments(words) ? info.box.title != nullptr : command_problem(words).empty()));
      CHECK((!item.hides || item.enabled != nullptr));
    }
    if (!info.shortcut.empty() && info.least > 0) CHECK(info.box.title != nullptr);
  }
  CHECK(names.contains("clear-breakpoints"));
  CHECK(keys.contains("Space"));
  CHECK(find_command_info("fly") == nullptr);
}

TEST_CASE("command: words have the types of their rows", "[gui_state]") {
  CHECK(cmd::view(Slot::side_lower, "code").text() == "view side_lower code");
  CHECK(cmd::select(Thing::event, 12).text() == "select event 12");
  CHECK(cmd::select_none().text() == "select none");
  CHECK(cmd::values(Turn::toggle).text() == "values toggle");
  CHECK(cmd::seek({1.0 / 3, 3}).text() == "seek 0.333");
  CHECK(cmd::delay(2, 20).text() == "delay 2 20");
  CHECK(cmd::break_at({"ring.py", 7}).text() == "break ring.py:7");
  CHECK(cmd::starter_over("ring", "a b", kReplace).text() == "starter ring \"a b\" replace");
  CHECK(cmd::pen_line({"0,0", "1,1"}).text() == "pen line 0,0 1,1");
  CHECK(cmd::clock(ClockBase::measured).is(cmd::clock));
}

TEST_CASE("command: what may show the rest of a run says so in its row", "[gui_state]") {
  std::set<std::string_view> commands, views;
  for (const CommandInfo* const info : command_infos())
    if (info->curtain == Curtain::opens) commands.insert(info->name);
  for (const ViewInfo& info : kViews)
    if (info.curtain == Curtain::opens) views.insert(info.name);
  CHECK(commands == std::set<std::string_view>{"save", "workspace", "export", "copy-picture",
                                               "copy-text", "filter", "compare", "meant", "race",
                                               "what-if", "what-if-run", "rerun", "network",
                                               "schedule"});
  CHECK(views == std::set<std::string_view>{"events", "problems", "compare", "race", "schematic",
                                            "network"});
}

TEST_CASE("command: what is wrong is reported", "[gui_state]") {
  CHECK(command_problem(cmd::stop()).empty());
  CHECK(command_problem(cmd::run({"a", "b", "c", "d"})).empty());
  CHECK_THAT(command_problem(parse_command("stpo")), ContainsSubstring("'stop'"));
  CHECK_THAT(command_problem(parse_command("qqqqqq")), ContainsSubstring("no command"));
  CHECK_THAT(command_problem(cmd::open()), ContainsSubstring("open FILE"));
  CHECK_THAT(command_problem(parse_command("stop now")), ContainsSubstring("fewer"));
  CHECK(nearest_commands("relase").front() == "release");
}

TEST_CASE("command: a queue is taken whole", "[gui_state]") {
  CommandQueue queue;
  queue.push(cmd::play());
  queue.push(cmd::seek(2));
  CHECK_FALSE(queue.empty());
  CHECK(queue.take() == std::vector<Command>{cmd::play(), cmd::seek(2)});
  CHECK(queue.empty());
}
