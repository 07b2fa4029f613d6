// Formulas as students write them, judged as formula_pairs.txt says.
#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/error.h"
#include "lessons/formula/formula_compare.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace rankscope;

namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

struct Domain {
  std::vector<std::string> names;
  std::vector<Values> points;
};

// "N: 2..64; n: 0..N-1 where n > 0"
Domain read_domain(std::string text) {
  FormulaDomain domain;
  constexpr std::string_view kWhere = " where ";
  if (const auto where = text.find(kWhere); where != std::string::npos) {
    domain.condition = text.substr(where + kWhere.size());
    text.resize(where);
  }
  Domain result;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find(';', begin), text.size());
    const auto one = text.substr(begin, end - begin);
    const auto colon = one.find(':');
    domain.variables.emplace_back(trimmed(one.substr(0, colon)), trimmed(one.substr(colon + 1)));
    result.names.push_back(domain.variables.back().first);
    begin = end + 1;
  }
  result.points = sample(domain);
  return result;
}

struct Counts {
  int equal = 0, different = 0, refused = 0;
};

Counts judge_all() {
  std::ifstream file(test::source_root() / "tests" / "lessons" / "formula_pairs.txt");
  REQUIRE(file);
  Counts counts;
  Domain domain;
  std::string right;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto rest = trimmed(line.substr(line.find(' ')));
    INFO("right: " << right << ", given: " << rest);
    if (line.starts_with("domain ")) {
      domain = read_domain(rest);
    } else if (line.starts_with("right ")) {
      right = rest;
      CHECK_NOTHROW(Formula(right, domain.names));
    } else if (line[0] == '?') {
      CHECK_THROWS_AS(Formula(rest, domain.names), UserError);
      ++counts.refused;
    } else {
      const bool equal = line[0] == '=';
      std::string error;
      FormulaVerdict verdict;
      try {
        verdict = compare(Formula(right, domain.names), Formula(rest, domain.names), domain.points);
      } catch (const UserError& problem) {
        error = problem.what();
      }
      CHECK(error.empty());
      CHECK(verdict.equal == equal);
      if (!equal) CHECK(Formula(right, domain.names).at(verdict.where) == verdict.expected);
      ++(equal ? counts.equal : counts.different);
    }
  }
  return counts;
}

}  // namespace

TEST_CASE("formulas as students write them get no wrong verdict", "[formula]") {
  const Counts counts = judge_all();
  CHECK(counts.equal >= 200);
  CHECK(counts.different >= 200);
  CHECK(counts.refused >= 10);
}
