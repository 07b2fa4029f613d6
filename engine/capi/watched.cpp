// Keeps the allocations and the watched arrays of a program in C++, and notes the latter's values for the judgement of its run.
#include "engine/capi/watched.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/uio.h>
#include <unistd.h>

#include "engine/capi/program_threads.h"
#include "engine/core/base/collective.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/types.h"
#include "engine/core/run/handed.h"

namespace rankscope::capi {
namespace {

constexpr std::size_t kLeast = 4, kMost = 200'000;  // bytes of one, and their number
constexpr std::size_t kMostFilled = 64 * 1024;

/// Memory for the table itself, which is not to appear in it.
template <class T>
struct Malloc {
  using value_type = T;
  Malloc() = default;
  template <class U>
  Malloc(const Malloc<U>&) noexcept {}  // NOLINT(google-explicit-constructor)
  T* allocate(std::size_t count) {
    void* const memory = std::malloc(count * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) noexcept { std::free(memory); }
  bool operator==(const Malloc&) const = default;
};

struct Table {
  std::mutex mutex;
  std::map<std::byte*, std::size_t, std::less<>, Malloc<std::pair<std::byte* const, std::size_t>>>
      sizes;
  std::atomic<void (*)(const Allocation&)> freeing = nullptr;
};

Table* table() noexcept {
  // A program that is linked against this library sees its functions; one that loads it for itself does not.
  static Table* const one = [] {
    const bool in_run =
        std::getenv("RANKSCOPE_EXEC") != nullptr || std::getenv("RANKSCOPE_AGENT") != nullptr;
    void* const memory = in_run && ::dlsym(RTLD_DEFAULT, "rs_join") != nullptr
                             ? std::malloc(sizeof(Table))
                             : nullptr;
    return memory == nullptr ? nullptr : new (memory) Table;
  }();
  return one;
}

void* allocated(std::size_t size) {
  void* memory = nullptr;
  while ((memory = std::malloc(size == 0 ? 1 : size)) == nullptr) {
    const auto handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
  if (size < kLeast || in_own_code()) return memory;
  if (Table* const known = table()) {
    std::memset(memory, static_cast<int>(kUnwritten), std::min(size, kMostFilled));
    const std::lock_guard lock(known->mutex);
    if (known->sizes.size() < kMost)
      known->sizes.insert_or_assign(static_cast<std::byte*>(memory), size);
  }
  return memory;
}

void freed(void* memory) noexcept {
  Table* const known = memory == nullptr || in_own_code() ? nullptr : table();
  if (known != nullptr) {
    Allocation gone;
    {
      const std::lock_guard lock(known->mutex);
      const auto at = known->sizes.find(static_cast<std::byte*>(memory));
      if (at != known->sizes.end()) {
        gone = {at->first, at->second};
        known->sizes.erase(at);
      }
    }
    auto* const freeing = known->freeing.load();
    if (gone.data != nullptr && freeing != nullptr) freeing(gone);
  }
  std::free(memory);
}

}  // namespace

std::optional<Allocation> allocation_of(const void* data, std::size_t bytes) noexcept {
  Table* const known = table();
  if (known == nullptr || data == nullptr) return std::nullopt;
  auto* const first = static_cast<std::byte*>(const_cast<void*>(data));
  const std::lock_guard lock(known->mutex);
  auto at = known->sizes.upper_bound(first);
  if (at == known->sizes.begin()) return std::nullopt;
  --at;
  if (first + bytes > at->first + at->second) return std::nullopt;
  return Allocation{at->first, at->second};
}

void on_free(void (*freeing)(const Allocation&)) noexcept {
  if (Table* const known = table()) known->freeing = freeing;
}

namespace {

using nlohmann::json;
constexpr std::size_t kMostWatched = 256, kMostValues = 65'536;

struct Watched {
  rs_memory memory{};
  void* owner = nullptr;  ///< A vector that may get other memory (see rs_watch_values()).
  std::string name;
  // For `exec --as`; no values where it is not asked for, or they are too many.
  std::string type, file;
  unsigned line = 0;
  unsigned written_line = 0;  ///< Of the last message that was received into it.
  bool carried = false;       ///< By a message or a collective.
  bool sent = false;          ///< Carried by a send or a receive.
  bool filled = false;        ///< With the result of a built-in collective.
  bool late = false;          ///< First watched after messages: it begins with what they brought.
  bool freed = false;
  std::vector<double> begin;
  std::optional<std::vector<double>> end;

