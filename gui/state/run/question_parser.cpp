// Parses what people say of a run.
#include "gui/state/run/question_parser.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/run/job/job_fields.h"
#include "engine/run/job/transports.h"
#include "gui/state/command/arguments.h"
#include "gui/state/run/asked_changes.h"
#include "gui/state/run/question_words.h"
#include "gui/state/run/sentence.h"

namespace rankscope::gui {
namespace {

/// The factors of "slower" and "larger" without a number.
constexpr double kSlower = AskedChanges::kSlower, kLarger = 16;

/// Finds a word in a list, ignoring case; returns the list's spelling.
std::optional<std::string> listed(const std::vector<std::string>& all, const std::string& word) {
  const auto found = ranges::find(all, word, [](const auto& one) { return ascii_lower(one); });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

class QuestionParser : QuestionWords {
 public:
  QuestionParser(const JobSpec& job, std::vector<PlainWord> words, std::string_view text)
      : QuestionWords(std::move(words)) {
    parsed_.job = job;
    asked_.world_before = job.world.size;
    if (text.find_first_not_of(" \t") == std::string_view::npos || words_.empty())
      throw UserError("say what to run: ring 16; broadcast from 2; rank 2 slow; 64 on a torus");
    const std::string lower = ascii_lower(std::string(text));
    parsed_.adds = is_one_of(words_.front().text, "and also plus additionally");
    // "what about a tree" asks for a change, "tree 8" names a run.
    opens_ = parsed_.adds || lower.starts_with("what") || lower.starts_with("how") ||
             lower.starts_with("with") || lower.starts_with("if ");
    can_be_root_ = ranges::any_of(split_at(lower, " "),
                                  [](std::string_view one) { return is_one_of(one, kRootWords); });
  }

  ParsedJob parse() {
    asked_.replaces = any("instead");
    name_collective();
    for (at_ = 0; at_ < words_.size(); ++at_) parse_network();
    parse_links();
    parse_slow();
    for (at_ = 0; at_ < words_.size(); ++at_) parse_amount();
    for (at_ = 0; at_ < words_.size(); ++at_) parse_order_or_direction();
    for (at_ = 0; at_ < words_.size(); ++at_) parse_word();
    // A network alone changes where the ranks are, not how many.
    asked_.makes_size = asked_.makes_size || (named_ == nullptr && !says_algorithm_);
    parsed_.of_network = asked_.of_network();
    use_named_rank();
    if (!unclear_.empty() && !understood_) throw UserError(unclear_);
    if (!ordinary_.empty() && !understood_) refuse_word(ordinary_);
    apply(asked_, parsed_.job);
    parsed_.whole = !opens_ && (named_ != nullptr || (says_algorithm_ && asked_.has_ranks));
    return std::move(parsed_);
  }

 private:
  // ---- Words ----

  /// Returns whether a speed is that of links.
  bool is_of_links() const {
    return any("network speed") || any(kLinkWords) ||
           (asked_.changes_link && asked_.link_is.empty());
  }
  void take(std::size_t from, std::size_t count = 1) {
    understood_ = true;
    for (std::size_t i = from; i < std::min(from + count, words_.size()); ++i)
      words_[i].text = kTaken;
  }
  void take_all(std::string_view list) {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if (is(i, list)) take(i);
  }

  // Finds the collective first, wherever it stands: algorithms and numbers depend on it.
  void name_collective() {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if (const auto* const found = find_collective(word(i))) {
        const auto* const now = find_algorithm(parsed_.job.call.algorithm);
        if (const auto* const before = traits_of_job(parsed_.job);
            before == nullptr || before->name != found->name)
          set("algorithm", way_to(found->collective, now == nullptr ? "" : now->short_name()));
        named_ = found;
        take(i);
      }
  }

  // ---- Networks ----

  // "on torus-2d", "on a torus", "8x8 torus", "torus": a name that is an algorithm's, too, must follow "on".
  void parse_network() {
    std::size_t name = at_;
    if (word(at_) == "on") ++name;
    if (!joined(at_, name)) return;
    if (is(name, "one 1") && (is_network(word(name + 1)) || is_topology(word(name + 1)))) ++name;
    const bool sized = is_shape(word(name)) && name + 1 < words_.size();
    if (sized) ++name;
    const bool behind_on = (name != at_ && word(at_) == "on") || is(name + 1, "network topology") ||
                           (name > 0 && is(name - 1, "network topology"));
    const std::string called = behind_on && word(name) != kTaken && name < words_.size()
                                   ? ascii_lower(words_[name].typed)
                                   : word(name);
    if (is_topology(called) && (behind_on || sized || !is_algorithm(called))) {
      asked_.topology = called;
    } else {
      const auto found = ranges::find(kNetworks, called, [](const auto& one) { return one.first; });
      if (found == std::end(kNetworks)) return;
      asked_.topology = found->second;
      asked_.makes_size = true;
      asked_.is_line = is_one_of(called, "line daisy-chain");
    }
    if (sized) {
      const auto sides = split_at(word(name - 1), "x");
      double ranks = 1;
      for (const auto side : sides) ranks *= std::max(as_number<double>(side).value_or(1), 1.0);
      if (sides.size() == 3) asked_.topology = "torus-3d";
      asked_.has_ranks = true;
      set("ranks", fmt::format("{:.0f}", std::min(ranks, AskedChanges::kMostRanks)));
    }
    take(at_, name - at_ + 1);
  }

  // "without link 0-1", "the cable between 0 and 1 breaks", "cut 0-1", "link 0-1 10 times slower", "link 0-1 at 1 GB/s".
  void parse_links() {
    // "the link is repaired", "link 0-1 is fine again", "the other one is fine again"
    std::string& links = parsed_.job.network.links;
    const bool cuts = any(kCutWords);
    const bool mends =
        any(kMendWords) && (any(kLinkWords) || any("other others")) && !links.empty();
    if (mends) {
      take_all(kMendWords);
      take_all("other others");
    }
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const bool link = is(i, kLinkWords);
      const bool bare = pair_of(word(i)) && cuts;
      if (!link && !bare) continue;
      const std::size_t begin = link ? i + 1 : i;
      std::size_t from = is(begin, "between from") ? begin + 1 : begin;
      std::pair<std::string, std::string> pair;
      if (const auto joined = pair_of(word(from))) {
        pair = *joined;
        ++from;
      } else {
        std::size_t at = is(from, "rank ranks") ? from + 1 : from;
        const std::string first = word(at++);
        if (is(at, "and to")) ++at;
        if (word(at) == "rank") ++at;
        if (is_number(first) && is_number(word(at))) {
          pair = {first, word(at)};
          from = at + 1;
        }
      }
      if (pair.first.empty() && !cuts) continue;  // "twice as fast links": all of them
      // "without those wrap-around links": nobody says which ones.
      if (pair.first.empty() && is(i, "links cables")) {
        std::size_t without = i;
        while (without > 0 && joined(without, i) && word(without) != "without") --without;
        if (word(without) == "without") {
          const std::string typed = "without " + take_out(without + 1, i + 1);
          words_[without].text = kTaken;
          return leave_unclear(
              typed, fmt::format("\"{}\": which ones? Say for example: without link 0-1", typed));
        }
      }
      take(i);
      take(begin, from - begin);
      if (mends && !cuts) return mend_link(parsed_.job, pair);
      if (asked_.replaces || mends) links.clear();
      asked_.link = pair;
      asked_.changes_link = true;
      if (cuts) {
        asked_.link_is = "cut";
        take_all(kCutWords);
        take_all("other");
      }
      return;
    }
    if (mends) links.clear(), take_all(kLinkWords);
  }

  // ---- Slow ranks ----

  // "slow rank 2", "rank 2 is slow", "ranks 1 and 3 late", "one rank is 10 times slower", "slow".
  void parse_slow() {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (!is(i, kSlowWords)) continue;
      if (i > 0 && is(i - 1, kNegations)) {
        std::size_t from = i - 1;
        bool some = false;
        const auto fast = ranks_before(from, some, parsed_.job.world.size);
        take(from, i + 1 - from);
        take_all("rank ranks");
        make_equally_fast(fast);
        continue;
      }
      std::size_t end = i + 1;
      std::vector<std::string> ranks = ranks_after(end);
      std::size_t begin = i;
      double factor = 0;
      std::size_t from = begin;
      while (from > 0 && is(from - 1, "as times x")) --from;
      const auto times = from > 0 ? as_number<double>(word(from - 1)) : std::nullopt;
      if (from > 0 && factor_of(word(from - 1)) != 1)
        factor = factor_of(word(from - 1)), begin = from - 1;
      else if (from < begin && times) factor = *times, begin = from - 1;
      std::optional<double> by;
      if (begin >= 2) by = time_of(word(begin - 2), word(begin - 1));
      if (by) begin -= 2;
      while (begin > 0 &&
             is(begin - 1, "starts start begins begin arrives arrive always very much computes"))
        --begin;
      bool some = false;
      if (ranks.empty()) ranks = ranks_before(begin, some, parsed_.job.world.size);
      if (!by && ranks.empty() && !some && (factor > 0 || is_of_links())) continue;
      std::size_t count = begin;  // "two of them are slow"
      while (count > 0 && joined(count - 1, begin) && is_ordinary(word(count - 1))) --count;
      if (opens_ && ranks.empty() && count > 0 && joined(count - 1, begin) &&
          is_number(word(count - 1)))
        throw UserError(
            fmt::format("which are slow? Say: rank {0} slow; {0} ranks slow", word(count - 1)));
      if (!by) by = time_of(word(end), word(end + 1)), end += by ? 2 : 0;
      take(begin, end - begin);
      if (any("some one everybody")) take_all("some one");
      asked_.slow.insert(asked_.slow.end(), ranks.begin(), ranks.end());
      asked_.any_slow = asked_.any_slow || ranks.empty();
      if (factor > 1) asked_.slower = factor;
      if (by) asked_.slow_by = *by;
    }
  }

