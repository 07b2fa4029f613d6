// The part of Python's stable interface that calls from Python programs need, looked up in the process that has loaded
// this library: building needs no Python headers, and one library serves every release.
#pragma once

#include <cstddef>
#include <utility>

namespace rankscope::python {

struct Thing;  ///< A Python object.
using Object = Thing*;

/// Py_buffer, as it has been since Python 3.3.
struct View {
  void* data;
  Object owner;
  std::ptrdiff_t bytes, item_size;
  int read_only, dims;
  char* format;
  std::ptrdiff_t *shape, *strides, *suboffsets;
  void* internal;
};
inline constexpr int kViewWritable = 0x1, kViewShape = 0x8;

using Function = Object (*)(Object self, Object const* arguments, std::ptrdiff_t count);
/// PyMethodDef; the function receives an array of arguments.
struct Method {
  const char* name;
  Function function;
  int flags;
  const char* help;
};
inline constexpr int kArrayOfArguments = 0x80;

/// Python's functions, which abi.cpp looks up by their own names. Callers must hold Python's lock (GIL).
struct Abi {
  Object (*current_frame)();  ///< Returns a new reference, as do all others not marked as borrowed.
  Object (*frame_back)(Object);
  Object (*frame_code)(Object);
  int (*frame_line)(Object);
  int (*frame_position)(Object);  ///< Position in the frame's code; null before Python 3.11.
  void (*increment)(Object);
  void (*decrement)(Object);
  void* (*release_lock)();
  void (*take_lock)(void* state);
  unsigned long (*thread)();
  Object (*new_function)(Method*, Object self, Object module);
  Object (*new_capsule)(void*, const char* name, void (*destroy)(Object));
  void* (*in_capsule)(Object, const char* name);
  Object (*type_of)(Object);
  Object (*attribute)(Object, Object name);
  int (*is_true)(Object);
  Object (*call)(Object function, ...);  ///< Arguments, terminated by null.
  Object (*call_plain)(Object function);
  int (*view)(Object, View*, int flags);
  void (*end_view)(View*);
  Object (*interned)(const char*);
  long (*number)(Object);
  Object (*new_number)(long);
  void* (*address)(Object);
  Object (*new_address)(void*);
  Object (*new_bool)(long);
  Object (*new_bytes)(const char*, std::ptrdiff_t);
  char* (*bytes_data)(Object);
  std::ptrdiff_t (*bytes_size)(Object);
  Object (*new_tuple)(std::ptrdiff_t);
  int (*set_item)(Object tuple, std::ptrdiff_t, Object taken_over);
  Object (*item)(Object tuple, std::ptrdiff_t);  ///< Borrowed.
  std::ptrdiff_t (*dict_size)(Object);
  std::ptrdiff_t (*list_size)(Object);
  void (*forget_error)();
  Object none, int_type, bytes_type;
};

/// Returns null if this process has no such Python.
const Abi* abi();

/// An owned reference, released on destruction.
class Held {
 public:
  Held() = default;
  Held(const Abi& python, Object owned) : python_(&python), object_(owned) {}
  Held(Held&& other) noexcept : python_(other.python_), object_(other.object_) {
    other.object_ = nullptr;
  }
  Held& operator=(Held&& other) noexcept {
    std::swap(python_, other.python_);  // the other releases what was held here
    std::swap(object_, other.object_);
    return *this;
  }
  ~Held() {
    if (object_ != nullptr) python_->decrement(object_);
  }
  Object get() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  const Abi* python_ = nullptr;
  Object object_ = nullptr;
};

/// Returns a new reference to an object that someone else holds.
inline Held hold(const Abi& python, Object borrowed) {
  python.increment(borrowed);
  return {python, borrowed};
}

}  // namespace rankscope::python
