// Traps the first invalid floating-point operation, and lets the program go on behind it.
#include "engine/capi/not_a_number.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cfenv>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>

#include <dlfcn.h>
#include <ucontext.h>

#include "engine/capi/program_lines.h"
#include "engine/capi/watched.h"

namespace rankscope::capi {
namespace {

/// The first operation, and the stack at it.
struct FirstTrap {
  std::atomic<bool> taken = false;
  std::array<std::uintptr_t, 48> frames{};
  std::size_t depth = 0;
  std::uintptr_t code = 0;
  unsigned char operation = 0;  ///< Its number in the machine's map of two-byte instructions.
};
FirstTrap& first_trap() {
  static auto* const one = new FirstTrap;  // used until the very end of the process
  return *one;
}

constexpr unsigned char kSquareRoot = 0x51, kMultiply = 0x59, kAdd = 0x58, kSubtract = 0x5C,
                        kDivide = 0x5E;

/// The instruction's number; 0 for one that is not of the two-byte map.
unsigned char operation_at(const unsigned char* code) noexcept {
  constexpr unsigned char kPrefixes[] = {0x66, 0xF2, 0xF3};
  if (*code == 0xC5) return code[2];
  if (*code == 0xC4) return code[3];
  while (std::ranges::find(kPrefixes, *code) != std::end(kPrefixes) || (*code & 0xF0U) == 0x40)
    ++code;
  return *code == 0x0F ? code[1] : 0;
}

bool is_debugged() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("TracerPid:")) return line.find_first_of("123456789") != line.npos;
  return false;
}

}  // namespace

void trap_not_a_number() {
#if defined(__x86_64__) && defined(__GLIBC__)
  first_trap();
  if (!is_debugged()) ::feenableexcept(FE_INVALID);
#endif
}

bool take_not_a_number([[maybe_unused]] const siginfo_t& info,
                       [[maybe_unused]] void* context) noexcept {
#if defined(__x86_64__) && defined(__GLIBC__)
  if (info.si_code != FPE_FLTINV) return false;
  auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
  machine.fpregs->mxcsr |= static_cast<unsigned>(FE_INVALID) << 7U;  // the exception's mask
  machine.fpregs->cwd |= FE_INVALID;
  FirstTrap& first = first_trap();
  if (first.taken.exchange(true)) return true;
  first.code = static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
  first.operation = operation_at(reinterpret_cast<const unsigned char*>(first.code));
  first.depth = read_stack(first.frames, first.code);
  return true;
#else
  return false;
#endif
}

void note_not_a_number(int rank, int size) {
  const FirstTrap& first = first_trap();
  constexpr unsigned char kMake[] = {kSquareRoot, kMultiply, kAdd, kSubtract, kDivide};
  if (!first.taken || std::ranges::find(kMake, first.operation) == std::end(kMake)) return;
  Dl_info own{}, theirs{};
  ::dladdr(reinterpret_cast<void*>(&note_not_a_number), &own);
  if (::dladdr(reinterpret_cast<void*>(first.code), &theirs) != 0 &&
      theirs.dli_fbase == own.dli_fbase)
    return;  // a reduction only adds up what the program has made
  const auto lines = lines_of(std::span(first.frames).first(first.depth));
  if (lines.empty()) return;
  note_hint(
      rank, size, lines.front().file, lines.front().line,
      "the first value that is not a number (NaN) arises",
      first.operation == kDivide
          ? "It is 0 / 0 or infinity / infinity, and each result that it goes into is NaN, too."
          : "It comes of a root or logarithm of a negative number, or of infinity, and each "
            "result that it goes into is NaN, too.",
      first.operation == kDivide
          ? "Test the divisor before this line divides by it: a count or a norm may be 0."
          : "Test the value before this line uses it.");
}

}  // namespace rankscope::capi