  /// Takes slow ranks off: those that are named, or all of them.
  void make_equally_fast(const std::vector<std::string>& named = {}) {
    understood_ = understood_ || words_.size() == 1 || !parsed_.job.world.delays_us.empty() ||
                  !parsed_.job.network.slow_ranks.empty();
    make_ranks_fast(parsed_.job, named);
    std::erase_if(asked_.slow, [&](const std::string& rank) {
      return named.empty() || ranges::find(named, rank) != named.end();
    });
    if (named.empty()) asked_.any_slow = false;
  }

  // ---- Amounts ----

  // "1 GiB", "10 Gbit/s", "latency 10 us", "twice as fast", "half the data", "4 times larger", "one more rank".
  void parse_amount() {
    constexpr std::string_view kDoubled =
        "bandwidth speed latency data size message messages ranks vector bytes";
    if (word(at_) == "one" && counts_after(at_ + 1)) words_[at_].text = "1";
    const std::string &number = word(at_), &unit = word(at_ + 1);
    const auto value = as_number<double>(number);
    if (value && bytes_of_unit(unit) > 0) {
      asked_.bytes = *value * bytes_of_unit(unit);
      take(at_, 2);
    } else if (value && at_ + 1 < words_.size()) {
      if (const auto bandwidth = bandwidth_of(number, words_[at_ + 1].typed)) {
        asked_.bandwidth = *bandwidth;
        take(at_, 2);
        take_all("bandwidth speed network");
        take_all(kLinkWords);
      } else if (const auto time = time_of(number, unit)) {
        asked_.latency = *time;
        take(at_, 2);
        take_all("latency delay network links alpha");
      } else if ((is(at_ + 1, "more another less fewer") && is(at_ + 2, kRankWords)) ||
                 (is(at_ + 1, kRankWords) && is(at_ + 2, "more less fewer"))) {
        const bool less = is(at_ + 1, "less fewer") || is(at_ + 2, "less fewer");
        asked_.add_ranks = *value * (less ? -1 : 1);
        take(at_, 3);
      } else if (unit == "times") {
        parse_factor(*value, 2);
      }
    } else if (number == "gigabit") {
      asked_.bandwidth = 1.25e8;
      take(at_);
    } else if (is(at_, "far farther further")) {
      asked_.latency_factor = kSlower;
      take(at_);
      take_all("apart away");
    } else if (is(at_, "higher lower") && is(at_ + 1, "latency bandwidth speed")) {
      parse_factor(number == "higher" ? kSlower : 1 / kSlower, 1);
    } else if (const double factor = factor_of(number); factor != 1) {
      parse_factor(factor, 1);
    } else if (at_ > 0 && is(at_, "doubles doubled halves halved") && is(at_ - 1, kDoubled)) {
      // "the bandwidth doubles": as "double bandwidth".
      const double factor = number.starts_with("d") ? 2 : 0.5;
      words_[at_].text = words_[at_ - 1].text;
      take(at_ - 1);
      parse_factor(factor, 0);
    } else if (number == "double" && is(at_ + 1, kDoubled)) {
      parse_factor(2, 1);
    } else if ((is(at_, "no zero without") && word(at_ + 1) == "latency") ||
               (word(at_) == "latency" && is(at_ + 1, "0 zero"))) {
      asked_.latency = 0;
      take(at_, 2);
    } else if (!is_said_factor_ && is(at_, "faster slower slow fast quicker") && is_of_links()) {
      parse_factor(kSlower, 0);
    } else if (!is_said_factor_ && is(at_, "larger bigger longer smaller shorter") &&
               (any(kDataWords))) {
      parse_factor(kLarger, 0);
    }
  }

