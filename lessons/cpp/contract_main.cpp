// The part of a program for an exercise in C++ that is the same for all of them: it takes tasks, has the student's
// function called (contract.cpp), and hands in what that leaves. The grader of a class compiles it once for all.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>
#include <stdexcept>
#include <system_error>

#include <contract_headers.h>
#include <fcntl.h>
#include <unistd.h>

namespace rankscope_contract {

void throw_no_type(std::string_view dtype) {
  throw std::runtime_error("the exercise asks for elements of type " + std::string(dtype));
}

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
  void input(const rs_memory& into) { check(rs_task_input(session_, 0, &into)); }
  void result(const std::string& name, rs_memory memory, const std::vector<std::int64_t>& shape) {
    memory.name = name.c_str();
    memory.array = memory.data;
    memory.dims = static_cast<std::uint32_t>(std::min<std::size_t>(shape.size(), RS_DIMS));
    std::copy_n(shape.begin(), memory.dims, memory.shape);
    check(rs_task_result(session_, &memory, nullptr));
  }
  void text(const std::string& name, std::string_view words) {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(words.data());
    result(name, rankscope::detail::memory(std::span(bytes, words.size())),
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
  Printed() : file_(open(folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)), kept_(dup(1)) {
    flush();
    if (file_ >= 0) dup2(file_, 1);
  }
  Printed(const Printed&) = delete;
  Printed& operator=(const Printed&) = delete;
  ~Printed() {
    if (file_ >= 0) close(file_);
  }
  std::string text() {
    flush();
    dup2(kept_, 1);
    close(kept_);
    std::string out(60000, '\0');
    const auto got = file_ < 0 ? 0 : pread(file_, out.data(), out.size(), 0);
    out.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return out;
  }

 private:
  // Without a box, /tmp may be closed to ranks.
  static const char* folder() {
    const char* const own = std::getenv("TMPDIR");
    return own == nullptr ? "/tmp" : own;
  }
  static void flush() {
    std::cout.flush();
    std::fflush(stdout);
  }
  int file_, kept_;
};

// ---- A task ----

/// Zeros of an element type, as many as a shape has.
class Elements {
 public:
  Elements(std::string_view dtype, const std::vector<std::int64_t>& shape)
      : count_(shape.empty() ? 0 : elements(shape)) {
    const std::string_view names[] = {"uint8", "int32", "int64", "float32", "float64"};
    const std::int32_t types[] = {RS_UINT8, RS_INT32, RS_INT64, RS_FLOAT32, RS_FLOAT64};
    const std::size_t sizes[] = {1, 4, 8, 4, 8};
    const auto at = static_cast<std::size_t>(std::find(names, names + 5, dtype) - names);
    if (at == std::size(names)) throw_no_type(dtype);
    dtype_ = types[at];
    bytes_.resize(count_ * sizes[at]);
  }
  rs_memory memory() {
    rs_memory out{};
    out.data = bytes_.data();
    out.count = count_;
    out.dtype = dtype_;
    return out;
  }
  void* data() { return bytes_.data(); }
  std::size_t count() const { return count_; }

 private:
  std::size_t count_;
  std::int32_t dtype_ = RS_UINT8;
  std::vector<char> bytes_;  // aligned as operator new aligns
};

void carry_out(Tasks& tasks, const Task& task) {
  std::string dtype = task.text("dtype");
  if (dtype.empty()) dtype = "float64";
  const auto shape = task.list("shape"), out_shape = task.list("out");
  Elements data(dtype, shape), out(dtype, out_shape);
  if (!shape.empty()) tasks.input(data.memory());
  setenv("RANK", std::to_string(task.number("rank")).c_str(), 1);
  setenv("WORLD_SIZE", std::to_string(task.number("size")).c_str(), 1);
  Returned returned;
  {
    Communicator comm = rankscope::join("contract");
    returned = call(
        dtype,
        {comm, data.data(), data.count(), out.data(), out.count(), shape, out_shape,
         static_cast<int>(task.number("src")), static_cast<int>(task.number("scatter_dim")),
         static_cast<int>(task.number("gather_dim")), task.number("value"), task.text("name")});
  }
  if (returned)
    tasks.result("return|int", rankscope::detail::memory(std::span<double>(&*returned, 1)), {1});
  if (shape.empty()) return;
  tasks.result("argument 0|" + dtype, data.memory(), shape);
  if (out_shape.empty()) tasks.result("return|" + dtype, data.memory(), shape);
  else tasks.result("return|" + dtype, out.memory(), out_shape);
}

void work(Tasks& tasks, const Task& task) {
  Printed printed;
  std::optional<std::string> words;
  int number = 0;
  try {
    carry_out(tasks, task);
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
