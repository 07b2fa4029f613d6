// Files that appear complete or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace rankscope {

/// A file under another name beside its own, which it gets when it is whole: stopping us leaves
/// no half-written file under the right one. What is no file (a device, a pipe) is written directly.
/// An existing file keeps its mode, and a link stays one: what it points to is replaced or made.
class NewFile {
 public:
  /// Throws UserError when it cannot be made; `path` is what messages call it, and `advice` ends them.
  explicit NewFile(std::string path, std::string advice = "Choose another place.");
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();  ///< Without finish(), nothing is left of it.

  /// All of the contents. Throws UserError, and what `contents` throws.
  void write(const std::function<void(std::ostream&)>& contents);
  /// The same through another program, which is given the file's name; a file of that name is replaced. Returns its size.
  std::uint64_t write_by(const std::function<void(const std::string& file)>& writer);
  /// Throws UserError.
  void finish();

 private:
  void make_temporary();
  [[noreturn]] void fail(int error) const;

  std::string path_, advice_;
  std::string target_, temporary_;  // no temporary: written directly, or finished
  std::optional<mode_t> mode_;      // of the file that it replaces
};

/// Throws UserError.
void write_whole(const std::string& path, std::string_view bytes);

}  // namespace rankscope
