// Reads and writes GOAL, line by line.
#include "engine/studio/formats/goal.h"

#include <charconv>
#include <map>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostGoalRanks = 1 << 20, kMostGoalOperations = 20'000'000;
constexpr std::string_view kFact = "// rankscope ";

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

class GoalReader {
 public:
  GoalReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  OperationFile read() {
    out_.name = file_;
    while (!text_.empty()) {
      ++line_;
      const auto end = text_.find('\n');
      const auto line = text_.substr(0, end);
      text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
      take_line(line);
    }
    if (in_comment_) fail("a comment has no end: \"*/\" is missing");
    if (rank_ >= 0)
      fail(fmt::format("the operations of rank {} have no end: \"}}\" is missing", rank_));
    if (!known_) fail("there is no \"num_ranks N\" in it: this is no GOAL schedule");
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(fmt::format("{}:{}: {}", file_, line_, what));
  }

  void take_line(std::string_view line) {
    if (!in_comment_ && trimmed(line).starts_with(kFact))
      return take_fact(trimmed(line).substr(kFact.size()));
    const std::string code = without_comments(line);
    rest_ = code;
    if (at_end()) return;
    if (take_word("num_ranks")) read_ranks();
    else if (take_word("rank")) begin_rank();
    else if (rest_.starts_with('}')) end_rank();
    else read_operation();
    if (!at_end()) fail(fmt::format("\"{}\" should not be there", escaped(rest_.substr(0, 40))));
  }
  void take_fact(std::string_view fact) {
    const auto end = fact.find(' ');
    if (end == std::string_view::npos) return;
    auto& facts = rank_ < 0 ? out_.facts : out_.ranks[static_cast<std::size_t>(rank_)].facts;
    facts.emplace_back(fact.substr(0, end), fact.substr(end + 1));
  }
  std::string without_comments(std::string_view line) {
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const auto two = line.substr(i, 2);
      if (in_comment_) {
        if (two == "*/") in_comment_ = false, ++i;
      } else if (two == "//") {
        break;
      } else if (two == "/*") {
        in_comment_ = true, ++i;
      } else {
        out += line[i];
      }
    }
    return out;
  }

  // ---- Words ----
  bool at_end() {
    while (!rest_.empty() &&
           (rest_.front() == ' ' || rest_.front() == '\t' || rest_.front() == '\r'))
      rest_.remove_prefix(1);
    return rest_.empty();
  }
  std::string_view word() {
    at_end();
    std::size_t end = 0;
    while (end < rest_.size() && is_word(rest_[end])) ++end;
    const auto out = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return out;
  }
  bool take_word(std::string_view wanted) {
    at_end();
    const bool there = rest_.starts_with(wanted) &&
                       (rest_.size() == wanted.size() || !is_word(rest_[wanted.size()]));
    if (there) rest_.remove_prefix(wanted.size());
    return there;
  }
  void need_word(std::string_view wanted) {
    if (!take_word(wanted))
      fail(fmt::format("\"{}\" should be here, not \"{}\"", wanted, escaped(rest_.substr(0, 40))));
  }
  std::uint64_t number(std::string_view what, std::uint64_t most) {
    at_end();
    std::uint64_t out = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    if (error != std::errc() || out > most)
      fail(fmt::format("{} should be a number from 0 to {}, not \"{}\"", what, most,
                       escaped(rest_.substr(0, 40))));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return out;
  }

  // ---- Lines ----
  void read_ranks() {
    if (known_) fail("num_ranks is there twice");
    known_ = true;
    const auto ranks = number("num_ranks", kMostGoalRanks);
    if (ranks == 0) fail("num_ranks should be 1 or more");
    out_.ranks.resize(ranks);
    begun_.resize(ranks);
  }
  void begin_rank() {
    if (!known_) fail("\"num_ranks N\" should come before the first rank");
    if (rank_ >= 0) fail(fmt::format("\"}}\" is missing behind rank {}", rank_));
    const auto rank = number("the rank", out_.ranks.size() - 1);
    if (begun_[rank]) fail(fmt::format("rank {} is there twice", rank));
    begun_[rank] = true;
    rank_ = static_cast<Rank>(rank);
    labels_.clear();
    at_end();
    if (!rest_.starts_with('{')) fail("\"{\" should follow the rank");
    rest_.remove_prefix(1);
  }
  void end_rank() {
    if (rank_ < 0) fail("there is no rank that \"}\" could end");
    rank_ = -1;
    rest_.remove_prefix(1);
  }

  void read_operation() {
    if (rank_ < 0)
      fail(fmt::format("\"num_ranks\" or \"rank\" should be here, not \"{}\"",
                       escaped(rest_.substr(0, 40))));
    const auto first = word();
    if (first.empty())
      fail(fmt::format("an operation should be here, not \"{}\"", escaped(rest_.substr(0, 40))));
    at_end();
    if (rest_.starts_with(':')) {
      rest_.remove_prefix(1);
      return add_operation(word(), std::string(first));
    }
    if (const bool ended = take_word("requires"); ended || take_word("irequires"))
      return add_wait(std::string(first), std::string(word()), ended);
    add_operation(first, "");
  }
  void add_operation(std::string_view kind, const std::string& label) {
    ScheduleOperation one;
    one.line = line_;
    one.label = label;
    constexpr std::uint64_t kMost = std::uint64_t{1} << 62, kMostTag = 0x7fffffff;
    if (kind == "calc") {
      one.time_ns = number("the time of calc", kMost);
    } else if (kind == "send" || kind == "recv") {
      one.kind = kind == "send" ? ScheduleOperation::send : ScheduleOperation::receive;
      one.bytes = number("the size", kMost);
      need_word("b");
      need_word(kind == "send" ? "to" : "from");
      at_end();
      if (rest_.starts_with("-1")) fail("receives from any rank are not read: name the sender");
      one.peer = static_cast<Rank>(number("the peer", out_.ranks.size() - 1));
      if (one.peer == rank_) fail("a rank cannot send to itself");
      if (take_word("tag")) one.tag = static_cast<int>(number("the tag", kMostTag));
    } else {
      fail(fmt::format("send, recv or calc should be here, not \"{}\"",
                       escaped(kind.substr(0, 40))));
    }
    if (take_word("cpu")) number("cpu", kMostTag);
    if (take_word("nic")) number("nic", kMostTag);
    auto& all = out_.ranks[static_cast<std::size_t>(rank_)].operations;
    if (++size_ > kMostGoalOperations) fail("the schedule has more than 20 million operations");
    if (!label.empty() && !labels_.emplace(label, static_cast<int>(all.size())).second)
      fail(fmt::format("the label {} is there twice", escaped(label)));
    all.push_back(std::move(one));
  }
  int labelled(const std::string& label) const {
    const auto found = labels_.find(label);
    if (found == labels_.end())
      fail(fmt::format("no operation of rank {} before has the label \"{}\"", rank_,
                       escaped(label.substr(0, 40))));
    return found->second;
  }
  void add_wait(const std::string& later, const std::string& earlier, bool ended) {
    const int first = labelled(later), second = labelled(earlier);
    if (first == second) fail(fmt::format("{} waits for itself", escaped(later)));
    ScheduleOperation& one =
        out_.ranks[static_cast<std::size_t>(rank_)].operations[static_cast<std::size_t>(first)];
    (ended ? one.after : one.started).push_back(second);
  }

  std::string_view text_, rest_;
  const std::string& file_;
  int line_ = 0;
  bool in_comment_ = false, known_ = false;
  Rank rank_ = -1;
  std::vector<bool> begun_;
  std::map<std::string, int> labels_;
  OperationFile out_;
  std::size_t size_ = 0;
};

