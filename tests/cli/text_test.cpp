// Sizes, numbers and tables as text.
#include "cli/terminal/text.h"

#include <string>
#include <vector>

#include "cli/sizes.h"
#include "cli/terminal/output.h"
#include "engine/core/base/error.h"
#include "engine/core/base/text.h"
#include "engine/run/job/job_fields.h"
#include "tests/support/catch.h"

using namespace rankscope;
using namespace rankscope::cli;

TEST_CASE("cli: sizes are parsed") {
  CHECK(parse_size("8", "--bytes") == 8);
  CHECK(parse_size("0", "--bytes") == 0);
  CHECK(parse_size("64KiB", "--bytes") == 65536);
  CHECK(parse_size("64kib", "--bytes") == 65536);
  CHECK(parse_size("64K", "--bytes") == 65536);
  CHECK(parse_size("64 KB", "--bytes") == 64000);
  CHECK(parse_size("32MB", "--bytes") == 32'000'000);
  CHECK(parse_size("1.5MiB", "--bytes") == 1'572'864);
  CHECK(parse_size("2GiB", "--bytes") == 2'147'483'648ULL);
  CHECK(parse_size("9007199254740993", "--bytes") == 9007199254740993ULL);  // not a double
  for (const char* wrong : {"", "KiB", "8x", "-1", "1e3", "0x10", "8 8", "1.5", "99999999999TiB",
                            "nan", "inf", "8 QiB", "."})
    CHECK_THROWS_AS(parse_size(wrong, "--bytes"), UserError);
  CHECK_THROWS_WITH(parse_size("many", "--bytes"),
                    "--bytes: 'many' is not a size in bytes; write it as 4096, 64KiB (1024) or "
                    "32MB (1000)");
}

TEST_CASE("cli: ranges and lists of sizes are parsed") {
  using Sizes = std::vector<std::uint64_t>;
  CHECK(parse_sizes("8", "--sizes") == Sizes{8});
  CHECK(parse_sizes("1KiB,8,8", "--sizes") == Sizes{8, 1024});
  CHECK(parse_sizes("8:64", "--sizes") == Sizes{8, 16, 32, 64});
  CHECK(parse_sizes("0:4", "--sizes") == Sizes{0, 1, 2, 4});
  CHECK(parse_sizes("1KiB:1MiB:x4", "--sizes") == Sizes{1024, 4096, 16384, 65536, 262144, 1048576});
  for (const char* wrong : {"64:8", "8:", ":8", "8:64:4", "8:64:x1", "8:64:x4:x4", "8,,9"})
    CHECK_THROWS_AS(parse_sizes(wrong, "--sizes"), UserError);
}

TEST_CASE("cli: integers, shapes and delays are parsed") {
  CHECK(parse_integer("-3", "--x", -5, 5) == -3);
  for (const char* wrong : {"", "6", "-6", "2.0", "two", "99999999999999999999", "1 "})
    CHECK_THROWS_AS(parse_integer(wrong, "--x", -5, 5), UserError);
  CHECK(parse_integers("2,4,8", "--ranks", 1, 64) == std::vector<int>{2, 4, 8});
  CHECK_THROWS_AS(parse_integers("2,,8", "--ranks", 1, 64), UserError);
  JobSpec spec;
  set_field(spec, job_field("shape"), "2x8x4", "--shape");
  CHECK(spec.call.shape == std::vector<Count>{2, 8, 4});
  CHECK_THROWS_AS(set_field(spec, job_field("shape"), "2x-8", "--shape"), UserError);
  CHECK(parse_delays({"2=500", "0=7"}, 4) == std::vector<double>{7, 0, 500, 0});
  CHECK(parse_delays({}, 4).empty());
  for (const char* wrong : {"2", "4=1", "2=", "=5", "2=-1"})
    CHECK_THROWS_AS(parse_delays({wrong}, 4), UserError);
}

TEST_CASE("cli: numbers are written for people") {
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(1023) == "1023 B");
  CHECK(format_bytes(1024) == "1 KiB");
  CHECK(format_bytes(1536) == "1.50 KiB");
  CHECK(format_bytes(1048575) == "1.00 MiB");
  CHECK(format_bytes(33554432) == "32 MiB");
  CHECK(format_rate(1.0e9) == "954 MiB/s");
  CHECK(format_seconds(0) == "0 ns");
  CHECK(format_seconds(12.34e-6) == "12.3 µs");
  CHECK(format_seconds(0.9996e-3) == "1.00 ms");
  CHECK(format_seconds(1.5) == "1.50 s");
  CHECK(format_seconds(125) == "2 min 05 s");
  CHECK(plural(1, "rank") == "1 rank");
  CHECK(plural(0, "rank") == "0 ranks");
  CHECK(plural(2, "process") == "2 processes");
}