  // Finds what a factor of `skip` words ("4 times", "twice", "half") applies to.
  void parse_factor(double factor, std::size_t skip) {
    std::size_t end = at_ + skip;
    while (is(end, "as times many the")) ++end;
    is_said_factor_ = true;
    const std::string what = joined(at_, end) ? word(end) : "";
    const std::string then = word(is(end + 1, "as") ? end + 2 : end + 1);
    const bool nothing_named = what.empty() || what == kTaken;
    const bool of_link = asked_.changes_link && asked_.link_is.empty();
    // "the network does half of that": the noun stands before it.
    for (std::size_t i = at_; nothing_named && i-- > 0 && joined(i, at_);) {
      if (is(i, "network bandwidth speed") || is(i, kLinkWords) || (i == 0 && of_link))
        asked_.bandwidth_factor = factor;
      else if (word(i) == "latency") asked_.latency_factor = factor;
      else continue;
      return take(at_, skip), take(i);
    }
    // "the ranks and the data"
    const bool data_too = is(end + 1, "and") && is(end + 2, kDataWords);
    if (data_too && is(end, kRankWords)) {
      asked_.data_factor = factor;
      take(end + 1, 2);
    }
    if (is(end, kRankWords) || (is(end, "more") && is_one_of(then, kRankWords))) {
      asked_.ranks_factor = factor;
      take(at_, end - at_ + (is(end, "more") ? 2 : 1));
      return;
    }
    const bool is_larger = is(end, kLargerWords) || is(end, kDataWords);
    if (is(end, "latency") || (is_larger && then == "latency")) {
      asked_.latency_factor = factor;
      take(at_, end - at_ + 2);
    } else if (is(end, "bandwidth wide wider")) {
      asked_.bandwidth_factor = factor;
      take(at_, end - at_ + 1);
    } else if (is(end, kFastWords) || is(end, "speed") || is(end, "slow slower")) {
      // "half as slow" is faster, "10 times slower" slower.
      asked_.speed = is(end, "slow slower") ? 1 / factor : factor;
      take(at_, end - at_ + 1);
    } else if (is_larger ||
               (nothing_named && (words_.size() == 1 || any(kDataWords) || skip == 0))) {
      asked_.data_factor = factor;
      take(at_, end - at_ + (nothing_named ? 0 : 1));
    } else if (is(end, kSmallerWords)) {
      asked_.data_factor = 1 / factor;
      take(at_, end - at_ + 1);
    } else {
      return;
    }
    if (asked_.speed != 1 || asked_.bandwidth_factor != 1 || asked_.latency_factor != 1) {
      take_all("network speed bandwidth everything all");
      take_all(kLinkWords);
    } else {
      take_all(kDataWords);
      take_all("all much");
    }
  }

