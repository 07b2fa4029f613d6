// Starts ffmpeg, hands it raw frames, and turns its complaints into errors.
#include "engine/diagrams/paint/video.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/fd.h"
#include "engine/core/base/subprocess.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

constexpr int kPollMs = 100;
constexpr std::chrono::seconds kLongestEnd{
    10};  ///< The longest wait for an encoder after its input was closed.

int even(int size) noexcept { return size + size % 2; }

/// Colours are those of high-definition video (ITU-R BT.709), and the file says so: without it, players guess by the
/// picture's size.
std::vector<std::string> ffmpeg_words(const VideoTarget& target, int width, int height) {
  std::vector<std::string> words = {"ffmpeg",
                                    "-hide_banner",
                                    "-nostdin",
                                    "-loglevel",
                                    "error",
                                    "-y",
                                    "-f",
                                    "rawvideo",
                                    "-pixel_format",
                                    "bgr0",
                                    "-video_size",
                                    fmt::format("{}x{}", width, height),
                                    "-framerate",
                                    std::to_string(target.fps),
                                    "-i",
                                    "pipe:0",
                                    "-an",
                                    "-vf",
                                    "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
                                    "-colorspace",
                                    "bt709",
                                    "-color_primaries",
                                    "bt709",
                                    "-color_trc",
                                    "bt709",
                                    "-color_range",
                                    "tv"};
  // Flat areas and letters: better quality than the encoders' defaults, which are for films.
  const std::vector<std::string> mp4 = {"-c:v",      "libx264",   "-preset", "veryfast",
                                        "-tune",     "animation", "-crf",    "18",
                                        "-movflags", "+faststart"};
  // With "good" instead of "realtime" it takes six times as long, for a file smaller by a seventh.
  const std::vector<std::string> webm = {
      "-c:v",      "libvpx-vp9", "-b:v",    "0", "-crf",          "24", "-deadline", "realtime",
      "-cpu-used", "6",          "-row-mt", "1", "-tile-columns", "2"};
  const auto& codec = target.format == "webm" ? webm : mp4;
  words.insert(words.end(), codec.begin(), codec.end());
  // With "file:" a name with a colon is no address, and one with a dash no option.
  words.insert(words.end(), {"-f", std::string(target.format), "file:" + target.file});
  return words;
}

SubprocessOptions ffmpeg_process(const VideoTarget& target, int width, int height, int input,
                                 int complaints) {
  return {.words = ffmpeg_words(target, width, height),
          .descriptors = {{.theirs = STDIN_FILENO, .ours = input},
                          {.theirs = STDOUT_FILENO, .ours = complaints},
                          {.theirs = STDERR_FILENO, .ours = complaints}},
          .close_from = STDERR_FILENO + 1};
}

}  // namespace

void require_ffmpeg(std::string_view format) {
  if (program_on_path("ffmpeg")) return;
  throw UserError(fmt::format(
      "{} is encoded by the command ffmpeg, which is not installed: install the "
      "package ffmpeg (apt install ffmpeg), or choose .gif, which needs no other program",
      format));
}

struct VideoWriter::Encoder {
  Encoder(const VideoTarget& target, int width_, int height_)
      : width(width_),
        height(height_),
        row(static_cast<std::size_t>(even(width_))),
        complaints(::memfd_create("ffmpeg", MFD_CLOEXEC)),
        input(socket_pair("ffmpeg")),
        process(ffmpeg_process(target, even(width_), even(height_), input.theirs.get(),
                               complaints.get())) {
    input.theirs.reset();
  }

  /// The last line that it wrote; empty if none.
  std::string says() const {
    std::array<char, 4096> text{};
    const ssize_t size = ::pread(complaints.get(), text.data(), text.size(), 0);
    std::string_view all(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    while (!all.empty() && all.back() == '\n') all.remove_suffix(1);
    const auto line = all.rfind('\n');
    return std::string(line == std::string_view::npos ? all : all.substr(line + 1));
  }

  [[noreturn]] void fail(const VideoTarget& target) {
    const auto code = process.wait(Deadline::in(kLongestEnd));
    const std::string why = says();
    throw UserError(fmt::format(
        "ffmpeg could not write {}: {}. Choose .gif, which needs no other program, or a smaller "
        "picture with --dpi or --size.",
        escaped(target.name),
        !why.empty() ? escaped(why)
        : code       ? fmt::format("it ended with {}", *code)
                     : "it does not go on"));
  }

  void send(const VideoTarget& target, const char* bytes, std::size_t size) {
    while (size > 0) {
      if (target.look) target.look();
      pollfd ready{input.ours.get(), POLLOUT, 0};
      ::poll(&ready, 1, kPollMs);
      // A socket, and no pipe: an encoder that has ended is an error here and no signal.
      const ssize_t sent = ::send(input.ours.get(), bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0) {
        bytes += sent;
        size -= static_cast<std::size_t>(sent);
      } else if (errno != EAGAIN && errno != EINTR) {
        fail(target);
      }
    }
  }

  const int width, height;
  std::vector<std::uint32_t> frame, row;
  Fd complaints;  ///< In memory: what it writes never blocks it.
  FdPair input;
  Subprocess process;
};

VideoWriter::VideoWriter(VideoTarget target) : target_(std::move(target)) {
  require_ffmpeg(target_.format);
}
VideoWriter::~VideoWriter() = default;

void VideoWriter::add(const Pixels& frame, int times) {
  if (!encoder_) encoder_ = std::make_unique<Encoder>(target_, frame.width, frame.height);
  Encoder& to = *encoder_;
  if (frame.width != to.width || frame.height != to.height)
    throw std::invalid_argument(fmt::format("a frame of {} x {} pixels in a video of {} x {}",
                                            frame.width, frame.height, to.width, to.height));
  to.frame.clear();
  const auto width = static_cast<std::size_t>(frame.width);
  for (int y = 0; y < even(frame.height); ++y) {
    const auto* from =
        frame.argb.data() + static_cast<std::size_t>(std::min(y, frame.height - 1)) * width;
    std::copy_n(from, width, to.row.begin());
    to.row.back() = from[width - 1];
    to.frame.insert(to.frame.end(), to.row.begin(), to.row.end());
  }
  for (int i = 0; i < times; ++i)
    to.send(target_, reinterpret_cast<const char*>(to.frame.data()),
            to.frame.size() * sizeof(std::uint32_t));
}

void VideoWriter::finish() {
  if (!encoder_) throw UserError("a video needs at least one frame");
  encoder_->input.ours.reset();
  std::optional<int> code;
  while (!(code = encoder_->process.wait(Deadline::in(std::chrono::milliseconds(kPollMs)))))
    if (target_.look) target_.look();
  if (*code != 0) encoder_->fail(target_);
  encoder_.reset();
}

}  // namespace rankscope
