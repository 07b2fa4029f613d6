// The place where a verb was called: a line of this program, or of one in another language.
#pragma once

#include <source_location>
#include <span>

#include "engine/core/base/error.h"

namespace rankscope {

class Site {
 public:
  Site(const std::source_location& where) noexcept : where_(where) {}  // NOLINT: default arguments
  /// The lines that led to the call, innermost first. The list lives as long as the call, its texts as long as the
  /// program.
  explicit Site(std::span<const CallSite> stack) noexcept : stack_(stack) {}

  /// If empty, `where` is the place.
  std::span<const CallSite> stack() const noexcept { return stack_; }
  const std::source_location& where() const noexcept { return where_; }
  CallSite call_site() const noexcept {
    return stack_.empty() ? CallSite::from(where_) : stack_.front();
  }

 private:
  std::source_location where_;
  std::span<const CallSite> stack_;
};

}  // namespace rankscope