std::string goal_fact(const std::pair<std::string, std::string>& fact) {
  return fmt::format("{}{} {}\n", kFact, fact.first, printable(fact.second));
}

std::string goal_operation(const ScheduleOperation& one) {
  if (one.kind == ScheduleOperation::compute) return fmt::format("calc {}", one.time_ns);
  const bool send = one.kind == ScheduleOperation::send;
  return fmt::format("{} {}b {} {} tag {}", send ? "send" : "recv", one.bytes, send ? "to" : "from",
                     one.peer, one.tag);
}

}  // namespace

OperationFile read_goal(std::string_view text, const std::string& file) {
  return GoalReader(text, file).read();
}

std::string write_goal(const OperationFile& in) {
  std::string out;
  for (const auto& fact : in.facts) out += goal_fact(fact);
  out += fmt::format("num_ranks {}\n", in.ranks.size());
  for (std::size_t rank = 0; rank < in.ranks.size(); ++rank) {
    out += fmt::format("\nrank {} {{\n", rank);
    for (const auto& fact : in.ranks[rank].facts) out += goal_fact(fact);
    const auto& all = in.ranks[rank].operations;
    const auto label = [&](std::size_t k) {
      return all[k].label.empty() ? fmt::format("l{}", k + 1) : all[k].label;
    };
    for (std::size_t k = 0; k < all.size(); ++k)
      out += fmt::format("{}: {}\n", label(k), goal_operation(all[k]));
    for (std::size_t k = 0; k < all.size(); ++k) {
      for (const int other : all[k].after)
        out += fmt::format("{} requires {}\n", label(k), label(static_cast<std::size_t>(other)));
      for (const int other : all[k].started)
        out += fmt::format("{} irequires {}\n", label(k), label(static_cast<std::size_t>(other)));
    }
    out += "}\n";
  }
  return out;
}

}  // namespace rankscope