  // ---- Direction, order ----

  void parse_order_or_direction() {
    const bool other = is(at_, kOtherWords);
    if (word(at_) == "root" && at_ > 0 && is_number(word(at_ - 1))) {
      asked_.root = word(at_ - 1);
      require_root(asked_.root);
      take(at_ > 1 && word(at_ - 2) == "rank" ? at_ - 2 : at_ - 1, 3);
    } else if ((other && is(at_ + 1, "order placement places")) ||
               is(at_,
                  "shuffle shuffled scattered permuted permute rearrange rearranged renumber "
                  "numbering mapping reordered renumbered order randomly differently otherwise")) {
      asked_.changes_order = true;
      asked_.joins_neighbours = any(kSmartWords);
      take_all(kSmartWords);
      asked_.reverses_order = is(at_, "reverse reversed opposite inverse");
      std::size_t end = at_ + (other ? 2 : 1);
      for (; is_number(word(end)); ++end) asked_.order.push_back(word(end));
      asked_.continues_order = word(end) == "...";
      end += asked_.continues_order ? 1 : 0;
      take(at_, end - at_);
      take_all("order rank ranks placement placed places place reverse");
    } else if (is(at_, "left right") && at_ > 0 && word(at_ - 1) == "from") {
      const std::string side = "from " + word(at_);  // messages come from there
      take(at_ - 1, 2);
      leave_unclear(side, fmt::format("what comes \"{}\"? Say: to the left; to the right", side));
    } else if (is(at_, "left right")) {
      asked_.left = word(at_) == "left";
      take(at_);
      take_all("to neighbour neighbor neighbours direction around round");
    } else if ((other && is(at_ + 1, "direction way round around ring")) ||
               is(at_, "backward backwards reverse reversed") ||
               (word(at_) == "around" && any("ring direction way"))) {
      asked_.other_direction = true;
      take(at_, other && word(at_ + 1) != "ring" ? 2 : 1);
      take_all("direction way round around");
    }
  }

