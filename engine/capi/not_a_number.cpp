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
#include <string_view>
#include <utility>

#include <dlfcn.h>
#include <fmt/format.h>
#include <ucontext.h>

#include "engine/capi/program_lines.h"
#include "engine/capi/watched.h"

namespace rankscope::capi {
namespace {

/// The first operation that makes such a value of numbers, and the stack, which begins at it.
struct FirstTrap {
  std::atomic<bool> taken = false;
  std::array<std::uintptr_t, 48> frames{};
  std::size_t depth = 0;
  /// Its number in the machine's map of two-byte instructions; 0 until all else is written.
  std::atomic<unsigned char> operation = 0;
};
FirstTrap& first_trap() {
  static auto* const one = new FirstTrap;  // used until the very end of the process
  return *one;
}

struct Words {
  std::string_view why, advice;
};
constexpr std::string_view kInfinite =
    "Find out where the infinity comes from: a division by 0, or a number that grows without "
    "bound.";
constexpr std::pair<unsigned char, Words> kOperations[] = {
    {0x51, {"the root of a negative number", "Test the number before this line takes its root."}},
    {0x58, {"infinity + -infinity", kInfinite}},
    {0x59, {"0 * infinity", kInfinite}},
    {0x5C, {"infinity - infinity", kInfinite}},
    {0x5E,
     {"0 / 0 or infinity / infinity",
      "Test the divisor before this line divides by it: a count or a norm may be 0."}},
};
constexpr Words kOfLibrary{
    "what a function of <cmath> returns where it has no result, as log(-1), acos(2), pow(-1, 0.5)",
    "Test the number before this line passes it to the function."};

/// The words on the operation of this number; null for one that makes no NaN of numbers, as a comparison.
const Words* words_of(unsigned char operation) noexcept {
  const auto* const at =
      std::ranges::find(kOperations, operation, [](auto& one) { return one.first; });
  return at == std::end(kOperations) ? nullptr : &at->second;
}

/// The instruction's number; 0 for one that is not of the two-byte map.
unsigned char operation_at(const unsigned char* code) noexcept {
  constexpr unsigned char kPrefixes[] = {0x66, 0xF2, 0xF3};
  if (*code == 0xC5) return code[2];
  if (*code == 0xC4) return code[3];
  while (std::ranges::find(kPrefixes, *code) != std::end(kPrefixes) || (*code & 0xF0U) == 0x40)
    ++code;
  return *code == 0x0F ? code[1] : 0;
}

#if defined(__x86_64__) && defined(__GLIBC__)
constexpr greg_t kSingleStep = 0x100;
constexpr unsigned kMaskShift = 7;  // of the exceptions' masks in MXCSR

/// Sets the trap again behind an operation that was passed by.
void on_step(int, siginfo_t*, void* context) {
  auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
  constexpr auto kInvalid = static_cast<unsigned>(FE_INVALID);
  machine.gregs[REG_EFL] &= ~kSingleStep;
  machine.fpregs->mxcsr &= ~(kInvalid << kMaskShift | kInvalid);
  machine.fpregs->swd &= static_cast<std::uint16_t>(~kInvalid);
  machine.fpregs->cwd &= static_cast<std::uint16_t>(~kInvalid);
}
#endif

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
  if (is_debugged()) return;
  struct sigaction step {};
  step.sa_sigaction = on_step;
  step.sa_flags = SA_SIGINFO;
  ::sigaction(SIGTRAP, &step, nullptr);
  ::feenableexcept(FE_INVALID);
#endif
}

bool take_not_a_number([[maybe_unused]] const siginfo_t& info,
                       [[maybe_unused]] void* context) noexcept {
#if defined(__x86_64__) && defined(__GLIBC__)
  if (info.si_code != FPE_FLTINV) return false;
  auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
  machine.fpregs->mxcsr |= static_cast<unsigned>(FE_INVALID) << kMaskShift;
  machine.fpregs->cwd |= FE_INVALID;
  const auto code = static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
  const auto operation = operation_at(reinterpret_cast<const unsigned char*>(code));
  FirstTrap& first = first_trap();
  static std::atomic<int> passed = 0;
  constexpr int kMostPassed = 1'000;  // a loop may compare with NaN without end
  if (words_of(operation) == nullptr) {
    if (++passed <= kMostPassed) machine.gregs[REG_EFL] |= kSingleStep;
  } else if (!first.taken.exchange(true)) {
    first.depth = read_stack(first.frames, code);
    first.operation = operation;
  }
  return true;
#else
  return false;
#endif
}

void note_not_a_number(int rank, int size) {
  const FirstTrap& first = first_trap();
  const unsigned char operation = first.operation;
  if (operation == 0) return;
  Dl_info own{}, theirs{};
  ::dladdr(reinterpret_cast<void*>(&note_not_a_number), &own);
  const bool known = ::dladdr(reinterpret_cast<void*>(first.frames.front()), &theirs) != 0;
  if (known && theirs.dli_fbase == own.dli_fbase)
    return;  // a reduction only adds up what the program has made
  const auto lines = lines_of(std::span(first.frames).first(first.depth));
  if (lines.empty()) return;
  const bool of_library =
      known && std::string_view(theirs.dli_fname).find("/libm.") != std::string_view::npos;
  const Words& words = of_library ? kOfLibrary : *words_of(operation);
  note_hint(rank, size, lines.front().file, lines.front().line,
            "the first value that is not a number (NaN) arises",
            fmt::format("It is {}, and each result that it goes into is NaN, too.", words.why),
            std::string(words.advice));
}

}  // namespace rankscope::capi
