// Formulas: values, names, messages for typing errors, and hostile input.
#include <algorithm>
#include <cmath>
#include <locale>
#include <random>
#include <string>
#include <vector>

#include "engine/core/base/error.h"
#include "lessons/formula/formula_compare.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {

std::string error_of(const std::string& text, const std::vector<std::string>& names) {
  try {
    const Formula formula(text, names);
    return "no error, uses " + std::to_string(formula.variables_used().size()) + " variables";
  } catch (const UserError& error) {
    return error.what();
  }
}

FormulaVerdict verdict(const std::string& right, const std::string& given,
                       const FormulaDomain& domain, const std::vector<std::string>& shift = {}) {
  std::vector<std::string> names;
  names.reserve(domain.variables.size());
  for (const auto& [name, range] : domain.variables) names.push_back(name);
  return compare(Formula(right, names), Formula(given, names), sample(domain), shift);
}

}  // namespace

TEST_CASE("a formula has the value that mathematics gives it", "[formula]") {
  const Values v{{"N", 8}, {"n", 6}, {"i", 3}};
  const std::vector<std::pair<std::string, double>> cases = {
      {"-2^2", -4},
      {"2^3^2", 512},
      {"2^-1", 0.5},
      {"2^-N^2 * 2^64", 1},
      {"--2", 2},
      {"2 - -3", 5},
      {"2*-3", -6},
      {"(-1) mod 4", 3},
      {"-1 mod 4", 3},
      {"-1 % 4", 3},
      {"5 mod -3", -1},
      {"7 // 2", 3},
      {"-7 // 2", -4},
      {"-7 div 2", -4},
      {"1 - 7 mod 4", -2},
      {"2 * 7 mod 4", 2},
      {"6 xor 3", 5},
      {"-1 xor 1", -2},
      {"n & 2", 2},
      {"n | 1", 7},
      {"1 << 4", 16},
      {"n >> 1", 3},
      {"xor(n, 1) + 1", 8},
      {"ceil(log(8)/log(2))", 3},
      {"ceil(log(2^29)/log(2))", 29},
      {"⌈7/2⌉ + ⌊7/2⌋", 7},
      {"round(2.5) + int(-2.5) + abs(-1)", 2},
      {"min(3, 1, 2) + max(3, 1, 2)", 4},
      {"min(0 ? 2 : 3, 1 ? 4 : 5)", 3},
      {"1 ? 0 ? 5 : 6 : 7", 6},
      {"1 or 0 and 0", 1},
      {"not 1 == 0", 1},
      {"!n + 1", 1},
      {"not not n", 1},
      {"!not n", 1},
      {"0.5 and 1 << 7", 1},
      {"0 (-1)", 0},
      {"1e3 + .5 + 2. + 1_000", 2002.5},
      {"log2 N^2", 6},
      {"log(N)", 3},
      {"2 log N (N - 1)", 42},
      {"ceil log(N)/log(2)", 3},
      {"ln(N)/ln(2)", 3},
      {"log2(N)^2", 9},
      {"ceil log2 7", 3},
      {"√16 + √(9)", 7},
      {"N² + 2ⁱ⁻¹", 68},
      {"𝑁 − 1", 7},
      {"n + i - 2 (mod N)", 7},
      {"n - 2 - i (mod N) + 1", 2},
      {"\\frac{N}{2} \\pmod{3}", 1},
      {"\\operatorname{ceil}(N/3)", 3},
      {"n \\text{ mod } 4", 2},
  };
  for (const auto& [text, value] : cases) {
    CAPTURE(text);
    CHECK(evaluate(text, v) == value);
  }
}

TEST_CASE("a left-hand side is not part of the formula", "[formula]") {
  const Values v{{"N", 8}, {"n", 6}, {"t", 2}, {"D", 5}};
  for (const auto* text : {"n' = N - 1", "n′ = N-1", "T = N-1", "T(N, D) = N - 1", "D* = N-1",
                           "D^* = N - 1", "T_{ring}(N) = N - 1", "$c = N-1$", "c := N - 1"}) {
    CAPTURE(text);
    CHECK(evaluate(text, v) == 7);
  }
  CHECK(evaluate("n = n - 1", v) == 5);  // only the prime is missing
  CHECK(evaluate("n = 6", v) == 1);      // a condition
  CHECK(evaluate("n mod 4 = 2", v) == 1);
  CHECK_THAT(error_of("c = n = N", {"n", "N"}), ContainsSubstring("one '=' is enough"));
}

