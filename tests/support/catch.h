// Includes Catch2, of release 2 or 3, under one set of names.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tests/support/wait_limit.h"

// Catch2 moved its headers and renamed this matcher between its releases 2 and 3; tests include
// this file.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using CaseBody = Catch::Detail::unique_ptr<Catch::ITestInvoker>;
#else
#include <catch2/catch.hpp>
inline auto ContainsSubstring(const std::string& text) { return Catch::Matchers::Contains(text); }
using CaseBody = Catch::ITestInvoker*;
#endif

namespace rankscope::test {

inline bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Registers a test case whose name is computed: one for each row of a table, called before main().
inline void add_case(const std::string& name, const std::string& tags, std::function<void()> body) {
  struct Body final : Catch::ITestInvoker {
    explicit Body(std::function<void()> run) : run_(std::move(run)) {}
    void invoke() const override { run_(); }
    std::function<void()> run_;
  };
  const Catch::AutoReg registered(CaseBody(new Body(std::move(body))), CATCH_INTERNAL_LINEINFO,
                                  Catch::StringRef(), Catch::NameAndTags(name, tags));
}

}  // namespace rankscope::test
