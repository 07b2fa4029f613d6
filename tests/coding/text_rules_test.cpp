// What is told of a program's text in C++ (tests/python/test_grade_code.py: of one in Python).
#include "lessons/coding/text_rules.h"

#include <fstream>

#include "lessons/coding/cpp_program.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

namespace rankscope {
namespace {

using Catch::Matchers::Contains;

CodingExercise with_rules() {
  CodingExercise exercise;
  CodingRule imports, calls;
  imports.judge = CodingRule::Judge::imports;
  calls.judge = CodingRule::Judge::calls;
  calls.forbid = {"isend", "sleep_for"};
  exercise.rules = {imports, calls};
  return exercise;
}

TextFaults faults_of(const CodingExercise& exercise, const std::string& text) {
  const test::TemporaryFolder folder;
  const std::string file = folder / "program.cpp";
  std::ofstream(file) << text;
  return cpp_text_faults(exercise, file);
}

}  // namespace

TEST_CASE("coding: headers and calls of a text in C++ are told with their line", "[text]") {
  const TextFaults both = faults_of(with_rules(),
                                    "#include <vector>\n#include <sys/mman.h>\n"
                                    "void f(C& comm) {\n  comm.isend(1); comm.isend(2);\n}\n");
  CHECK_THAT(both.imports.value(), Contains("program.cpp, line 2: #include <sys/mman.h>"));
  CHECK_THAT(both.calls.value(), Contains("program.cpp, line 4: isend is not for this exercise"));
  const TextFaults last = faults_of(with_rules(), "std::this_thread::sleep_for(1s)");
  CHECK_THAT(last.calls.value(), Contains("line 1: sleep_for"));
}

TEST_CASE("coding: other names, and comments, are no calls", "[text]") {
  const TextFaults none =
      faults_of(with_rules(), "int my_isend, isend_it, misend;  // not isend\nnot_sleep_for();\n");
  CHECK(none.imports == "");
  CHECK(none.calls == "");
}

TEST_CASE("coding: of a check of the standard library only what it checked is told", "[text]") {
  CHECK(
      without_library_text("stl_vector.h:1123: reference std::vector<int>::operator[](size_type): "
                           "Assertion '__n < this->size()' failed.") ==
      "a check of the standard library failed: __n < this->size(); is an index beyond the end, or "
      "the array empty?");
  CHECK(without_library_text("free(): invalid pointer") == "free(): invalid pointer");
}

TEST_CASE("coding: of what an exercise has no rule on nothing is told", "[text]") {
  CodingExercise exercise = with_rules();
  exercise.rules.pop_back();
  const TextFaults of_imports = faults_of(exercise, "isend();\n");
  CHECK(of_imports.imports == "");
  CHECK_FALSE(of_imports.calls);
  CHECK_FALSE(faults_of({}, "#include <zmq.h>\n").imports);
  const TextFaults missing = cpp_text_faults(with_rules(), "/nonexistent/program.cpp");
  CHECK_FALSE(missing.imports.value().empty());
  CHECK_FALSE(missing.calls.value().empty());
}

}  // namespace rankscope