TEST_CASE("names are found as written, then in another case, then as products", "[formula]") {
  CHECK(evaluate("n N", {{"n", 2}, {"N", 5}}) == 10);
  CHECK(evaluate("nN", {{"n", 2}, {"N", 5}}) == 10);
  CHECK(evaluate("ab", {{"a", 2}, {"b", 5}}) == 10);
  CHECK(evaluate("ab", {{"a", 2}, {"b", 5}, {"ab", 3}}) == 3);
  CHECK(evaluate("RANK", {{"rank", 2}}) == 2);
  CHECK(evaluate("2(n-1)", {{"N", 5}}) == 8);
  CHECK_THAT(error_of("N - 2^(i-1)", {"i", "n"}),
             ContainsSubstring("'N' is not known here: 'n'? Upper and lower case matter"));
  CHECK(evaluate("αDβ", {{"α", 2}, {"β", 3}, {"D", 5}}) == 30);
  CHECK(evaluate("\\alpha_1 + α₁ + alpha1 + α_{1}", {{"α1", 2}}) == 8);
  CHECK(evaluate("t_s + ts", {{"t_s", 2}}) == 4);
  CHECK(evaluate("2Nlog2N", {{"N", 4}}) == 16);
  CHECK(evaluate("min + mod", {{"min", 4}, {"mod", 1}}) == 5);
  CHECK_THAT(error_of("RANK", {"rank", "Rank"}),
             ContainsSubstring("'rank' or 'Rank'? Upper and lower case matter"));
  CHECK(evaluate("LD(N + 1)", {{"L", 2}, {"D", 3}, {"N", 7}}) == 48);
  CHECK(evaluate("ld(N + 1) + Mod(7, 4) + FLOOR(N/2)", {{"N", 7}}) == 9);
  CHECK_THAT(error_of("LN(N)", {"N"}), ContainsSubstring("not known"));
  CHECK_THAT(error_of("ld(N)", {"N", "l", "d"}), ContainsSubstring("several ways"));
  CHECK_THAT(error_of("MOD", {"M", "O", "D"}), ContainsSubstring("several ways"));
  CHECK_THAT(error_of("Ab", {"A", "b", "ab"}), ContainsSubstring("several ways"));
  CHECK_THAT(error_of("abc", {"a", "ab", "c", "bc"}), ContainsSubstring("several ways"));
  CHECK(Formula("b + a b", std::vector<std::string>{"a", "c", "b"}).variables_used() ==
        std::vector<std::string>{"a", "b"});
}

