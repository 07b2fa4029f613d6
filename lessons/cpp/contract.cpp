// Runs inside of a box for programs in C++ and calls a student's function for each task of its exercise.
// The counterpart of rankscope/contract.py for programs in C++. Nothing here decides about points: the agent, outside of the
// box, sees every message, and the results are judged there.
//
// Compiled by the grader (lessons/coding/cpp_program.cpp), which gives by -D:
//   RANKSCOPE_FILE       the student's file, in quotes
//   RANKSCOPE_FUNCTION   the function's name
//   RANKSCOPE_ARGUMENTS  its arguments: members of `given`
//   RANKSCOPE_TYPES      the element types of its calls
//   RANKSCOPE_EXPECTED   the message if it cannot be called like this
// They are macros because each exercise's function has another name.
#include <contract_headers.h>

// The student's own main(), for `rankscope exec`, is not used.
#define main rankscope_students_own_main
#include RANKSCOPE_FILE
#undef main

namespace rankscope_contract {

using rankscope::Communicator;
using rankscope::Tensor;

/// All values that may be arguments of a function.
template <class T>
struct Given {
  Communicator& comm;
  std::span<T> data;          ///< The argument, if the result is in place.
  std::span<const T> in;      ///< The argument, if the result is elsewhere.
  std::span<T> out;           ///< Zeros, for the result.
  Tensor<const T> tensor_in;  ///< `in` and `out` with their shapes.
  Tensor<T> tensor_out;
  int src, scatter_dim, gather_dim;
  std::int64_t value;
  std::string name;
};

template <class T>
concept Callable = requires(Given<T>& given) { RANKSCOPE_FUNCTION(RANKSCOPE_ARGUMENTS); };
template <class... T>
constexpr bool kForSomeType = (Callable<T> || ...);
static_assert(kForSomeType<RANKSCOPE_TYPES>, RANKSCOPE_EXPECTED);

// ---- The task: flat JSON that the grader writes, without escapes in its texts ----

class Task {
 public:
  explicit Task(std::string text) : text_(std::move(text)) {}
  long long number(const char* key) const { return std::strtoll(at(key), nullptr, 10); }
  std::vector<std::int64_t> list(const char* key) const {
    std::vector<std::int64_t> out;
    const char* from = at(key);
    if (*from != '[') return out;
    for (++from; *from != ']' && *from != '\0'; from += *from == ',' ? 1 : 0) {
      char* end = nullptr;
      out.push_back(std::strtoll(from, &end, 10));
      if (end == from) break;
      from = end;
    }
    return out;
  }
  std::string text(const char* key) const {
    const char* const from = at(key);
    if (*from != '"') return {};
    const char* const end = std::strchr(from + 1, '"');
    return end == nullptr ? std::string() : std::string(from + 1, end);
  }

 private:
  const char* at(const char* key) const {
    const auto found = text_.find('"' + std::string(key) + "\":");
    return found == std::string::npos ? "" : text_.c_str() + found + std::strlen(key) + 3;
  }
  std::string text_;
};

template <class T>
constexpr const char* dtype_name() {
  if constexpr (std::is_same_v<T, float>) return "float32";
  else if constexpr (std::is_same_v<T, double>) return "float64";
  else if constexpr (std::is_same_v<T, std::int32_t>) return "int32";
  else if constexpr (std::is_same_v<T, std::int64_t>) return "int64";
  else return "uint8";
}

std::size_t elements(const std::vector<std::int64_t>& shape) {
  std::size_t out = 1;
  for (const std::int64_t extent : shape) out *= static_cast<std::size_t>(extent);
  return out;
}

// ---- The session that gives tasks and takes results ----

class Tasks {
 public:
  Tasks() {
    const rs_join_options options{-1, 0, nullptr, "native", "contract"};
    check(rs_join(&options, &session_));
  }
  std::optional<Task> next() {
    char* text = nullptr;
    check(rs_next_task(session_, &text));
    if (text == nullptr) return std::nullopt;
    Task out{text};
    rs_free(text);
    return out;
  }
  template <class T>
  void input(std::vector<T>& into) {
    const rs_memory memory = rankscope::detail::memory(std::span<T>(into));
    check(rs_task_input(session_, 0, &memory));
  }
  template <class T>
  void result(const std::string& name, std::span<const T> data,
              const std::vector<std::int64_t>& shape) {
    rs_memory memory = rankscope::detail::memory(data);
    memory.name = name.c_str();
    memory.array = memory.data;
    memory.dims = static_cast<std::uint32_t>(std::min<std::size_t>(shape.size(), RS_DIMS));
    std::copy_n(shape.begin(), memory.dims, memory.shape);
    check(rs_task_result(session_, &memory, nullptr));
  }
  void text(const std::string& name, std::string_view words) {
    result(name, std::span(reinterpret_cast<const std::uint8_t*>(words.data()), words.size()),
           {static_cast<std::int64_t>(words.size())});
  }
  /// Hands in an error: words for people, and in the name its errno for decisions.
  void failed(const std::string& words, int number) {
    const std::string about = " " + std::to_string(number);
    rs_memory memory{};
    memory.name = about.c_str();
    memory.dims = 1;
    rs_task_result(session_, &memory, words.c_str());
  }

