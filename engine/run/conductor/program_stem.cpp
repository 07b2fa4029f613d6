// Starts the stem, asks it for copies, and reads their process ids.
#include "engine/run/conductor/program_stem.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include "engine/core/base/deadline.h"
#include "engine/run/conductor/local_socket.h"

namespace rankscope {
namespace {

using std::chrono::milliseconds;

constexpr int kChannel = 3;  ///< Its number in the stem.
/// Limits for loading slow modules on a busy machine, and for a fork.
constexpr milliseconds kLoadLimit{60'000}, kForkLimit{10'000};

SubprocessOptions stem_options(const std::vector<std::string>& argv,
                               std::vector<std::string> environment,
                               const std::vector<std::string>& modules, const std::string& folder,
                               const Fd& theirs) {
  environment.push_back(fmt::format("RANKSCOPE_STEM={}", kChannel));
  environment.push_back(fmt::format("RANKSCOPE_STEM_LOADS={}", fmt::join(modules, ",")));
  environment.push_back("RANKSCOPE_STEM_FOLDER=" + folder);
  return {.words = argv,
          .environment = std::move(environment),
          .descriptors = {{.theirs = kChannel, .ours = theirs.get()}}};
}

}  // namespace

ProgramStem::ProgramStem(const std::vector<std::string>& argv, std::vector<std::string> environment,
                         const std::vector<std::string>& modules, const std::string& folder)
    : ProgramStem(argv, std::move(environment), modules, folder,
                  socket_pair("a program's stem", SOCK_SEQPACKET)) {}

ProgramStem::ProgramStem(const std::vector<std::string>& argv, std::vector<std::string> environment,
                         const std::vector<std::string>& modules, const std::string& folder,
                         FdPair channel)
    : channel_(std::move(channel.ours)),
      process_(stem_options(argv, std::move(environment), modules, folder, channel.theirs)) {}

bool ProgramStem::wait_ready(int interrupt_fd) {
  pollfd either[] = {{channel_.get(), POLLIN, 0}, {interrupt_fd, POLLIN, 0}};
  ::poll(either, 2, Deadline::in(kLoadLimit).poll_ms());
  const auto said = receive_message(channel_, Deadline::now());
  return said && said->text == "ready";
}

pid_t ProgramStem::fork_copy(const std::vector<std::string>& environment,
                             const std::vector<SubprocessOptions::Descriptor>& descriptors) {
  std::vector<int> ours, theirs;
  for (const auto& one : descriptors) {
    ours.push_back(one.ours);
    theirs.push_back(one.theirs);
  }
  std::string order = fmt::format("{}", fmt::join(theirs, ","));
  for (const std::string& variable : environment) (order += '\0') += variable;
  if (!send_message(channel_, order, ours)) return -1;
  const auto said = receive_message(channel_, Deadline::in(kForkLimit));
  pid_t copy = -1;
  if (said) std::from_chars(said->text.data(), said->text.data() + said->text.size(), copy);
  return copy;
}

}  // namespace rankscope
