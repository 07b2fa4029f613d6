// Builds bubblewrap's command line: file system, devices, users and environment of a box.
#include "engine/box/bwrap_arguments.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

// A shell that reports on descriptor $1 that the box stands, waits there for the order to go on (125 if the descriptor
// closes instead), closes it and becomes the program.
constexpr const char* kGate =
    R"(n=$1; shift; eval "echo >&$n; read go <&$n || exit 125; exec $n<&-"; exec "$@")";

// The parts of /etc that programs need: the linker's cache, what alternatives point to (BLAS), the time zone, Python's own settings.
std::vector<fs::path> etc_files() {
  std::vector<fs::path> files = {"/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime"};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/etc", error))
    if (entry.path().filename().string().starts_with("python3")) files.push_back(entry.path());
  return files;
}

// The parts of /usr that interpreters, compilers and their libraries need: no manuals, no sources, and no data of other
// programs, ours among them.
constexpr const char* kSystem[] = {"/usr/bin",
                                   "/usr/sbin",
                                   "/usr/lib",
                                   "/usr/lib32",
                                   "/usr/lib64",
                                   "/usr/libx32",
                                   "/usr/libexec",
                                   "/usr/include",
                                   "/usr/share/locale",
                                   "/usr/share/zoneinfo",
                                   "/usr/share/matplotlib",
                                   "/usr/local/bin",
                                   "/usr/local/lib",
                                   "/usr/local/lib64",
                                   "/usr/local/libexec",
                                   "/usr/local/include"};
// Links into /usr, where the system has merged them.
constexpr const char* kLinkedFolders[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};

class Arguments {
 public:
  void add(std::initializer_list<std::string> texts) {
    list_.insert(list_.end(), texts.begin(), texts.end());
  }
  void add(const std::vector<std::string>& texts) {
    list_.insert(list_.end(), texts.begin(), texts.end());
  }
  void tmpfs(std::uint64_t size, const char* permissions, const char* where) {
    add({"--perms", permissions, "--size", std::to_string(size), "--tmpfs", where});
  }
  std::vector<std::string> take() { return std::move(list_); }

 private:
  std::vector<std::string> list_;
};

// Devices without bubblewrap's --dev: that one also makes terminals, and a second user namespace for
// them, for which nothing here has a use. There is no /dev/zero, because memory mapped from it is shared and uncounted.
void add_devices(Arguments& arguments, const BoxSpec& spec) {
  constexpr std::uint64_t kRoomForNodes = 64 << 10;
  arguments.tmpfs(kRoomForNodes, "0755", "/dev");
  for (const char* device : {"/dev/null", "/dev/full", "/dev/random", "/dev/urandom"})
    arguments.add({"--dev-bind", device, device});
  arguments.add({"--symlink", "/proc/self/fd", "/dev/fd", "--symlink", "/proc/self/fd/0",
                 "/dev/stdin", "--symlink", "/proc/self/fd/1", "/dev/stdout", "--symlink",
                 "/proc/self/fd/2", "/dev/stderr"});
  arguments.tmpfs(spec.shm_size, "1777", "/dev/shm");
  arguments.add({"--remount-ro", "/dev"});
}

void add_environment(Arguments& arguments, const BoxSpec& spec) {
  arguments.add({"--clearenv"});
  std::vector<std::string> variables(std::begin(kBoxVariables), std::end(kBoxVariables));
  variables.insert(variables.end(), spec.environment.begin(), spec.environment.end());
  for (const auto& variable : variables) {
    const auto equals = variable.find('=');
    if (equals == 0 || equals == std::string::npos)
      throw UserError(fmt::format("'{}' is no NAME=value for a box's environment", variable));
    arguments.add({"--setenv", variable.substr(0, equals), variable.substr(equals + 1)});
  }
}

// Returns whether `path` is this folder, or in it.
bool lies_in(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string at_its_place(const std::string& path, const std::vector<BoxBind>& binds) {
  const BoxBind* best = nullptr;
  for (const auto& bind : binds)
    if (lies_in(path, bind.to) && (best == nullptr || bind.to.size() > best->to.size()))
      best = &bind;
  return best == nullptr ? path : best->from.string() + path.substr(best->to.size());
}

// Puts something empty over a file or folder where it is seen in `folder`, however that is reached.
void hide(Arguments& arguments, const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error), root = fs::canonical(folder, error);
  if (error || !lies_in(real.string(), root.string())) return;
  const std::string place = folder.string() + real.string().substr(root.string().size());
  if (!fs::is_directory(real, error)) return arguments.add({"--ro-bind", "/dev/null", place});
  constexpr std::uint64_t kNothing = 4096;
  arguments.tmpfs(kNothing, "0555", place.c_str());
  arguments.add({"--remount-ro", place});
}