TEST_CASE("cli: widths are those of a terminal") {
  CHECK(display_width("µs") == 2);
  CHECK(display_width("\x1b[1;31mred\x1b[0m") == 3);
  CHECK(display_width("日本") == 4);
  CHECK(display_width("e\u0301") == 1);
  CHECK(display_width("\xff\xfe") == 2);  // not UTF-8: one column a byte
  CHECK(to_ascii("5 µs → 3 × 2…") == "5 us -> 3 x 2...");
  CHECK(wrap("one two three", 8) == "one two\nthree");
  CHECK(wrap("one two three", 8, 2) == "one\n  two\n  three");
}

TEST_CASE("cli: tables line up") {
  Table table({{"rank", Table::Align::right}, {"time"}, {"note", Table::Align::left}});
  table.add_section("ring");
  table.add_row({"0", "5 µs", "ok"});
  table.add_row({"10", "1.25 ms"});
  table.add_section("tree");
  table.add_row({"日", "7 s", "late"});
  CHECK(table.to_string(Style(false, true)) ==
        "rank     time  note\n"
        "ring\n"
        "   0     5 µs  ok\n"
        "  10  1.25 ms\n"
        "\n"
        "tree\n"
        "  日      7 s  late\n");
  CHECK(table.to_string(Style(false, false), 2).find("     0     5 us  ok\n") != std::string::npos);
  Table wide({{"form", kLeft}, {"sends", kLeft}, {"for"}});
  wide.add_row({"tensor parallel", "activations in every layer", "7"});
  CHECK(wide.to_string(Style(false, true), 0, 30) ==
        "form         sends        for\n"
        "tensor       activations    7\n"
        "parallel     in every\n"
        "             layer\n");
  const Style colored(true, true);
  Table colors({{"time"}, {"note", Table::Align::left}});
  colors.add_row({"1.25 ms", "ok"});
  colors.add_row({colored.bold("7 s"), "late"});  // takes the room of what is seen
  CHECK_THAT(colors.to_string(colored), ContainsSubstring("\n    \x1b[1m7 s\x1b[0m  late\n"));
}

TEST_CASE("cli: texts of others give no orders to the terminal") {
  CHECK(without_orders("a\nb\tc \xc3\xa9", false) == "a\nb\tc \xc3\xa9");
  CHECK(without_orders("\x1b[2J\a\r\x7f\xc2\x9b", true) == "\\x1b[2J\\x07\\x0d\\x7f\\xc2\\x9b");
  CHECK(without_orders("\x1b[1;31mred\x1b[0m", true) == "\x1b[1;31mred\x1b[0m");
  CHECK(without_orders("\x1b[31mred", false) == "\\x1b[31mred");
  CHECK(without_orders("\x1b[", true) == "\\x1b[");
  CHECK(Style(false, true).text("\x1b]0;title\a") == "\\x1b]0;title\\x07");
}

TEST_CASE("cli: mistyped words find the right ones") {
  CHECK(edit_distance("ring", "ring") == 0);
  CHECK(edit_distance("rnig", "ring") == 1);
  CHECK(edit_distance("", "ring") == 4);
  CHECK(nearest("rnu", {"run", "man", "list"}) == std::vector<std::string>{"run"});
  CHECK(nearest("xyz", {"run", "man", "list"}).empty());
  CHECK(did_you_mean("--iter", {"--iterations", "--input"}) == "did you mean '--iterations'?");
  CHECK(did_you_mean("q", {"run"}).empty());
}

TEST_CASE("cli: the time that is left is said when it is known and worth saying") {
  CHECK(time_left_text(0, 300, 60, 0).empty());
  CHECK(time_left_text(2, 300, 60, 50).empty());
  CHECK(time_left_text(10, 20, 1, 1).empty());
  CHECK(time_left_text(300, 300, 900, 900).empty());
  CHECK(time_left_text(10, 20, 30, 30) == ", about 30 s left");
  CHECK(time_left_text(100, 300, 500, 500) == ", about 17 min left");
  CHECK(time_left_text(5, 6, 32, 30) == ", about 4 s left");  // nothing got ready for two seconds
  CHECK(time_left_text(5, 6, 40, 30).empty());
}
