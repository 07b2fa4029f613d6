// Reads an IDX file through zlib, which passes on what is not compressed.
#include "engine/training/data/idx_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <zlib.h>

#include "engine/core/base/error.h"
#include "engine/core/base/utf8.h"

namespace rankscope::training {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30U;
constexpr std::uint8_t kUnsignedBytes = 8;  // the format's number for this type

struct CloseFile {
  void operator()(gzFile file) const noexcept { gzclose(file); }
};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file)
      : name_(escaped(file.string())), file_(gzopen(file.c_str(), "rbe")) {
    if (file_ == nullptr) fail(fmt::format("cannot be opened: {}", std::strerror(errno)));
  }

  /// Fills all of `into`.
  void read(std::uint8_t* into, std::size_t bytes) {
    std::size_t have = 0;
    while (have < bytes) {
      const int got = gzread(file_.get(), into + have,
                             static_cast<unsigned>(std::min(bytes - have, std::size_t{1} << 24U)));
      if (got < 0) fail(fmt::format("is damaged: {}", error()));
      if (got == 0)
        fail(fmt::format("ends too early: {} of {} bytes are missing", bytes - have, bytes));
      have += static_cast<std::size_t>(got);
    }
  }

  /// Nothing may follow; only here gzip's checksum is looked at.
  void end() {
    std::uint8_t more = 0;
    const int got = gzread(file_.get(), &more, 1);
    int code = Z_OK;
    gzerror(file_.get(), &code);
    if (code == Z_BUF_ERROR) fail("ends too early: the end of what was compressed is missing");
    if (got < 0) fail(fmt::format("is damaged: {}", error()));
    if (got > 0) fail("goes on after its last element");
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw FormatError(fmt::format("{} {}", name_, why));
  }

 private:
  std::string error() const {
    int code = 0;
    const char* text = gzerror(file_.get(), &code);
    return code == Z_ERRNO ? std::strerror(errno) : text;
  }

  std::string name_;
  std::unique_ptr<gzFile_s, CloseFile> file_;
};

}  // namespace

IdxFile read_idx(const std::filesystem::path& file, std::size_t dimensions) {
  Reader reader(file);
  std::array<std::uint8_t, 4> head{};
  reader.read(head.data(), head.size());
  if (head[0] != 0 || head[1] != 0) reader.fail("is no IDX file: it does not begin with two zeros");
  if (head[2] != kUnsignedBytes)
    reader.fail(fmt::format("has elements of type {:#04x}; bytes (0x08) are expected", head[2]));
  if (head[3] != dimensions)
    reader.fail(fmt::format("has {} dimensions; {} are expected", head[3], dimensions));
  IdxFile out;
  std::size_t bytes = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    std::array<std::uint8_t, 4> big_endian{};
    reader.read(big_endian.data(), big_endian.size());
    std::size_t extent = 0;
    for (const std::uint8_t byte : big_endian) extent = extent << 8U | byte;
    if (extent > 0 && bytes > kMostBytes / extent) reader.fail("has more than 1 GiB");
    bytes *= extent;
    out.extents.push_back(extent);
  }
  out.bytes.resize(bytes);
  reader.read(out.bytes.data(), bytes);
  reader.end();
  return out;
}

}  // namespace rankscope::training
