// The functions that Python calls for each message.
#include "engine/capi/python/calls.h"

#include <cstring>
#include <iterator>
#include <memory>

#include "engine/capi/handles.h"
#include "engine/capi/python/buffers.h"
#include "engine/capi/python/places.h"
#include "engine/core/base/deadline.h"
#include "engine/core/message/before_sleep.h"

namespace rankscope::python {
namespace {

constexpr const char* kCapsule = "rankscope.communicator";

/// The state that all communicators of this process share.
struct Shared {
  Shared(const Abi& python, Object describe) : places(python, describe), buffers(python) {}
  Places places;
  Buffers buffers;
};

/// A communicator, as Python's functions use it.
struct Caller {
  const Abi& python;
  std::shared_ptr<Shared> shared;
  rs_comm* comm = nullptr;  ///< Null: it is gone.
  int size = 0, longest_wait_ms = 0;
  unsigned long thread = 0;
  Held acquire = {}, release = {}, locked = {}, session = {}, active = {}, limbo = {}, orphans = {};
  Object threaded = nullptr;  ///< The attribute's name.
};

/// Nobody else uses the communicator as long as it exists. Other threads of the program go on when this one sleeps: most
/// messages need not be waited for, and to give Python's lock up and take it again costs as much as to send one.
class InCall final : BeforeSleep {
 public:
  explicit InCall(Caller& caller) : caller_(caller) {
    const Held used(caller.python, caller.python.call_plain(caller.locked.get()));
    if (!used) caller.python.forget_error();
    free_ = used && caller.python.is_true(used.get()) == 0;
    if (free_) before_sleep = this;
  }
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;
  ~InCall() {
    if (!free_) return;
    before_sleep = nullptr;
    if (state_ == nullptr) return;
    caller_.python.take_lock(state_);
    const Held done(caller_.python, caller_.python.call_plain(caller_.release.get()));
    if (!done) caller_.python.forget_error();
  }
  explicit operator bool() const noexcept { return free_; }

 private:
  // No thread can have taken the communicator since, because that needs Python's lock.
  void sleeps() noexcept override {
    const Held got(caller_.python, caller_.python.call_plain(caller_.acquire.get()));
    if (got) state_ = caller_.python.release_lock();
    else caller_.python.forget_error();
  }

