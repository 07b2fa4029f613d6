// Fields of a job as people type them: numbers, sizes, times, words.
#include <charconv>
#include <limits>
#include <optional>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/byte_size.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/rate_text.h"
#include "engine/core/base/suggest.h"
#include "engine/run/job/given_values.h"
#include "engine/run/job/job_fields.h"

namespace rankscope {
namespace {

template <class Values>
std::vector<std::string> texts_of(const Values& values) {
  std::vector<std::string> texts;
  for (const auto value : values) texts.emplace_back(to_string(value));
  return texts;
}

std::vector<std::string> names_of(DType) { return texts_of(kAllDTypes); }
std::vector<std::string> names_of(ReduceOp) { return texts_of(kAllReduceOps); }
std::vector<std::string> names_of(SendMode) {
  return texts_of(std::vector{SendMode::buffered, SendMode::rendezvous});
}
// `given` inputs come with their values.
std::vector<std::string> names_of(InputPattern) {
  using enum InputPattern;
  return texts_of(std::vector{exact, index, rank, real});
}
std::vector<std::string> names_of(TraceLevel) {
  return texts_of(std::vector{TraceLevel::off, TraceLevel::light, TraceLevel::full});
}

[[noreturn]] void refuse_word(std::string_view text, std::string_view what,
                              const std::vector<std::string>& words) {
  const auto guess = did_you_mean(text, words);
  throw UserError(fmt::format("{}: '{}' is none of {}{}{}", what, text, fmt::join(words, ", "),
                              guess.empty() ? "" : "; ", guess));
}

template <class T>
T whole(std::string_view text, std::string_view what) {
  T value{};
  const auto* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || rest != end || error == std::errc::invalid_argument)
    throw UserError(fmt::format("{}: '{}' is not a whole number{}", what, text,
                                std::is_unsigned_v<T> ? " from 0 on" : ""));
  if (error != std::errc{})
    throw UserError(fmt::format("{}: {} is out of range; it goes from {} to {}", what, text,
                                std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  return value;
}

double seconds(std::string_view text, std::string_view what) {
  double value = 0;
  const auto* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (error != std::errc{} || (!unit.empty() && unit != "s" && unit != "ms"))
    throw UserError(
        fmt::format("{}: '{}' is no time; write seconds (10, 0.5) or 500ms", what, text));
  return unit == "ms" ? value * 1e-3 : value;
}

double number(std::string_view text, std::string_view what) {
  double value = 0;
  const auto* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end)
    throw UserError(fmt::format("{}: '{}' is no number", what, text));
  return value;
}

std::vector<Count> extents(std::string_view text, std::string_view what) {
  std::vector<Count> out;
  for (;;) {
    const auto end = text.find('x');
    const auto extent = whole<Count>(text.substr(0, end), what);
    if (extent < 0)
      throw UserError(fmt::format("{}: {} is out of range; an extent is 0 or more", what, extent));
    out.push_back(extent);
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

template <class T>
T switched(T now, std::string_view text, std::string_view what) {
  if (text == "toggle") return !now;
  if (text != "on" && text != "off")
    throw UserError(fmt::format("{}: say on, off or toggle, not \"{}\"", what, text));
  return text == "on";
}

class Reader {
 public:
  Reader(const JobField& field, std::string_view text, std::string_view what)
      : field_(field), text_(text), what_(what) {}

  void read(bool& into) const { into = switched(into, text_, what_); }
  void read(int& into) const { into = whole<int>(text_, what_); }
  void read(std::uint64_t& into) const {
    into = field_.unit == JobField::Unit::bytes ? parse_size(text_, what_)
                                                : whole<std::uint64_t>(text_, what_);
  }
  void read(double& into) const {
    switch (field_.unit) {
      case JobField::Unit::short_time: into = parse_seconds(text_, what_); break;
      case JobField::Unit::bandwidth: into = parse_bandwidth(text_, what_); break;
      case JobField::Unit::number: into = number(text_, what_); break;
      default: into = seconds(text_, what_);
    }
  }
  void read(std::string& into) const {
    const auto words = choices_of(field_);
    if (!words.empty() && ranges::find(words, text_) == words.end())
      refuse_word(text_, what_, words);
    into = text_;
  }
  void read(std::vector<Count>& into) const { into = extents(text_, what_); }
  template <class E>
    requires std::is_enum_v<E>
  void read(E& into) const {
    if (!parse_name(text_, into)) refuse_word(text_, what_, names_of(E{}));
  }
  // Of no text of their own: a delay has a rank, and values come with their shape (give_values).
  void read(std::vector<double>&) const {
    throw UserError(fmt::format("{}: say which rank is delayed", what_));
  }

 private:
  const JobField& field_;
  std::string_view text_, what_;
};

std::string text_of(bool value) { return value ? "on" : "off"; }
std::string text_of(const std::string& value) { return value; }
std::string text_of(const std::vector<Count>& value) {
  return fmt::format("{}", fmt::join(value, "x"));
}
std::string text_of(const std::vector<double>& value) {
  return fmt::format("{}", fmt::join(value, ","));
}
std::string text_of(const std::vector<std::vector<double>>& value) { return values_text(value); }
template <class T>
  requires std::is_arithmetic_v<T>
std::string text_of(T value) {
  return fmt::format("{}", value);
}
template <class E>
  requires std::is_enum_v<E>
std::string text_of(E value) {
  return std::string(to_string(value));
}

}  // namespace

std::vector<std::string> choices_of(const JobField& field) {
  if (field.choices != nullptr) return field.choices();
  return with_value(JobSpec(), field.place, []<class T>(const T&) {
    if constexpr (std::is_enum_v<T>) return names_of(T{});
    else return std::vector<std::string>{};
  });
}

void set_field(JobSpec& spec, const JobField& field, std::string_view text, std::string_view what) {
  const Reader reader(field, text, what);
  with_value(spec, field.place, [&]<class T>(T& value) {
    if constexpr (std::is_same_v<T, std::vector<std::vector<double>>>) give_values(spec, text);
    else reader.read(value);
  });
}

std::string field_text(const JobSpec& spec, const JobField& field) {
  return with_value(spec, field.place, [&]<class T>(const T& value) {
    if constexpr (std::is_same_v<T, double>) {
      if (field.unit == JobField::Unit::short_time) return exact_seconds_text(value);
      if (field.unit == JobField::Unit::bandwidth) return exact_bandwidth_text(value);
    }
    return text_of(value);
  });
}

}  // namespace rankscope