  // ---- One word ----

  void parse_word() {
    const std::string now = word(at_);
    if (now == kTaken || is_one_of(now, "and also plus on then but too is not additionally")) {
      if (now == "not") return parse_not();
      return;
    }
    if (is_number(now)) return number(now);
    if (is_shape(now)) return set("shape", now), void(asked_.says_data = true);
    if (now == "from" || now == "to" || now == "root") return root();
    if (now == "simulated" || now == kSimTransport)
      return void(asked_.simulated = understood_ = true);
    // "fast" alone takes slow ranks off; "is a tree faster?" asks for a time.
    if (is_one_of(now, kFastWords))
      return words_.size() == 1 || any(kRankWords) ? make_equally_fast() : void();
    if (is_one_of(now, "elements element = n p network") || is_one_of(now, kDataWords) ||
        is_one_of(now, kRankWords))
      return;
    if (is_one_of(now, "wait waits") && is(at_ + 1, "message messages data chunk"))
      throw UserError(
          "ranks that receive before they send run a program of their own: say rendezvous for "
          "sends that wait");
    if (is_one_of(now, "block blocks blocking wait waits"))
      return set("mode", negated_ ? "buffered" : "rendezvous");
    if (is_one_of(now, kNegations)) return parse_not();
    // "if I double it" says nothing of a type.
    const std::string type = now == "doubles" || (now == "double" && !opens_) ? "float64" : now;
    if (const auto known = listed(choices_of(job_field("dtype")), type))
      return set("dtype", *known);
    if (const auto op = listed(choices_of(job_field("op")), now)) return set("op", *op);
    if (const auto mode = listed(choices_of(job_field("send_mode")), now))
      return set("mode", *mode);
    if (const auto link = listed(transport_list(&Transport::processes), now))
      return set("transport", *link);
    if (algorithm(now)) return;
    if (!is_ordinary(now)) refuse_word(words_[at_].typed);
    ordinary_ = words_[at_].typed;
  }

  // "sends do not block".
  void parse_not() {
    if (!is(at_ + 1, "block blocks blocking wait waits")) refuse_word(words_[at_].typed);
    negated_ = true;
  }

  void number(const std::string& now) {
    const std::string& unit = word(at_ + 1);
    const bool counts_ranks = is_one_of(unit, kRankWords);
    const bool counts_data =
        is_one_of(unit, "elements element numbers values floats") ||
        listed(choices_of(job_field("dtype")), is_one_of(unit, "double doubles") ? "float64" : unit)
            .has_value();
    const bool behind_rank = at_ > 0 && is(at_ - 1, "ranks = n p");
    // "6 steps" are a result, and "2 messages" cannot be set.
    if (is(at_ + 1,
           "message messages vector vectors network networks step steps round rounds chunk chunks "
           "times") &&
        words_[at_ + 1].follows)
      return leave_unclear(
          now + " " + unit,
          fmt::format("what of \"{0} {1}\"? Say for example: {0} ranks; {0} elements; {0} MB", now,
                      unit));
    // "rank 3 has the data": one of them, not how many.
    if (at_ > 0 && is(at_ - 1, "rank process worker gpu") && !counts_ranks && !counts_data)
      return void(named_rank_ = now);
    if (counts_ranks && says_ranks_ && parsed_.job.world.size != as_number<int>(now))
      throw UserError(fmt::format("which one: {} ranks or {}?", parsed_.job.world.size, now));
    says_ranks_ = says_ranks_ || counts_ranks;
    if (counts_ranks || (!counts_data && (!asked_.has_ranks || behind_rank))) {
      asked_.has_ranks = true;
      set("ranks", now);
      if (counts_ranks) ++at_;
      else if (!behind_rank) parsed_.bare_number = now;
      return;
    }
    set("count", now);
    asked_.says_data = true;
    if (is_one_of(unit, "element elements numbers values")) ++at_;
  }