TEST_CASE("a typo gets a message with its place and what to write", "[formula]") {
  const std::vector<std::string> names{"N", "n", "i", "D", "b", "rank"};
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"2(N - 1", "At '(N - 1': this bracket is not closed: write a ')'"},
      {"2(N - 1))", "At ')': this bracket was never opened"},
      {"[N + 1)", "'[' is closed by ']', not by ')'"},
      {"2⌈log2 N⌋", "'⌈' is closed by '⌉', not by '⌋'"},
      {"2 + * N", "At '* N': a number, a variable or a bracket is expected after '+', not '*'"},
      {"2 *", "At the end of the formula: a number, a variable or a bracket is expected after '*'"},
      {"()", "something is expected between the brackets"},
      {"", "At the end of the formula: write a formula"},
      {"   ", "write a formula"},
      {"c =", "write a formula"},
      {"2(M - 1)",
       "At 'M - 1)': the name 'M' is not known here; the variables are N, n, i, D, b, rank"},
      {"n + 1 if n > 2 else n", "At 'if n > 2 els…': write 'condition ? a : b'"},
      {"n mdo N", "did you mean 'mod'"},
      {"rnak + 1", "did you mean 'rank'?"},
      {"ciel(N/2)", "did you mean 'ceil'?"},
      {"min N, i", "write brackets behind 'min'"},
      {"ceil(N, 2)", "'ceil' takes 1 value only"},
      {"pow(N)", "'pow' needs 2 values"},
      {"0,5 N", "write numbers with a point (0.5)"},
      {"(n, N)", "a comma separates the values of min( , )"},
      {"1 000 N", "a sign is expected before this number"},
      {"D 2", "a sign is expected before this number"},
      {"D/N b", "At 'b': a product without a sign after a division can be read in two ways"},
      {"1/2N", "two ways"},
      {"n mod 2 i", "two ways"},
      {"2^2i", "two ways"},
      {"log2 2N", "two ways"},
      {"log2NDb", "two ways"},
      {"n xor 2^i + 1", "'+' next to 'xor': write brackets"},
      {"0 <= i < N", "write two comparisons with 'and'"},
      {"|n - 2|", "write abs(...)"},
      {"N!", "'!' cannot stand behind a value"},
      {"n : 2", "a division is written with /"},
      {"n ? 2", "'?' needs a ':'"},
      {"\"abc\"", "this sign has no meaning in a formula"},
      {"n; i", "At '; i': this sign has no meaning in a formula"},
      {"\\frac12", "write \\frac{a}{b}"},
      {"\\sum_{i} n", "the name 'sum_{i}' is not known here"},
      {"sum(1, 2)", "the name 'sum' is not known here"},
      {"n 1e999", "too large"},
      {"log_{2 N", "this bracket is not closed"},
  };
  for (const auto& [text, message] : cases) {
    CAPTURE(text);
    CHECK_THAT(error_of(text, names), ContainsSubstring(message));
  }
  CHECK_THAT(error_of("2", {"two words"}), ContainsSubstring("cannot be a variable"));
}

TEST_CASE("hostile formulas end with a message", "[formula]") {
  using namespace std::string_literals;
  const std::vector<std::string> names{"N", "a"};
  const auto repeated = [](const std::string& text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) result += text;
    return result;
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {std::string(1 << 20, 'N'), "longer than 500 characters"},
      {std::string(100'000, '('), "longer than 500 characters"},
      {std::string(200, '('), "nested too deeply"},
      {repeated("ceil ", 90), "nested too deeply"},
      {repeated("not ", 100), "nested too deeply"},
      {repeated("2^(", 90), "nested too deeply"},
      {repeated("((", 20) + "((1" + repeated("))", 21), "nested too deeply"},
      {repeated("1+", 200), "too many parts"},
      {"max(" + repeated("1,", 200) + "1)", "too many parts"},
      {std::string(400, 'q'), "this name is not known here"},
      {std::string(400, '9'), "too large"},
      {"N" + repeated("²", 400), "too large"},
      {"1e999", "too large"},
      {"1e-999", "too small"},
      {"N\0+ 1"s, "no control characters"},
      {"N\x1b[31m", "At '\\x1b[31m': a formula has no control characters"},
      {"N + \xff", "not readable text"},
      {"N + \xe2\x8c", "not readable text"},
      {"\\", "LaTeX"},
      {"a=1, a=2", "one '=' is enough"},
      {"_pi", "is not known here"},
      {"rnd", "is not known here"},
      {"a ? b", "is not known here"},
      {"1, a", "a comma separates"},
      {"v0", "is not known here"},
  };
  for (const auto& [text, message] : cases) {
    CAPTURE(text.substr(0, 60));
    CHECK_THAT(error_of(text, names), ContainsSubstring(message));
  }
  CHECK(std::isfinite(evaluate(std::string(250, '-') + "1", {})));
  CHECK(evaluate(repeated("(", 40) + "1" + repeated(")", 40), {}) == 1);
}

TEST_CASE("where a formula is not defined it has no finite value", "[formula]") {
  const std::vector<std::string> names{"N"};
  for (const auto* text :
       {"9^9^9^9^9", "1/(N-2)", "N mod 0", "N // 0", "log2(0 N)", "sqrt(-N)", "1.5 xor 1",
        "2^60 xor 1", "1 << -1", "min(1, sqrt(-1))", "not sqrt(-1)"}) {
    CAPTURE(text);
    CHECK_FALSE(std::isfinite(Formula(text, names).at({{"N", 2}})));
    CHECK_THROWS_AS(evaluate(text, {{"N", 2}}), UserError);
  }
  CHECK(std::isnan(Formula("N", names).at({{"n", 2}})));
}

TEST_CASE("formulas do not depend on the locale", "[formula]") {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale(), new Comma));
  double value = 0;
  std::string refused;
  try {
    value = evaluate("2.5 N + 1e6 + 1234567.25", {{"N", 2}});
    refused = error_of("0,5 N", {"N"});
  } catch (...) {
    std::locale::global(before);
    throw;
  }
  std::locale::global(before);
  CHECK(value == 2234572.25);
  CHECK_THAT(refused, ContainsSubstring("with a point"));
}

