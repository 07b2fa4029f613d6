// Says when files were saved: looked at twice a second in a thread of its own, which sleeps while there are none.
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace rankscope::gui {

class FileWatch {
 public:
  /// `changed` is called from another thread when there is something to take. A file counts as saved once it has
  /// stayed the same for one look: editors write in several parts.
  explicit FileWatch(std::function<void()> changed,
                     std::chrono::milliseconds rest = std::chrono::milliseconds(500));
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  /// Watches the file, or the files in a folder, under this key from their present state on; an empty name ends it.
  void set(const std::string& key, const std::string& file);
  /// Returns the keys whose files were saved since the last call.
  std::vector<std::string> take();

 private:
  /// Times and sizes as one text; empty while there is no file, as between two parts of a save.
  static std::string look_at(const std::filesystem::path& file);
  struct Watched {
    std::string file, known, seen;
    bool saved = false;
  };
  void work();

  const std::function<void()> changed_;
  const std::chrono::milliseconds rest_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::map<std::string, Watched> watched_;
  bool quit_ = false;
  std::thread thread_;
};

}  // namespace rankscope::gui