  std::size_t bytes() const noexcept {
    return memory.count * dtype_size(static_cast<DType>(memory.dtype));
  }
  const std::byte* data() const noexcept { return static_cast<const std::byte*>(memory.data); }
  bool holds(const rs_memory& part, std::size_t size) const noexcept {
    const auto* const first = static_cast<const std::byte*>(part.data);
    return part.dtype == memory.dtype && first >= data() && first + size <= data() + bytes() &&
           static_cast<std::size_t>(first - data()) %
                   dtype_size(static_cast<DType>(memory.dtype)) ==
               0;
  }
};

/// The lines and names of message verbs and collectives.
struct Verbs {
  std::vector<std::pair<unsigned, std::string>> first;
  unsigned last_line = 0;
  bool carried = false;  ///< One had data.
};
constexpr std::size_t kMostVerbs = 400;

std::mutex mutex;
thread_local bool locked = false;

/// Holds the list. What is freed meanwhile is no array of the program.
class Locked {
 public:
  Locked() : lock_(mutex) { locked = true; }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() { locked = false; }

 private:
  const std::lock_guard<std::mutex> lock_;
};

std::vector<Watched>& all() {
  static auto* const list = new std::vector<Watched>;  // used until the very end of the process
  return *list;
}

Verbs& verbs() {
  static auto* const list = new Verbs;
  return *list;
}

template <class T>
std::vector<double> numbers(const std::byte* data, std::size_t bytes) {
  std::vector<double> out(bytes / sizeof(T));
  for (std::size_t i = 0; i < out.size(); ++i) {
    T one;
    std::memcpy(&one, data + i * sizeof(T), sizeof(T));
    out[i] = static_cast<double>(one);
  }
  return out;
}

/// Calls with the array's element type.
template <class Call>
auto typed(const Watched& one, Call call) {
  if (one.type == "int8") return call.template operator()<std::int8_t>();
  if (one.type == "uint8") return call.template operator()<std::uint8_t>();
  if (one.type == "int16") return call.template operator()<std::int16_t>();
  if (one.type == "uint16") return call.template operator()<std::uint16_t>();
  if (one.type == "int32") return call.template operator()<std::int32_t>();
  if (one.type == "uint32") return call.template operator()<std::uint32_t>();
  if (one.type == "int64") return call.template operator()<std::int64_t>();
  if (one.type == "uint64") return call.template operator()<std::uint64_t>();
  if (one.type == "float32") return call.template operator()<float>();
  return call.template operator()<double>();
}

std::vector<double> values_of(const Watched& one) {
  return typed(one, [&]<class T>() { return numbers<T>(one.data(), one.bytes()); });
}

/// A number that no other rank and no other element has, with so few bits that sums over all ranks are exact (as in
/// lessons/python/rankscope/_values.py).
std::uint32_t telling(int rank, std::size_t element, int bits) {
  std::uint32_t mixed = static_cast<std::uint32_t>(rank + 1) * 0x9E3779B1U +
                        static_cast<std::uint32_t>(element + 1) * 0x85EBCA77U;
  mixed ^= mixed >> 15U;
  mixed *= 0xC2B2AE3DU;
  mixed ^= mixed >> 13U;
  return 1 + (mixed & ((1U << static_cast<unsigned>(bits)) - 1));
}

void tell(const Watched& one, int rank) {
  typed(one, [&]<class T>() {
    const int bits = sizeof(T) == 1 ? 3 : sizeof(T) == 2 ? 6 : std::is_integral_v<T> ? 14 : 18;
    for (std::size_t e = 0; e < one.memory.count; ++e) {
      const auto value = static_cast<T>(telling(rank, e, bits));
      std::memcpy(static_cast<std::byte*>(one.memory.data) + e * sizeof(T), &value, sizeof(T));
    }
  });
}

bool is_second_run() { return std::getenv("RANKSCOPE_TELLING") != nullptr; }
const char* named_data() { return std::getenv("RANKSCOPE_DATA"); }

/// Goes along with a vector that was swapped or assigned by a move, and leaves one that was moved from or is gone.
void follow_owner(Watched& one) {
  if (one.owner == nullptr) return;
  std::byte* now = nullptr;
  const iovec into{&now, sizeof(now)}, from{one.owner, sizeof(now)};
  if (::process_vm_readv(::getpid(), &into, 1, &from, 1, 0) == sizeof(now) && now == one.data())
    return;
  const auto found = allocation_of(now, one.bytes());
  if (!one.freed && found && found->data == now) one.memory.data = one.memory.array = now;
  else one.owner = nullptr;
}

/// The last moment at which a vector's elements can be read.
void before_free(const Allocation& gone) {
  if (locked) return;
  const Locked lock;
  for (Watched& one : all()) {
    const auto is_in = [&] {
      return one.data() >= gone.data && one.data() + one.bytes() <= gone.data + gone.bytes;
    };
    if (one.freed || one.type.empty() || !is_in()) continue;
    follow_owner(one);
    if (!is_in()) continue;
    one.end = values_of(one);
    one.freed = true;
  }
}

bool lives(const Watched& one) {
  Dl_info info{};
  return !one.freed && !one.type.empty() &&
         (allocation_of(one.memory.data, one.bytes()) || ::dladdr(one.memory.data, &info) != 0);
}

const char* notes_folder() { return std::getenv("RANKSCOPE_NOTES"); }

/// Writes a line to the notes of a run that keeps some.
void append(int rank, int size, json note) {
  if (notes_folder() == nullptr) return;
  note.update({{"rank", rank}, {"size", size}, {"key", ""}});
  std::ofstream(fmt::format("{}/{}.jsonl", notes_folder(), ::getpid()), std::ios::app)
      << dump_json(note) << '\n';
}

json json_of_values(const std::vector<double>& values) {
  json out = json::array();
  for (const double value : values) out.push_back(std::isfinite(value) ? json(value) : json());
  return out;
}

}  // namespace

rs_memory located(const rs_memory& memory) noexcept {
  if (memory.dims != 0 || memory.count == 0 || memory.data == nullptr || memory.dtype < 0 ||
      memory.dtype > RS_FLOAT64)
    return memory;
  const std::size_t size = dtype_size(static_cast<DType>(memory.dtype));
  rs_memory out = memory;
  const auto lies_in = [&](void* array, std::size_t bytes) {
    out.array = array;
    out.dims = 1;
    out.shape[0] = static_cast<std::int64_t>(bytes / size);
  };
  {
    const Locked lock;
    for (const Watched& one : all())
      if (one.holds(memory, memory.count * size)) {
        lies_in(one.memory.data, one.bytes());
        return out;
      }
  }
  const auto found = allocation_of(memory.data, memory.count * size);
  if (found &&
      static_cast<std::size_t>(static_cast<std::byte*>(memory.data) - found->data) % size == 0)
    lies_in(found->data, found->bytes);
  return out;
}

void watch_memory(const rs_memory& memory) {
  if (memory.name == nullptr || memory.count == 0) return;
  const Locked lock;
  std::ranges::for_each(all(), follow_owner);
  const auto known = ranges::find_if(all(), [&](const Watched& one) {
    return one.memory.data == memory.data && one.name == memory.name;
  });
  Watched& one = known != all().end()          ? *known
                 : all().size() < kMostWatched ? all().emplace_back()
                                               : all().front();
  one.memory = memory;
  one.name = memory.name;
}

void watch_values(const rs_memory& memory, const std::string& type, const Site& where, int rank) {
  if (notes_folder() == nullptr || memory.count > kMostValues || where.stack().empty()) return;
  static const bool once = (on_free(before_free), true);
  (void)once;
  const Locked lock;
  for (Watched& one : all()) {
    if (one.memory.data != memory.data || one.name != memory.name) continue;
    const bool first = one.file.empty();
    one.type = type;
    one.owner = memory.array != memory.data ? memory.array : nullptr;
    one.freed = false;
    if (first) one.late = verbs().carried;
    const char* const named = named_data();
    if (first && !one.late && is_second_run() && named != nullptr && one.name == named)
      tell(one, rank);
    auto values = values_of(one);
    one.file = where.stack().front().file;
    one.line = where.stack().front().line;
    if (first) one.begin = std::move(values);
    else one.end = std::move(values);
  }
}

void note_verb(const char* name, const Site& where, const rs_memory* given,
               const rs_memory* taken) {
  static const bool asked =
      std::getenv("RANKSCOPE_AS") != nullptr && *std::getenv("RANKSCOPE_AS") != '\0';
  if (!asked || name == nullptr || where.stack().empty()) return;
  const Locked lock;
  verbs().last_line = where.stack().front().line;
  if (verbs().first.size() < kMostVerbs) verbs().first.emplace_back(verbs().last_line, name);
  const auto any = [](const rs_memory* part) { return part != nullptr && part->count > 0; };
  verbs().carried |= any(given) || any(taken);
  const std::string_view verb = name;
  const bool is_message = verb.find("send") != verb.npos || verb.find("recv") != verb.npos;
  for (Watched& one : all()) {
    follow_owner(one);
    const auto has = [&](const rs_memory* part) {
      return any(part) && part->dtype >= 0 && part->dtype <= RS_FLOAT64 &&
             one.holds(*part, part->count * dtype_size(static_cast<DType>(part->dtype)));
    };
    const bool is_carried = has(given) || has(taken);
    one.carried |= is_carried;
    one.sent |= is_carried && is_message;
    // Unlike a broadcast, another collective may continue the program's own sum.
    one.filled |= has(taken) && !is_message && verb != to_string(Collective::broadcast) &&
                  lives(one) && ranges::find(all(), values_of(one), &Watched::begin) != all().end();
    if (has(taken)) one.written_line = verbs().last_line;
  }
}

// The note is that of a Python program's main part. The last change with as many elements as the result is taken for it,
// so the array that is named comes last, unless it has not changed: then the result is in another one.
void write_watched(int rank, int size) {
  const char* const named = named_data();
  if (notes_folder() == nullptr) return;
  const Locked lock;
  for (Watched& one : all()) {
    follow_owner(one);
    if (lives(one)) one.end = values_of(one);
  }
  ranges::stable_sort(all(), {}, [&](const Watched& one) {
    return named != nullptr && one.name == named && one.end != one.begin;
  });
  json begin = json::object(), history = json::array(), carried = json::array(),
       exchanged = json::array();
  const Watched* first = nullptr;
  for (const Watched& one : all()) {
    if (one.file.empty() || !one.end) continue;
    if (first == nullptr) first = &one;
    begin[one.name] = {
        {"values", json_of_values(one.begin)}, {"dtype", one.type}, {"shape", {one.begin.size()}}};
    if (one.carried) carried.push_back(one.name);
    // Without a built-in collective's result, the program itself has changed it.
    if (one.sent || !one.filled) exchanged.push_back(one.name);
    if (*one.end == one.begin && !one.late) continue;
    const unsigned line = one.written_line > 0    ? one.written_line
                          : verbs().last_line > 0 ? verbs().last_line
                                                  : one.line;
    history.push_back({line, one.name, json_of_values(*one.end)});
  }
  if (first == nullptr) return;
  json called = json::array();
  for (const auto& [line, name] : verbs().first) called.push_back({line, name});
  append(rank, size,
         {{"kind", "call"},
          {"file", first->file},
          {"line", 0},
          {"end", verbs().last_line},
          {"begin", begin},
          {"history", history},
          {"carried", carried},
          {"verbs", called},
          {"exchanged", exchanged}});
}

void note_advice(int rank, int size, const std::string& what, const std::string& why,
                 const std::string& advice) {
  append(rank, size, {{"kind", "advice"}, {"what", what}, {"why", why}, {"advice", advice}});
}

void note_hint(int rank, int size, const std::string& file, unsigned line, const std::string& what,
               const std::string& why, const std::string& advice) {
  append(rank, size,
         {{"kind", "remark"},
          {"what", what},
          {"why", why},
          {"advice", advice},
          {"file", file},
          {"line", line},
          {"harmless", true}});
}

}  // namespace rankscope::capi

// These do what the runtime's do: malloc() and free(). One that another library brings along fits, too.
#pragma GCC visibility push(default)
void* operator new(std::size_t size) { return rankscope::capi::allocated(size); }
void* operator new[](std::size_t size) { return rankscope::capi::allocated(size); }
void operator delete(void* memory) noexcept { rankscope::capi::freed(memory); }
void operator delete[](void* memory) noexcept { rankscope::capi::freed(memory); }
void operator delete(void* memory, std::size_t) noexcept { rankscope::capi::freed(memory); }
void operator delete[](void* memory, std::size_t) noexcept { rankscope::capi::freed(memory); }
#pragma GCC visibility pop