TEST_CASE("a domain gives its points", "[formula]") {
  const auto all = sample({{{"N", "2..4"}, {"n", "0..N-1"}}, ""});
  CHECK(all.size() == 9);
  CHECK(all.front() == Values{{"N", 2}, {"n", 0}});
  CHECK(sample({{{"N", "2, 4, max(8, 2)"}}, ""}).size() == 3);
  CHECK(
      sample({{{"N", "2..64"}, {"i", "1..ceil(log2(N))"}, {"n", "0..N-1"}}, "n mod 2^i == 2^(i-1)"},
             100'000)
          .size() == 2016);  // every n > 0 sends once: the sum of N - 1

  const FormulaDomain large{{{"N", "1..1000"}, {"n", "0..N-1"}}, ""};
  const auto some = sample(large, 50);
  CHECK(some.size() == 50);
  CHECK(some == sample(large, 50));
  const auto holds = [&](const Values& point) {
    return std::find(some.begin(), some.end(), point) != some.end();
  };
  CHECK(holds({{"N", 1}, {"n", 0}}));
  CHECK(holds({{"N", 1000}, {"n", 0}}));
  CHECK(holds({{"N", 1000}, {"n", 999}}));

  const auto real = sample({{{"D", "1 .. 1e6 real"}, {"t", "0..1 real"}}, "D > t"}, 200);
  CHECK(real.size() == 200);
  CHECK(std::any_of(real.begin(), real.end(), [](const Values& v) { return v.at("D") == 1e6; }));
  for (const auto& point : real) CHECK((point.at("D") >= 1 && point.at("D") <= 1e6));
  CHECK(sample({{{"a", "0..1e9"}, {"b", "0..1e9"}, {"c", "0..1e9"}}, ""}).size() == 2000);
}

TEST_CASE("a domain that cannot be used says why", "[formula]") {
  const auto error = [](const FormulaDomain& domain) {
    try {
      return std::to_string(sample(domain).size()) + " points";
    } catch (const UserError& problem) {
      return std::string(problem.what());
    }
  };
  CHECK_THAT(error({{{"N", "2..M"}}, ""}), ContainsSubstring("The values of 'N': At 'M'"));
  CHECK_THAT(error({{{"N", "2.."}}, ""}), ContainsSubstring("The values of 'N'"));
  CHECK_THAT(error({{{"N", "2..4"}}, "N >"}), ContainsSubstring("The condition of the domain"));
  CHECK_THAT(error({{{"N", "4..2"}}, ""}), ContainsSubstring("empty"));
  CHECK_THAT(error({{{"N", "1..4"}}, "N > 4"}), ContainsSubstring("empty"));
  CHECK_THAT(error({{{"N", "1/0..4"}}, ""}), ContainsSubstring("A bound of 'N'"));
  CHECK_THAT(error({{{"a b", "1..4"}}, ""}), ContainsSubstring("cannot be a variable"));
}

TEST_CASE("a wrong answer is explained where one knows the mistake", "[formula]") {
  const FormulaDomain ring{{{"N", "2..16"}, {"n", "0..N-1"}, {"i", "1..2N-2"}}, ""};
  const auto counted = verdict("(n + i - 2) mod N", "(n + i - 1) mod N", ring, {"i"});
  CHECK_FALSE(counted.equal);
  REQUIRE(counted.off_by_one);
  CHECK(*counted.off_by_one == std::pair<std::string, int>("i", -1));
  CHECK(counted.expected != counted.given);
  CHECK_FALSE(verdict("(n + i - 2) mod N", "(n + i) mod N", ring, {"i"}).off_by_one);
  CHECK_FALSE(verdict("(n + i - 2) mod N", "(n + i - 1) mod N", ring, {"N"}).off_by_one);

  const FormulaDomain tree{{{"N", "2..64"}, {"i", "1..ceil(log2(N))"}, {"n", "0..N-1"}},
                           "n mod 2^i == 2^(i-1)"};
  CHECK(verdict("n - 2^(i-1)", "n - 2^i", tree, {"n", "i"}).off_by_one ==
        std::pair<std::string, int>("i", -1));
  CHECK(verdict("n - 2^(i-1)", "n - 2^(i-2)", tree, {"i"}).off_by_one ==
        std::pair<std::string, int>("i", +1));

  const FormulaDomain cost{{{"N", "2..64"}, {"t", "1e-6..1e-2 real"}}, ""};
  const auto half = verdict("2⌈log2 N⌉ t", "⌈log2 N⌉ t", cost);
  REQUIRE(half.factor);
  CHECK(*half.factor == Approx(0.5));
  CHECK_FALSE(verdict("2⌈log2 N⌉ t", "2(N-1) t", cost).factor);
  CHECK_FALSE(verdict("N t", "N t + 1", cost).factor);
  CHECK_FALSE(verdict("N", "1/0", cost).factor);
  CHECK(std::isinf(verdict("N", "1/0", cost).given));

  CHECK(verdict("1/(N-2)", "1/(N-2)", cost).equal);  // N = 2 is left out
  CHECK_THROWS_AS(verdict("1/0", "N", cost), UserError);
  CHECK(verdict("N", "N(1 + 1e-12)", cost).equal);
  CHECK_FALSE(verdict("N", "N(1 + 1e-7)", cost).equal);
}

TEST_CASE("random bytes and random pieces of formulas never do harm", "[formula]") {
  const std::vector<std::string> names{"N", "n", "i", "D", "α"};
  const std::vector<std::string> pieces = {
      "N",    "n",     "i",  "D", "α",   "2",       "0.5",    "1e3",     "+",  "-",          "*",
      "/",    "^",     "**", "%", "mod", "//",      "xor",    "&",       "|",  "<<",         "(",
      ")",    "[",     "]",  "{", "}",   "⌈",       "⌉",      "⌊",       "⌋",  "log2",       "ceil",
      "min(", ",",     "√",  "²", "⁻¹",  "=",       "==",     "!=",      "<",  "and",        "or",
      "not",  "!",     "?",  ":", "log", "\\frac{", "}{",     "\\log_2", "$",  "\\pmod{",    "(mod",
      "x",    "math.", "'",  "_", " ",   " ",       "\\left", "e",       "ln", "\\text{mod}"};
  std::mt19937 dice(7);
  const auto below = [&](std::size_t n) { return dice() % n; };
  int read = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    if (round % 4 == 0)
      for (std::size_t left = below(40); left > 0; --left) text += static_cast<char>(below(256));
    else if (round % 4 == 1)
      for (std::size_t left = 1 + below(12); left > 0; --left) text += pieces[below(pieces.size())];
    else  // nearly a formula: values and signs in turn
      for (std::size_t left = 1 + below(6); left > 0; --left)
        text += pieces[below(6)] + ' ' + pieces[6 + below(left > 1 ? pieces.size() - 6 : 13)] +
                ' ' + (left > 1 ? "" : pieces[below(6)]);
    CAPTURE(round, text);
    try {
      const Formula formula(text, names);
      const Values values{{"N", 8}, {"n", 3}, {"i", 2}, {"D", 1000}, {"α", 0.5}};
      const double value = formula.at(values);
      const double again = formula.at(values);
      if (value != again && !(std::isnan(value) && std::isnan(again))) FAIL("two values");
      ++read;
    } catch (const UserError& error) {
      const std::string message = error.what();
      // The evaluator must never meet what our own messages do not explain.
      if (message.empty() || message.find("cannot be read") != std::string::npos) FAIL(message);
    }
  }
  CHECK(read > 500);  // the pieces do make formulas
}
