// Handlers of exceptions, signals and exit() that leave a rank's run with the reason and its line.
#include "engine/capi/program_end.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <iostream>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <typeinfo>
#include <utility>

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <ucontext.h>
#include <unistd.h>

#include "engine/capi/handles.h"
#include "engine/capi/not_a_number.h"
#include "engine/capi/program_lines.h"
#include "engine/capi/sanitized_memory.h"
#include "engine/capi/watched.h"

namespace rankscope::capi {
namespace {

constexpr std::size_t kMostFrames = 48, kMostCallers = 3;
constexpr int kReportMs = 3'000, kAnswerMs = 1'000;
constexpr int kAskSignal = SIGURG;  // ignored where nobody handles it

struct Stack {
  std::array<std::uintptr_t, kMostFrames> frames{};
  std::size_t depth = 0;
  void read(std::uintptr_t fault = 0) noexcept { depth = read_stack(frames, fault); }
  std::vector<ProgramLine> lines() const { return lines_of(std::span(frames).first(depth)); }
};

/// The exception that a thread threw last.
struct Thrown {
  void* object =
      nullptr;  ///< To compare with only: it may have been caught, and its memory be free.
  std::string words;
  Stack stack;
};
thread_local Thrown thrown;

/// The session whose end is reported. At most one: a process is one rank of a run.
struct Reported {
  const rs_session* session = nullptr;
  std::shared_ptr<Port> port;
  std::string rank;
  std::thread watcher;  ///< Blocked in Port::watch_work.
};
Reported& reported() {
  static auto* const one = new Reported;  // used until the very end of the process
  return *one;
}
std::atomic<bool> is_reported = false;

// ---- Words ----

std::string demangled(const char* name) {
  int status = 0;
  char* const words = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string out = status == 0 ? words : name;
  std::free(words);
  return out;
}

/// Returns the meaning of an exception whose text is only a function's name, as that of std::stoi; or nothing.
std::string_view meaning_of(const std::type_info& type, std::string_view function) {
  constexpr std::string_view kReaders[] = {"stoi",   "stol", "stoll", "stoul",
                                           "stoull", "stof", "stod",  "stold"};
  if (std::ranges::find(kReaders, function) == std::end(kReaders)) return {};
  return type == typeid(std::out_of_range) ? ": the number is too large for its type"
                                           : ": the text does not begin with a number";
}

/// "std::out_of_range: value 2 is out of range"
std::string words_of(const std::type_info& type, void* const thrown_object) {
  std::string out = demangled(type.name());
  void* object = thrown_object;
  if (typeid(std::exception).__do_catch(&type, &object, 1)) {
    const char* const what = static_cast<const std::exception*>(object)->what();
    out += fmt::format(": {}{}", what, meaning_of(type, what));
  } else if (type == typeid(const char*))
    out += std::string(": ") + *static_cast<const char* const*>(thrown_object);
  else if (type == typeid(std::string))
    out += ": " + *static_cast<const std::string*>(thrown_object);
  else if (type == typeid(int))
    out = fmt::format("an int was thrown: {}", *static_cast<const int*>(thrown_object));
  return out;
}

/// Takes down what is thrown while it lives. Does nothing where making its words throws in turn.
void note_thrown(const std::type_info* type, void* object) {
  thread_local bool busy = false;
  if (!is_reported || type == nullptr || std::exchange(busy, true)) return;
  try {
    thrown.object = object;
    thrown.words = words_of(*type, object);
    thrown.stack = {};
    thrown.stack.read();
  } catch (...) {
    thrown.object = nullptr;
  }
  busy = false;
}

std::string text_of(const ProgramLine& at) {
  return fmt::format("{}:{}{}{}", at.file, at.line, at.function.empty() ? "" : " in ", at.function);
}

/// "WORDS (ring.cpp:7 in shift(int), called from ring.cpp:12 in main)"
std::string with_lines(std::string words, const std::vector<ProgramLine>& lines) {
  for (std::size_t i = 0; i < lines.size() && i <= kMostCallers; ++i)
    words += (i == 0 ? " (" : ", called from ") + text_of(lines[i]);
  return lines.empty() ? words : words + ")";
}

/// The condition of the standard library's that failed: "__n < this->size()"; null if none did.
const char* failed_check = nullptr;

/// The words with which the library of C aborts: "ring: ring.cpp:7: int main(): Assertion `n > 0' failed."
std::string words_of_abort() {
  if (failed_check != nullptr)
    return fmt::format("SIGABRT: a check of the standard library failed: {}", failed_check);
  struct Message {
    unsigned size;
    char text[1];
  };
  static const auto* const last =
      static_cast<const Message* const*>(::dlsym(RTLD_DEFAULT, "__abort_msg"));
  if (last == nullptr || *last == nullptr) return "SIGABRT: it called abort()";
  std::string words = (*last)->text;
  while (words.ends_with('\n')) words.pop_back();
  return "SIGABRT: " + words;
}

std::string words_of_signal(int number, int code) {
  switch (number) {
    case SIGSEGV: return "SIGSEGV: it used memory that it does not have";
    case SIGBUS: return "SIGBUS: it used memory that it does not have";
    case SIGILL: return "SIGILL: an instruction that there is not";
    case SIGFPE: return code == FPE_INTDIV ? "SIGFPE: it divided by zero" : "SIGFPE: arithmetic";
    default: return words_of_abort();
  }
}

// ---- The report ----

/// Writes the reason under the rank's label: several ranks share one screen.
void show(const std::string& rank, const std::string& words,
          const std::vector<ProgramLine>& lines) {
  std::string text = fmt::format("[rank {}] {}\n", rank, words);
  for (const ProgramLine& at : lines) text += fmt::format("[rank {}]   {}\n", rank, text_of(at));
  for (std::string_view left = text; !left.empty();) {
    const ssize_t written = ::write(STDERR_FILENO, left.data(), left.size());
    if (written <= 0) return;
    left.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Leaves the run with the reason, unless another thread does it or the program has left.
void report(const std::string& words, const std::vector<ProgramLine>& lines,
            bool may_join = true) noexcept try {
  if (!is_reported.exchange(false)) return;
  show(reported().rank, words, lines);
  if (may_join) reported().port->leave(false, with_lines(words, lines));
  else reported().port->fail(with_lines(words, lines));
} catch (const std::exception&) {  // the conductor sees that this rank is gone
}

/// Ends the process without a reason of its own: why the run ended is reported for all ranks.
[[noreturn]] void end_quietly() {
  if (is_reported.exchange(false)) guarded(nullptr, [] { reported().port->leave(false, {}); });
  ::_exit(1);
}

std::terminate_handler earlier_handler = nullptr;

[[noreturn]] void on_terminate() {
  const bool ours = is_reported;
  if (ours) {
    std::cout.flush();
    std::fflush(stdout);
    Stack here;
    here.read();
    const std::type_info* const type = abi::__cxa_current_exception_type();
    const std::exception_ptr now = std::current_exception();
    void* object = nullptr;
    std::memcpy(&object, &now, sizeof object);
    if (type == nullptr || object == nullptr)
      report(
          "std::terminate() was called: no exception was thrown, so a std::thread was probably "
          "destroyed before its join()",
          here.lines());
    else if (last_code() == RS_STOPPED) end_quietly();
    else if (object == thrown.object) report(thrown.words, thrown.stack.lines());
    else report(words_of(*type, object), here.lines());
  }
  if (earlier_handler != nullptr &&
      !(ours && earlier_handler == &__gnu_cxx::__verbose_terminate_handler))
    earlier_handler();
  std::abort();
}

void on_end(int status, void*) {
  if (!is_reported) return;
  Stack here;
  here.read();
  const auto lines = here.lines();
  if (status != 0)
    return report(lines.empty() ? fmt::format("it ended with exit code {}: main returned it, or "
                                              "exit() was called (-g shows the line)",
                                              status)
                                : fmt::format("exit({}) was called", status),
                  lines);
  if (is_reported.exchange(false))
    guarded(nullptr, [] {
      note_caught(*reported().session);
      reported().port->leave(true, {});
    });
}

// ---- Sanitizers ----

template <class Function>
Function* function_of(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

/// The words of the sanitizer of undefined behaviour, which are there only while it reports.
std::string undefined_behaviour;

/// "AddressSanitizer: heap-buffer-overflow"; its report stands on standard error.
std::string words_of_sanitizer() {
  using Description = const char*();
  using Present = int();
  if (auto* const present = function_of<Present>("__asan_report_present");
      present != nullptr && present() != 0)
    return fmt::format("AddressSanitizer: {}{}{}",
                       function_of<Description>("__asan_get_report_description")(),
                       words_of_lost_array().empty() ? "" : ": ", words_of_lost_array());
  if (!undefined_behaviour.empty()) return "UndefinedBehaviorSanitizer: " + undefined_behaviour;
  if (function_of<void()>("__tsan_get_report_data") != nullptr)
    return "ThreadSanitizer: two threads used the same memory at once, or it has found another "
           "fault: its report stands above";
  return "a sanitizer ended it: its report stands above";
}

void on_sanitizer_end() {
  // The fault may lie in a call of ours, whose locks are never free again. The thread sanitizer neither starts a thread
  // now nor lets one end.
  const bool threads = function_of<void()>("__tsan_get_report_data") != nullptr;
  if (threads) {
    sigevent at_last{};
    at_last.sigev_notify = SIGEV_SIGNAL;
    at_last.sigev_signo = SIGKILL;
    timer_t timer{};
    const itimerspec limit{.it_interval = {},
                           .it_value = {.tv_sec = 2 * kReportMs / 1'000, .tv_nsec = 0}};
    if (::timer_create(CLOCK_MONOTONIC, &at_last, &timer) == 0)
      ::timer_settime(timer, 0, &limit, nullptr);
  } else {
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(kReportMs));
      ::_exit(1);
    }).detach();
  }
  Stack here;
  here.read();
  if (is_reported && !words_of_lost_array().empty()) {
    const auto& comm = reported().session->world.comm;
    guarded(nullptr, [&] {
      note_advice(comm->rank(), comm->size(), "", "The request still uses that array.",
                  "Keep the array until the request's wait, as in one object with the request.");
    });
  }
  report(words_of_sanitizer(), here.lines(), !threads);
}

// ---- Signals ----

/// A thread's addresses when a signal came; zeros on unknown machines.
struct Registers {
  std::uintptr_t code = 0, stack = 0;
};
Registers registers_in(void* context) noexcept {
  [[maybe_unused]] const auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return {static_cast<std::uintptr_t>(machine.gregs[REG_RIP]),
          static_cast<std::uintptr_t>(machine.gregs[REG_RSP])};
#elif defined(__aarch64__)
  return {static_cast<std::uintptr_t>(machine.pc), static_cast<std::uintptr_t>(machine.sp)};
#else
  return {};
#endif
}

/// Returns whether memory that cannot be used lies where the stack would grow.
bool is_near(std::uintptr_t address, std::uintptr_t stack) noexcept {
  constexpr std::uintptr_t kFrame = 64 * 1024;
  return stack != 0 && address + kFrame > stack && address < stack + kFrame;
}

bool wait_for(int descriptor, int ms) noexcept {
  pollfd item{descriptor, POLLIN, 0};
  return ::poll(&item, 1, ms) > 0;
}

void ring(int descriptor) noexcept {
  const std::uint64_t one = 1;
  (void)!::write(descriptor, &one, sizeof one);
}

/// A signal that ends the process. Its handler may do little, so a thread that waits for it reports it.
struct Crash {
  const int happened = ::eventfd(0, EFD_CLOEXEC), is_told = ::eventfd(0, EFD_CLOEXEC);
  const pid_t process = ::getpid();
  pthread_t reporter{};
  std::atomic<bool> taken = false;
  int number = 0, code = 0;
  const char* cause = nullptr;  ///< Words that say more than the signal's, and need no advice.
  Stack stack;
};
Crash* crash = nullptr;

void on_crash(int number, siginfo_t* info, void* context) {
  if (number == SIGFPE && take_not_a_number(*info, context)) return;
  if (is_reported && ::getpid() == crash->process &&
      ::pthread_equal(::pthread_self(), crash->reporter) == 0) {
    if (!crash->taken.exchange(true)) {
      crash->number = number;
      crash->code = info->si_code;
      const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
      if (number == SIGSEGV && is_near(address, registers_in(context).stack))
        crash->cause = "SIGSEGV: its stack is full: does a function call itself without end?";
      else if (number == SIGSEGV && info->si_code == SEGV_MAPERR && address < 4096)
        crash->cause = "SIGSEGV: it used a null pointer";
      crash->stack.read(number == SIGABRT ? 0 : registers_in(context).code);
      ring(crash->happened);
    }
    wait_for(crash->is_told, kReportMs);
  }
  std::signal(number, SIG_DFL);
  std::raise(number);  // on return from here
}

/// Returns whether the library of C aborts because its heap is damaged.
bool is_of_heap(std::string_view notice) {
  constexpr std::string_view kBegins[] = {
      "free()",      "malloc",         "realloc()",      "corrupted",
      "double free", "munmap_chunk()", "break adjusted", "Fatal glibc error: malloc"};
  notice.remove_prefix(std::min(notice.size(), std::string_view("SIGABRT: ").size()));
  return std::ranges::any_of(kBegins, [&](auto begin) { return notice.starts_with(begin); });
}

/// Notes how to find the line that overwrites memory: the crash comes later, at another one.
void advise(int number, const std::string& words) noexcept try {
  const bool heap = number == SIGABRT && failed_check == nullptr && is_of_heap(words);
  if (!heap && number != SIGSEGV && number != SIGBUS) return;
  const auto& comm = reported().session->world.comm;
  note_advice(comm->rank(), comm->size(), "",
              heap ? "Memory was overwritten before this line, as by a write past the end of an "
                     "array; the next allocation only notices it."
                   : "",
              heap ? "Run the .cpp file again with --sanitize address, which names the line that "
                     "writes there."
                   : "Check the pointers and the indices of this line. Are they right? Then memory "
                     "was overwritten before: run the .cpp file again with --sanitize address, "
                     "which names that line.");
} catch (const std::exception&) {  // no memory: the report goes without advice
}

void report_crash() {
  name_own_thread();
  while (!wait_for(crash->happened, -1)) {
  }
  const std::string words =
      crash->cause != nullptr ? crash->cause : words_of_signal(crash->number, crash->code);
  if (is_reported && crash->cause == nullptr) advise(crash->number, words);
  report(words, crash->stack.lines());
  ring(crash->is_told);
}

void handle(int number, void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction now {};
  ::sigaction(number, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL) return;  // a sanitizer's
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | flags;
  ::sigaction(number, &action, nullptr);
}

/// The stack of the program's thread, which a signal makes it read.
struct Sample {
  const pthread_t thread = ::pthread_self();
  const int taken = ::eventfd(0, EFD_CLOEXEC);
  Stack stack;
};
Sample* sample = nullptr;

void on_ask(int, siginfo_t*, void* context) {
  const int error = errno;
  sample->stack.read(registers_in(context).code);
  ring(sample->taken);
  errno = error;
}

void watch(const std::shared_ptr<Port>& port) {
  name_own_thread();
  port->watch_work([](const Port::Told& tell) {
    if (::pthread_kill(sample->thread, kAskSignal) != 0 || !wait_for(sample->taken, kAnswerMs))
      return;
    const auto lines = sample->stack.lines();
    std::vector<CallSite> calls;
    for (const ProgramLine& at : lines)
      if (calls.size() < RS_STACK)
        calls.push_back({kept(at.file.c_str()), kept(at.function.c_str()), at.line});
    if (!calls.empty()) tell(Site(std::span<const CallSite>(calls)));
  });
}

// Once for the process.
void install_handlers() {
  Stack first;
  first.read();  // loads what a handler must not load
  crash = new Crash;
  std::thread reporter(report_crash);
  crash->reporter = reporter.native_handle();
  reporter.detach();
  constexpr std::size_t kStack = 64 * 1024;  // for a stack that has overflowed
  const stack_t other{.ss_sp = std::malloc(kStack), .ss_flags = 0, .ss_size = kStack};
  if (other.ss_sp != nullptr) ::sigaltstack(&other, nullptr);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    handle(number, on_crash, SA_ONSTACK);
  struct sigaction of_arithmetic {};
  ::sigaction(SIGFPE, nullptr, &of_arithmetic);
  if (of_arithmetic.sa_sigaction == on_crash) trap_not_a_number();
  sample = new Sample;
  handle(kAskSignal, on_ask, SA_RESTART);
  using AtEnd = void(void (*)());
  constexpr const char* kAtEnd = "__sanitizer_set_death_callback";
  if (auto* const at_end = function_of<AtEnd>(kAtEnd)) at_end(on_sanitizer_end);
  // With two sanitizers each runtime has its own; the first one hides the other.
  if (void* const second = ::dlopen("libubsan.so.1", RTLD_LAZY | RTLD_NOLOAD))
    if (auto* const at_end = reinterpret_cast<AtEnd*>(::dlsym(second, kAtEnd)))
      at_end(on_sanitizer_end);
  earlier_handler = std::set_terminate(on_terminate);
  ::on_exit(on_end, nullptr);
  ::pthread_atfork(nullptr, nullptr, [] { is_reported = false; });  // a child is no rank
}

}  // namespace

void report_end_of(rs_session* session) {
  if (is_reported || session->world.comm == nullptr || !session->port->runs_program()) return;
  static std::once_flag once;
  std::call_once(once, install_handlers);
  Reported& one = reported();
  one.session = session;
  one.port = session->port;
  one.rank = std::to_string(session->world.comm->rank());
  one.watcher = std::thread(watch, session->port);
  look_at_threads();
  is_reported = true;
}

bool take_over_end(const rs_session* session) noexcept {
  return session != reported().session || is_reported.exchange(false);
}

void has_left(const rs_session* session) noexcept {
  Reported& one = reported();
  if (session != one.session) return;
  one.watcher.join();
  one.session = nullptr;
  one.port.reset();
}

void note_undefined_behaviour(const char* words) { undefined_behaviour = words; }
void note_failed_check(const char* condition) { failed_check = condition; }

void note_caught(const rs_session& session) {
  note_not_a_number(session.world.comm->rank(), session.world.comm->size());
  const std::string_view type = thrown.words;  // its words begin with its type
  // Our own library throws and catches these.
  const bool ours = type.starts_with("rankscope::") && !type.starts_with("rankscope::Error");
  if (thrown.object == nullptr || ours || type.starts_with("nlohmann::")) return;
  const auto& comm = *session.world.comm;
  note_advice(comm.rank(), comm.size(), "it had caught " + last_exception(),
              "The rest of its try block after that line was skipped.",
              "Correct the line that threw, or make the skipped calls in the handler, too. A rank "
              "that gives up has to end the others: let the exception leave main (throw;).");
}

std::string last_exception() {
  if (thrown.object == nullptr) return {};
  return with_lines(thrown.words, thrown.stack.lines());
}

}  // namespace rankscope::capi

/// Stands before the runtime's own, which prints the condition and aborts.
extern "C" [[noreturn]] __attribute__((visibility("default"))) void rankscope_check_failed(
    const char* file, int line, const char* function,
    const char* condition) __asm__("_ZSt21__glibcxx_assert_failPKciS0_S0_");

void rankscope_check_failed(const char* file, int line, const char* function,
                            const char* condition) {
  rankscope::capi::note_failed_check(condition);
  static const auto runtime = reinterpret_cast<decltype(&rankscope_check_failed)>(
      ::dlsym(RTLD_NEXT, "_ZSt21__glibcxx_assert_failPKciS0_S0_"));
  if (runtime != nullptr) runtime(file, line, function, condition);
  std::abort();
}

/// Called by the sanitizer of undefined behaviour with each report.
extern "C" __attribute__((visibility("default"))) void __ubsan_on_report();

void __ubsan_on_report() {  // NOLINT(bugprone-reserved-identifier)
  using Data = void(const char**, const char**, const char**, unsigned*, unsigned*, char**);
  auto* const data =
      reinterpret_cast<Data*>(::dlsym(RTLD_DEFAULT, "__ubsan_get_current_report_data"));
  if (data == nullptr) return;
  const char *kind = nullptr, *message = nullptr, *file = nullptr;
  unsigned line = 0, column = 0;
  char* memory = nullptr;
  data(&kind, &message, &file, &line, &column, &memory);
  if (message != nullptr) rankscope::capi::note_undefined_behaviour(message);
}

/// Stands before the runtime's own, because where an exception is caught, as in a good main(), its origin is lost.
extern "C" [[noreturn]] __attribute__((visibility("default"))) void rankscope_throw(
    void* object, std::type_info* type, void (*destructor)(void*)) __asm__("__cxa_throw");

void rankscope_throw(void* object, std::type_info* type, void (*destructor)(void*)) {
  using namespace rankscope::capi;
  note_thrown(type, object);
  static const auto runtime =
      reinterpret_cast<decltype(&rankscope_throw)>(::dlsym(RTLD_NEXT, "__cxa_throw"));
  runtime(object, type, destructor);
  __builtin_unreachable();
}

/// Stands before the runtime's own, as above: std::future::get() and the like throw by it what another thread has thrown.
/// The argument is passed by the address of a copy.
extern "C" [[noreturn]] __attribute__((visibility("default"))) void rankscope_rethrow(
    std::exception_ptr* one) __asm__("_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE");

void rankscope_rethrow(std::exception_ptr* one) {
  void* object = nullptr;
  std::memcpy(&object, one, sizeof object);
  rankscope::capi::note_thrown(one->__cxa_exception_type(), object);
  static const auto runtime = reinterpret_cast<decltype(&rankscope_rethrow)>(
      ::dlsym(RTLD_NEXT, "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE"));
  runtime(one);
  __builtin_unreachable();
}
