// Reads the traces that rankscope writes: events, messages, rounds, and buffers at any moment.
//
//   #include <rankscope_trace.hpp>
//   #include <cstdio>
//   int main(int, char** arguments) {
//     const rankscope::trace::Trace trace(arguments[1]);
//     for (const auto& message : trace.messages())
//       std::printf("%d -> %d: %llu bytes, round %d\n", message.from, message.to, message.bytes, message.round);
//   }
//
// CMake: find_package(rankscope CONFIG REQUIRED), then link rankscope::trace. C++20. What stands here stays: fields and functions
// are only added, at the end. Times are seconds since the run's first event, corrected for the ranks' clocks.
#ifndef RANKSCOPE_TRACE_HPP
#define RANKSCOPE_TRACE_HPP

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace rankscope::trace {

/// The file cannot be opened, is no trace, or is of a newer rankscope. what() says what to do.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A step of a rank.
struct Event {
  int rank = -1;
  int peer = -1;  ///< The rank on the other side; -1: none, or any.
  int tag = 0;
  std::string
      kind;  ///< "posted", "matched", "completed", "local", "phase", "watch", "job", "call", "note".
  std::string verb;  ///< "send", "recv", "reduce", "copy", "wait", ...
  unsigned long long bytes = 0;
  double begin_s = 0, time_s = 0;
  std::string phase;     ///< The innermost phase; may be empty.
  std::string function;  ///< Where the program called it; may be empty.
  std::string file;
  int line = 0;
};

/// A message of the program; those by which ranks meet or split do not count. Events are positions in events(), -1 if they did
/// not happen.
struct Message {
  int from = -1, to = -1, tag = 0;
  unsigned long long bytes = 0;
  int round = 0;  ///< From 1.
  long long sent = -1, receive_posted = -1, received = -1;
};

/// A watched buffer at a moment.
struct Buffer {
  int rank = -1;
  std::string name, dtype;  ///< dtype: "float32", "int64", ...
  std::size_t count = 0;    ///< Elements.
  /// The elements that the trace has: all of up to 1,024, else 256 evenly spaced ones.
  std::vector<std::size_t> positions;
  std::vector<double> values;  ///< One for each of them; not a number where none was seen yet.
};

/// A whole run, held in memory. Copies share it.
class Trace {
 public:
  /// Throws Error.
  explicit Trace(const std::string& file);

  int ranks() const;
  std::string algorithm() const;  ///< Or the program's name.
  bool ended_well() const;
  std::string outcome() const;  ///< How the run ended, in words; empty if well.
  double duration_s() const;
  /// In an order in which each follows from those before it.
  const std::vector<Event>& events() const;
  /// In the order in which they were sent.
  const std::vector<Message>& messages() const;
  int rounds() const;
  /// The watched buffers, rank by rank, after the first `events` events. Throws std::out_of_range.
  std::vector<Buffer> buffers(std::size_t events) const;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

}  // namespace rankscope::trace
#endif
