// `rankscope lesson drills`: what is refused before anything is run (tests/python/test_drills.py makes some).
#include <fstream>

#include "tests/cli/classroom.h"
#include "tests/cli/files.h"

using namespace rankscope;
using test::check_refused;

TEST_CASE("lesson: drills of an unknown exercise name those that there are", "[drills]") {
  const test::Classroom room;
  check_refused(room.run({"drills", "--exercise", "my-broadcst", "-o", room.at("a")}),
                "no drills of an exercise \"my-broadcst\"", "ring-allreduce");
  check_refused(room.run({"drills", "--count", "0", "-o", room.at("b")}), "from 1 to 1000, not 0");
  check_refused(room.run({"drills", "--sheet", "ten", "-o", room.at("c")}), "--sheet");
  check_refused(room.run({"drills", "ring-allreduce"}), "takes no names");
}

TEST_CASE("lesson: drills are not written into a folder with other files", "[drills]") {
  const test::Classroom room;
  REQUIRE(std::filesystem::create_directories(room.at("mine")));
  std::ofstream(room.at("mine") + "/thesis.txt") << "mine";
  check_refused(room.run({"drills", "--count", "1", "--force", "-o", room.at("mine")}), "not empty",
                "--output");
  CHECK(test::read(room.at("mine") + "/thesis.txt") == "mine");
}