 private:
  static void check(int code) {
    if (code < 0) throw rankscope::Error(code, rs_error());
  }
  rs_session* session_ = nullptr;
};

/// Collects the output during its lifetime.
class Printed {
 public:
  Printed() : file_(std::tmpfile()), kept_(dup(1)) {
    flush();
    if (file_ != nullptr) dup2(fileno(file_), 1);
  }
  Printed(const Printed&) = delete;
  Printed& operator=(const Printed&) = delete;
  ~Printed() {
    if (file_ != nullptr) std::fclose(file_);
  }
  std::string text() {
    flush();
    dup2(kept_, 1);
    close(kept_);
    std::string out(60000, '\0');
    const auto got = file_ == nullptr ? 0 : pread(fileno(file_), out.data(), out.size(), 0);
    out.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return out;
  }

 private:
  static void flush() {
    std::cout.flush();
    std::fflush(stdout);
  }
  std::FILE* file_;
  int kept_;
};

// ---- A task ----

/// A second result of the function, if any.
using Returned = std::optional<double>;

template <class T>
Returned call(Given<T>& given) {
  if constexpr (!Callable<T>) {
    throw std::runtime_error(std::string("there is no form of it for ") + dtype_name<T>() + ". " +
                             RANKSCOPE_EXPECTED);
  } else if constexpr (std::is_arithmetic_v<decltype(RANKSCOPE_FUNCTION(RANKSCOPE_ARGUMENTS))>) {
    return static_cast<double>(RANKSCOPE_FUNCTION(RANKSCOPE_ARGUMENTS));
  } else {
    RANKSCOPE_FUNCTION(RANKSCOPE_ARGUMENTS);
    return std::nullopt;
  }
}

template <class T>
void carry_out(Tasks& tasks, const Task& task) {
  const auto shape = task.list("shape"), out_shape = task.list("out");
  std::vector<T> data(shape.empty() ? 0 : elements(shape));
  std::vector<T> out(out_shape.empty() ? 0 : elements(out_shape));
  if (!shape.empty()) tasks.input(data);
  setenv("RANK", std::to_string(task.number("rank")).c_str(), 1);
  setenv("WORLD_SIZE", std::to_string(task.number("size")).c_str(), 1);
  Returned returned;
  {
    Communicator comm = rankscope::join("contract");
    Given<T> given{comm,
                   data,
                   data,
                   out,
                   {data, shape},
                   {out, out_shape},
                   static_cast<int>(task.number("src")),
                   static_cast<int>(task.number("scatter_dim")),
                   static_cast<int>(task.number("gather_dim")),
                   task.number("value"),
                   task.text("name")};
    returned = call(given);
  }
  const std::string type = std::string("|") + dtype_name<T>();
  if (returned) tasks.result("return|int", std::span<const double>(&*returned, 1), {1});
  if (shape.empty()) return;
  tasks.result("argument 0" + type, std::span<const T>(data), shape);
  if (out_shape.empty()) tasks.result("return" + type, std::span<const T>(data), shape);
  else tasks.result("return" + type, std::span<const T>(out), out_shape);
}

template <class... T>
void for_its_type(Tasks& tasks, const Task& task) {
  const std::string dtype = task.text("dtype");
  if (dtype.empty()) return carry_out<double>(tasks, task);
  const bool known =
      ((dtype == dtype_name<T>() ? (carry_out<T>(tasks, task), true) : false) || ...);
  if (!known) throw std::runtime_error("the exercise asks for elements of type " + dtype);
}

void work(Tasks& tasks, const Task& task) {
  Printed printed;
  std::optional<std::string> words;
  int number = 0;
  try {
    for_its_type<RANKSCOPE_TYPES>(tasks, task);
  } catch (const std::bad_alloc& error) {
    words = error.what();
    number = ENOMEM;
  } catch (const std::system_error& error) {
    words = error.what();
    number = error.code().value();
  } catch (const std::exception& error) {
    words = error.what();
  } catch (...) {
    words = "it threw something that is no std::exception";
  }
  tasks.text("stdout", printed.text());
  if (words) tasks.failed(words->substr(0, 6000), number);
}

}  // namespace rankscope_contract

int main() {
  rankscope_contract::Tasks tasks;
  while (const auto task = tasks.next()) rankscope_contract::work(tasks, *task);
}