  Caller& caller_;
  bool free_ = false;
  void* state_ = nullptr;
};

Object nothing(const Abi& python) {
  python.increment(python.none);
  return python.none;
}

/// Parses a plain number from `least` up to `most`.
bool number_in(const Abi& python, Object thing, long least, long most, int& out) {
  if (Held(python, python.type_of(thing)).get() != python.int_type) return false;
  const long value = python.number(thing);
  if (value < least || value > most) {
    python.forget_error();
    return false;
  }
  out = static_cast<int>(value);
  return true;
}

/// Returns the communicator if it exists and this thread is the program's only one.
Caller* ready(Object self) {
  const Abi& python = *abi();
  auto* const caller = static_cast<Caller*>(python.in_capsule(self, kCapsule));
  if (caller == nullptr || caller->comm == nullptr) {
    python.forget_error();
    return nullptr;
  }
  if (python.thread() != caller->thread || python.list_size(caller->orphans.get()) != 0 ||
      python.dict_size(caller->active.get()) + python.dict_size(caller->limbo.get()) != 1)
    return nullptr;
  const Held threaded(python, python.attribute(caller->session.get(), caller->threaded));
  if (!threaded || python.is_true(threaded.get()) != 0) {
    python.forget_error();
    return nullptr;
  }
  return caller;
}

struct Post {
  rs_memory memory{};
  int peer = -1, tag = 0, flags = 0;
  bool send = false;
};

// Returns false if an argument is not of the plain kind.
bool read_send(Caller& caller, Object const* given, Post& out) {
  constexpr long kMost = 0x7fffffff;
  out.send = true;
  return number_in(caller.python, given[1], 0, caller.size - 1, out.peer) &&
         number_in(caller.python, given[2], 0, kMost, out.tag) &&
         number_in(caller.python, given[3], 0, kMost, out.flags) &&
         caller.shared->buffers.find(given[0], false, out.memory);
}

bool read_receive(Caller& caller, Object const* given, Post& out) {
  constexpr long kMost = 0x7fffffff;
  if (!number_in(caller.python, given[1], -1, caller.size - 1, out.peer) ||
      !number_in(caller.python, given[2], -1, kMost, out.tag))
    return false;
  if (given[0] != caller.python.none)
    return caller.shared->buffers.find(given[0], true, out.memory);
  out.flags = RS_MESSAGE;
  return true;
}

capi::PortRequestPtr start(rs_comm& comm, const Post& post, const Site& where) {
  return post.send ? comm.comm->isend(post.peer, post.memory, post.tag, post.flags, where)
                   : comm.comm->irecv(post.peer, post.memory, post.tag, post.flags, where);
}

Deadline end_of_wait(const Caller& caller) {
  return Deadline::in(std::chrono::milliseconds(caller.longest_wait_ms));
}

/// Returns whether these bytes are one pickled object, which the program sent by send() and not by Send().
bool looks_like_object(const void* data, std::uint64_t bytes) {
  constexpr std::size_t kFrame = 11;
  const auto* const text = static_cast<const unsigned char*>(data);
  if (bytes <= kFrame || text[0] != 0x80 || text[1] != 5 || text[2] != 0x95) return false;
  std::uint64_t length = 0;
  std::memcpy(&length, text + 3, sizeof length);
  return length <= bytes - kFrame && text[bytes - 1] == '.';
}

Object result_of(const Abi& python, rs_status& status, const rs_memory& into) {
  const Object out = python.new_tuple(4);
  if (out == nullptr) return nullptr;
  python.set_item(out, 0, python.new_number(status.source));
  python.set_item(out, 1, python.new_number(status.tag));
  python.set_item(out, 2, python.new_number(static_cast<long>(status.bytes)));
  Object message = nullptr;
  if (status.message != nullptr)
    message = python.new_bytes(static_cast<const char*>(status.message),
                               static_cast<std::ptrdiff_t>(status.bytes));
  else if (into.data != nullptr && looks_like_object(into.data, status.bytes))
    message = python.new_bool(1);
  else message = nothing(python);
  rs_free(status.message);
  python.set_item(out, 3, message);
  return out;
}

// Sends or receives a message and waits for it at once.
Object carry_out(Caller& caller, Post& post) {
  const Abi& python = caller.python;
  const auto stack = caller.shared->places.here();
  if (stack.empty()) return nothing(python);
  const Site where(stack);
  rs_comm& comm = *caller.comm;
  post.flags |= RS_BLOCKING;
  rs_status status{};
  capi::PortRequestPtr request;
  int code = RS_PENDING;
  {
    const InCall in_call(caller);
    if (!in_call) return nothing(python);
    code = capi::guarded(comm.port.get(), [&] {
      request = start(comm, post, where);
      return request->wait(end_of_wait(caller), status, where) ? RS_OK : RS_PENDING;
    });
    if (code != RS_PENDING) request.reset();
  }
  if (code < 0) return python.new_number(code);
  if (code == RS_PENDING) return python.new_address(new rs_request{comm.port, std::move(request)});
  return post.send ? python.new_bool(1) : result_of(python, status, post.memory);
}

Object begin(Caller& caller, const Post& post) {
  const Abi& python = caller.python;
  const auto stack = caller.shared->places.here();
  if (stack.empty()) return nothing(python);
  rs_comm& comm = *caller.comm;
  capi::PortRequestPtr request;
  int code = RS_OK;
  {
    const InCall in_call(caller);
    if (!in_call) return nothing(python);
    code = capi::guarded(comm.port.get(), [&] { request = start(comm, post, Site(stack)); });
  }
  return code < 0 ? python.new_number(code)
                  : python.new_address(new rs_request{comm.port, std::move(request)});
}

// The function that Python calls: reads its arguments, and carries out or starts the message.
template <auto read, std::ptrdiff_t arguments, auto carry>
Object message(Object self, Object const* given, std::ptrdiff_t count) {
  Caller* const caller = ready(self);
  Post post;
  if (caller == nullptr || count != arguments || !read(*caller, given, post))
    return nothing(*abi());
  return carry(*caller, post);
}

// None also when it is not done: a longer wait goes the long way, where Ctrl-C has its turn.
Object wait(Object self, Object const* given, std::ptrdiff_t count) {
  const Abi& python = *abi();
  Caller* const caller = ready(self);
  if (caller == nullptr || count != 1) return nothing(python);
  auto* request = static_cast<rs_request*>(python.address(given[0]));
  if (request == nullptr) {
    python.forget_error();
    return nothing(python);
  }
  const auto stack = caller->shared->places.here();
  if (stack.empty()) return nothing(python);
  rs_status status{};
  int code = RS_PENDING;
  {
    const InCall in_call(*caller);
    if (!in_call) return nothing(python);
    code = capi::guarded(caller->comm->port.get(), [&] {
      return request->request->wait(end_of_wait(*caller), status, Site(stack)) ? RS_OK : RS_PENDING;
    });
    if (code != RS_PENDING) rs_drop(&request);
  }
  if (code == RS_PENDING) return nothing(python);
  return code < 0 ? python.new_number(code) : result_of(python, status, {});
}

Object learn(Object self, Object const* given, std::ptrdiff_t count) {
  const Abi& python = *abi();
  Caller* const caller = ready(self);
  if (caller == nullptr || count != 3) return nothing(python);
  const auto* const memory = static_cast<const rs_memory*>(python.address(given[1]));
  if (memory == nullptr) python.forget_error();
  else caller->shared->buffers.learn(given[0], *memory, given[2]);
  return nothing(python);
}

Object close(Object self, Object const*, std::ptrdiff_t) {
  const Abi& python = *abi();
  auto* const caller = static_cast<Caller*>(python.in_capsule(self, kCapsule));
  if (caller == nullptr || caller->comm == nullptr) {
    python.forget_error();
    return nothing(python);
  }
  caller->comm = nullptr;
  caller->session =
      hold(python, python.none);  // it has this communicator: nobody would ever free the two
  caller->shared->buffers.forget();
  return nothing(python);
}

Method methods[] = {{"send", &message<read_send, 4, carry_out>, kArrayOfArguments, nullptr},
                    {"receive", &message<read_receive, 3, carry_out>, kArrayOfArguments, nullptr},
                    {"start_send", &message<read_send, 4, begin>, kArrayOfArguments, nullptr},
                    {"start_receive", &message<read_receive, 3, begin>, kArrayOfArguments, nullptr},
                    {"wait", &wait, kArrayOfArguments, nullptr},
                    {"learn", &learn, kArrayOfArguments, nullptr},
                    {"close", &close, kArrayOfArguments, nullptr}};

void destroy(Object capsule) { delete static_cast<Caller*>(abi()->in_capsule(capsule, kCapsule)); }

Held attribute(const Abi& python, Object thing, const char* name) {
  const Held text(python, python.interned(name));
  return {python, python.attribute(thing, text.get())};
}

std::unique_ptr<Caller> caller_of(const Abi& python, rs_comm* comm, Object given) {
  const auto item = [&](int index) { return python.item(given, index); };
  // Arrays are described for one run, so a rank that joins again has them described again.
  static std::weak_ptr<Shared> known;
  std::shared_ptr<Shared> shared = known.lock();
  if (!shared) known = shared = std::make_shared<Shared>(python, item(2));
  auto caller = std::make_unique<Caller>(Caller{.python = python, .shared = std::move(shared)});
  caller->comm = comm;
  caller->size = comm->comm->size();
  caller->thread = python.thread();
  caller->acquire = attribute(python, item(0), "acquire");
  caller->release = attribute(python, item(0), "release");
  caller->locked = attribute(python, item(0), "locked");
  caller->session = hold(python, item(1));
  caller->active = hold(python, item(3));
  caller->limbo = hold(python, item(4));
  caller->orphans = hold(python, item(5));
  caller->longest_wait_ms = static_cast<int>(python.number(item(6)));
  caller->threaded = python.interned("threaded");
  return caller;
}

}  // namespace
}  // namespace rankscope::python

using namespace rankscope::python;

void* rs_python_calls(rs_comm* comm, void* given) {
  const Abi* const python = abi();
  if (python == nullptr) return nullptr;
  auto caller = caller_of(*python, comm, static_cast<Object>(given));
  const Held capsule(*python, python->new_capsule(caller.get(), kCapsule, &destroy));
  if (!capsule) return nullptr;
  caller.release();
  const Object out = python->new_tuple(std::size(methods));
  for (std::size_t i = 0; out != nullptr && i < std::size(methods); ++i)
    python->set_item(out, static_cast<std::ptrdiff_t>(i),
                     python->new_function(&methods[i], capsule.get(), nullptr));
  return out;
}