// Replaces the paths in "NAME=/a:/b", each by itself.
std::string each_at_its_place(const std::string& text, const std::vector<BoxBind>& binds) {
  std::string result;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find_first_of(":=", at), text.size());
    result += at_its_place(text.substr(at, end - at), binds);
    if (end < text.size()) result += text[end];
    at = end + 1;
  }
  return result;
}

}  // namespace

HelperNumbers helper_numbers(const BoxSpec& spec) {
  std::vector<int> taken = {0, 1, 2};
  for (const auto& given : spec.descriptors) {
    if (given.number < 3 || given.number > 200 || given.fd < 0)
      throw UserError(
          fmt::format("a box's descriptor must be one of 3 to 200, not {}", given.number));
    if (ranges::find(taken, given.number) != taken.end())
      throw UserError(fmt::format("a box has descriptor {} twice", given.number));
    taken.push_back(given.number);
  }
  if (spec.filter_number >= 0) taken.push_back(spec.filter_number);
  HelperNumbers numbers;
  int next = std::max(10, *ranges::max_element(taken) + 1);
  for (int digit = 9; digit > 2 && numbers.gate < 0; --digit)
    if (ranges::find(taken, digit) == taken.end()) numbers.gate = digit;
  if (numbers.gate < 0)
    throw UserError("a box's descriptors must leave one of the numbers 3 to 9 free");
  numbers.filter = spec.filter_number >= 0 ? spec.filter_number : next++;
  numbers.passwd = next++;
  numbers.group = next++;
  return numbers;
}

std::string passwd_text() {
  return fmt::format(
      "root:x:0:0:root:/:/usr/sbin/nologin\nstudent:x:{0}:{0}:student:/tmp:/bin/sh\n"
      "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n",
      kUserInside);
}

std::string group_text() {
  return fmt::format("root:x:0:\nstudent:x:{}:\nnogroup:x:65534:\n", kUserInside);
}

std::vector<std::string> system_paths() {
  std::vector<std::string> paths;
  std::error_code error;
  for (const char* folder : kSystem)
    if (fs::is_directory(folder, error)) paths.emplace_back(folder);
  for (const char* folder : kLinkedFolders)
    if (!fs::is_symlink(folder, error) && fs::is_directory(folder, error))
      paths.emplace_back(folder);
  for (const auto& file : etc_files())
    if (fs::exists(file, error)) paths.push_back(file.string());
  return paths;
}

std::vector<std::string> system_arguments(const std::vector<fs::path>& hidden) {
  Arguments arguments;
  std::error_code error;
  for (const char* name : kLinkedFolders)
    if (const auto target = fs::read_symlink(name, error); !error)
      arguments.add({"--symlink", target.string(), name});
  const auto seen = system_paths();
  for (const auto& path : seen) arguments.add({"--ro-bind", path, path});
  for (const auto& path : hidden)
    for (const auto& folder : seen) hide(arguments, path, folder);
  return arguments.take();
}

std::vector<std::string> bwrap_arguments(const BoxSupport& support, const BoxSpec& spec,
                                         const HelperNumbers& numbers) {
  Arguments arguments;
  const auto inside = std::to_string(kUserInside);
  arguments.add({support.bwrap.string(), "--unshare-user", "--uid", inside, "--gid", inside,
                 "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
                 "--unshare-cgroup-try", "--hostname", "box", "--new-session", "--die-with-parent",
                 "--cap-drop", "ALL"});
  if (spec.filter_number >= 0) arguments.add({"--cap-add", "CAP_SYS_ADMIN"});
  add_environment(arguments, spec);
  arguments.add(support.system);
  arguments.add({"--perms", "0444", "--ro-bind-data", std::to_string(numbers.passwd), "/etc/passwd",
                 "--perms", "0444", "--ro-bind-data", std::to_string(numbers.group), "/etc/group"});
  add_devices(arguments, spec);
  arguments.tmpfs(spec.tmp_size, "1777", "/tmp");
  for (const auto& bind : spec.binds) arguments.add({"--ro-bind", bind.from.string(), bind.to});
  // Else the program could fill the root, which has no size of its own.
  arguments.add({"--proc", "/proc", "--remount-ro", "/", "--chdir", spec.directory});
  if (spec.filter_number < 0) arguments.add({"--seccomp", std::to_string(numbers.filter)});
  arguments.add({"--"});
  arguments.add({"/bin/sh", "-c", kGate, "gate", std::to_string(numbers.gate)});
  arguments.add(spec.argv);
  return arguments.take();
}

BoxSpec without_box(const BoxSpec& spec) {
  BoxSpec plain = spec;
  for (auto& argument : plain.argv) argument = each_at_its_place(argument, spec.binds);
  for (auto& variable : plain.environment) variable = each_at_its_place(variable, spec.binds);
  plain.directory = at_its_place(spec.directory, spec.binds);
  return plain;
}

}  // namespace rankscope