  /// Without "slow", a rank can only be the root.
  void use_named_rank() {
    if (named_rank_.empty()) return;
    if (asked_.any_slow) {  // "who is the slow one? say rank 5"
      asked_.slow.push_back(named_rank_);
      asked_.any_slow = false;
      return;
    }
    const auto* const collective = traits_of_job(parsed_.job);
    if (collective != nullptr && collective->rooted && asked_.root.empty() &&
        (can_be_root_ || words_.size() < 3))
      asked_.root = named_rank_, understood_ = true;
    else if (!understood_ || asked_.root.empty())
      throw UserError(
          fmt::format("what about rank {0}? Say: rank {0} slow; broadcast from {0}", named_rank_));
  }

  void leave_unclear(std::string words, std::string lacks) {
    parsed_.unclear.push_back(std::move(words));
    unclear_ = std::move(lacks);
  }

  void root() {
    const std::string said = words_[at_].typed;
    while (is(at_ + 1, "rank the root")) ++at_;
    const bool named = is(at_ + 1, "first last");
    if (!is_number(word(at_ + 1)) && !named) {
      const std::string lacks =
          fmt::format("\"{}\" which rank? Say for example: broadcast from 2", said);
      if (at_ + 1 == words_.size() && said != "to") throw UserError(lacks);
      if (said != "to") leave_unclear(said, lacks);
      return;
    }
    ++at_;
    require_root(word(at_));
    asked_.root = word(at_);
    understood_ = true;
  }

  void require_root(const std::string& rank) const {
    const auto* const collective = traits_of_job(parsed_.job);
    if (collective != nullptr && !collective->rooted)
      throw UserError(fmt::format("a run of {} has no root: say for example broadcast from {}",
                                  collective->name, is_number(rank) ? rank : "0"));
  }

  bool algorithm(const std::string& name) {
    says_algorithm_ = true;
    if (find_algorithm(name) != nullptr) return set("algorithm", name), true;
    const Algorithm* const found =
        algorithm_called(name, traits_of_job(parsed_.job), named_ != nullptr);
    if (found == nullptr) return says_algorithm_ = false;
    if (named_ != nullptr && to_string(found->collective) != named_->name) {
      std::vector<std::string_view> names;
      for (const auto& one : algorithms())
        if (to_string(one.collective) == named_->name) names.push_back(one.short_name());
      throw UserError(fmt::format("{} has no algorithm \"{}\": {}", named_->name, name,
                                  fmt::join(names, ", ")));
    }
    set("algorithm", std::string(found->name));
    return true;
  }

  void set(const std::string& key, const std::string& value) {
    understood_ = true;
    set_job_word(parsed_.job, key, value);
  }

  ParsedJob parsed_;
  std::size_t at_ = 0;
  bool opens_ = false;  ///< "what if", "with", "and": a change.
  const CollectiveTraits* named_ = nullptr;
  bool says_algorithm_ = false;
  bool negated_ = false, is_said_factor_ = false, says_ranks_ = false;
  bool understood_ = false;   ///< Some word says what to change.
  bool can_be_root_ = false;  ///< "has", "sends": the rank that is named is the root.
  std::string unclear_;       ///< What a number or a name lacks; an error if nothing else is said.
  std::string ordinary_;      ///< A word that says nothing, as it was typed.
  std::string named_rank_;    ///< "3" of "rank 3 has the data".
  AskedChanges asked_;
};

}  // namespace

ParsedJob parse_words(const JobSpec& job, std::vector<PlainWord> words, std::string_view text) {
  return QuestionParser(job, std::move(words), text).parse();
}

}  // namespace rankscope::gui
