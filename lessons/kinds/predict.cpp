// The next message of a run:
//   run = "ring"          one of the lesson's runs
//   after = 2             the number of rounds that are done ("=k" in the question's variables)
// Every message that may come next is right: its sender has sent all that it sends before, and has
// received all that it waits for. Where nothing more is sent, "none" is right.

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "lessons/kinds/answer_scanner.h"
#include "lessons/kinds/kind.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr std::string_view kExample = "0 -> 1 chunk 2 (or: none)";

struct Guess {
  bool none = false;  ///< No further message comes.
  Rank from = -1, to = -1;
  Piece piece;  ///< Of elements {-1, 0} if the answer names none.
};

/// Returns a piece as an answer writes it, in whole chunks if possible; null for none.
json chunk_json(const Piece& piece) {
  if (piece.whole) return "all";
  if (!piece.exact && piece.elements.offset < 0) return {};
  if (!piece.exact)
    return fmt::format("elements {}-{}", piece.elements.offset, piece.elements.end() - 1);
  if (piece.chunk() >= 0) return piece.chunk();
  return fmt::format("{}-{}", piece.first_chunk, piece.last_chunk);
}

/// Reads "chunk 2", "chunks 2-3", "elements 4-5", "all" or nothing.
Piece scan_piece(AnswerScanner& in) {
  Piece piece;
  if (in.at_end()) return piece;
  piece.whole = in.take("all") || in.take("everything");
  if (piece.whole) return piece;
  piece.exact = !in.take("elements") && !in.take("element");
  if (piece.exact && !in.take("chunks") && !in.take("chunk")) in.take("c");
  piece.first_chunk = piece.last_chunk = in.number("the chunk", 0, 1 << 30);
  if (in.take("-") || in.take("–") || in.take("to"))
    piece.last_chunk = in.number("the last chunk", piece.first_chunk, 1 << 30);
  piece.elements = {piece.first_chunk, piece.last_chunk - piece.first_chunk + 1};
  if (!in.at_end()) in.fail("there is something after the chunk");
  return piece;
}

Guess scan(std::string_view text) {
  AnswerScanner in(text, kExample);
  Guess out;
  if (in.take("none") || in.take("nothing")) {
    if (!in.at_end()) in.fail("there is something after it");
    out.none = true;
    return out;
  }
  const auto rank = [&] {  // "rank 0", "P0", "0"
    if (!in.take("rank")) in.take("P");
  };
  rank();
  out.from = in.number("the sending rank", -1'000'000, 1'000'000);
  if (!in.take_arrow()) in.take(",");
  rank();
  out.to = in.number("the receiving rank", -1'000'000, 1'000'000);
  in.take(",");
  out.piece = scan_piece(in);
  return out;
}

Guess guess_of(const json& answer) {
  if (answer.is_string()) return scan(answer.get_ref<const std::string&>());
  if (!answer.is_object())
    throw UserError(fmt::format("a message is expected ({}), not {}", kExample, brief(answer)));
  if (answer.value("none", json()) == true) return scan("none");
  for (const char* field : {"from", "to"})
    if (filled_in(answer, field) == nullptr)
      throw UserError(fmt::format("'{}' is missing: say which rank", field));
  Guess out;
  out.from = answer_whole(answer["from"], "'from'", -1'000'000, 1'000'000);
  out.to = answer_whole(answer["to"], "'to'", -1'000'000, 1'000'000);
  if (const json* chunk = filled_in(answer, "chunk")) {
    const std::string text = answer_text(*chunk);
    AnswerScanner in(text, "2, 2-3 or all");
    out.piece = scan_piece(in);
  }
  return out;
}

/// A run after a number of rounds, and the messages that may follow.
class Moment {
 public:
  Moment(const RunRecord& run, int after) : run_(run), after_(after) {
    const auto& rounds = run.rounds();
    if (after < 0 || after > rounds.count)
      throw UserError(fmt::format("'after' must be 0 to {}, the rounds of the run, not {}",
                                  rounds.count, after));
    for (std::uint32_t m = 0; m < rounds.messages.size(); ++m) {
      if (rounds.messages[m].sync) continue;
      all_.push_back(m);
      if (!done(m) && blocked_by(m) == BlockedBy::none) next_.push_back(m);
    }
    // Sorted by round, so that the key is a message of the coming round.
    ranges::stable_sort(next_, {}, [&](std::uint32_t m) { return run.rounds().round[m]; });
  }

  const std::vector<std::uint32_t>& next() const noexcept { return next_; }

  json answer(std::uint32_t m) const {
    json out = {{"from", message(m).from}, {"to", message(m).to}};
    if (json chunk = chunk_json(piece_of(m)); !chunk.is_null()) out["chunk"] = chunk;
    return out;
  }

  Judgement judge(const Guess& guess) const {
    if (guess.none)
      return next_.empty() ? Judgement{1, ""} : Judgement{0, "There are messages to come."};
    if (next_.empty()) return {0, "No message comes any more: all have been sent."};
    const int ranks = run_.job.world.size;
    for (const Rank rank : {guess.from, guess.to})
      if (rank < 0 || rank >= ranks)
        return {0, fmt::format("There is no rank {} in this run (0 to {}).", rank, ranks - 1)};
    if (guess.from == guess.to)
      return {0, fmt::format("Rank {0} does not send to itself.", guess.from)};
    for (const auto m : next_) {
      if (message(m).from != guess.from || message(m).to != guess.to) continue;
      if (chunk_json(guess.piece).is_null() && named(m))
        throw UserError("say which chunk it is, or all");
      if (fits(guess.piece, m)) return {1, ""};
    }
    return {0, why_not(guess)};
  }

 private:
  enum class BlockedBy { none, earlier_send, awaited, receiver };

  const MessageRecord& message(std::uint32_t m) const { return run_.rounds().messages[m]; }
  bool done(std::uint32_t m) const {
    return m == MessageOrder::kNoMessage || run_.rounds().round[m] <= after_;
  }
  BlockedBy blocked_by(std::uint32_t m) const {
    if (!done(run_.rounds().order[m].sent_before)) return BlockedBy::earlier_send;
    if (!done(run_.rounds().order[m].known_before)) return BlockedBy::awaited;
    // An eager send may run ahead of its receiver; a rendezvous send waits for the receive.
    const bool waits = run_.trace()[message(m).sent].mode == SendMode::rendezvous;
    return waits && !done(run_.rounds().order[m].received_before) ? BlockedBy::receiver
                                                                  : BlockedBy::none;
  }
  Piece piece_of(std::uint32_t m) const {
    // An all-to-all's message has another place at its sender than at its receiver; its ranks say enough.
    if (run_.trace().meta().collective == Collective::alltoall) return {};
    return run_.pieces().of(message(m));
  }
  bool named(std::uint32_t m) const { return piece_of(m).elements.offset >= 0; }

  bool fits(const Piece& guess, std::uint32_t m) const {
    const Piece piece = piece_of(m);
    if (piece.elements.offset < 0) return true;  // the trace does not say which
    if (guess.whole) return piece.whole;
    if (!guess.exact) return guess.elements == piece.elements;
    return guess.first_chunk == piece.first_chunk && guess.last_chunk == piece.last_chunk;
  }

  std::string why_not(const Guess& guess) const {
    const auto same = [&](std::uint32_t m) {
      return message(m).from == guess.from && message(m).to == guess.to && fits(guess.piece, m);
    };
    const auto of_sender = [&](std::uint32_t m) { return message(m).from == guess.from; };
    const auto later = ranges::find_if(all_, [&](std::uint32_t m) { return same(m) && !done(m); });
    const auto sent = ranges::find_if(all_, [&](std::uint32_t m) { return same(m) && done(m); });
    if (sent != all_.end())
      return fmt::format("That message was already sent in round {}{}.", run_.rounds().round[*sent],
                         later == all_.end() ? "" : " (it comes again, but not now)");
    if (const auto next = ranges::find_if(next_, of_sender); next != next_.end())
      return instead(guess, *next, later != all_.end());
    for (const auto m : all_)
      if (of_sender(m) && !done(m) && blocked_by(m) != BlockedBy::earlier_send) return held_back(m);
    return ranges::any_of(all_, of_sender)
               ? fmt::format("Rank {} has sent all that it sends.", guess.from)
               : fmt::format("Rank {} sends nothing in this run.", guess.from);
  }

  std::string instead(const Guess& guess, std::uint32_t next, bool comes_later) const {
    const std::string right = named(next) ? piece_of(next).name() : "its piece";
    if (comes_later)
      return fmt::format("That comes later: before it, rank {} sends {} to rank {}.", guess.from,
                         right, message(next).to);
    if (message(next).to != guess.to)
      return fmt::format("Rank {} does not send to rank {} now, but to rank {}.", guess.from,
                         guess.to, message(next).to);
    return fmt::format("Rank {} sends {}, not {}.", guess.from, right, guess.piece.name());
  }

  std::string held_back(std::uint32_t m) const {
    if (blocked_by(m) == BlockedBy::receiver)
      return fmt::format("Rank {} cannot send yet: rank {} is not ready to receive.",
                         message(m).from, message(m).to);
    return fmt::format("Rank {} has nothing to send yet: it waits for rank {}.", message(m).from,
                       message(run_.rounds().order[m].known_before).from);
  }

  const RunRecord& run_;
  const int after_;
  std::vector<std::uint32_t> all_, next_;
};

int rounds_done(const Question& question, const Variant& variant, LessonRuns& runs) {
  const json after = expand(question.data.at("after"), variant.values, &runs);
  return answer_whole(after, "'after'", 0, 1 << 30);
}

Moment moment_of(const Question& question, const Variant& variant, LessonRuns& runs) {
  return {runs.run(question.data.at("run").get<std::string>(), variant.values),
          rounds_done(question, variant, runs)};
}

constexpr KindKey kPredictKeys[] = {
    {.name = "run", .is = KindKey::Is::text, .required = true, .students = true},
    {.name = "after", .students = true},
};
constexpr KindRow kPredictRow{.name = "predict",
                              .title = "the next message",
                              .answer = R"({ from, to, chunk }, { none: true } or "none")",
                              .keys = kPredictKeys,
                              .seen_in_run = true};

class PredictKind : public QuestionKind {
 public:
  const KindRow& row() const override { return kPredictRow; }

  void check_further(TomlNode& question) const override {
    if (!question.has("after"))
      question.complain("'after' is missing: how many rounds are done? (0: none)");
  }

  json find_key(const Question& question, const Variant& variant, LessonRuns& runs) const override {
    const Moment moment = moment_of(question, variant, runs);
    return moment.next().empty() ? json("none") : moment.answer(moment.next().front());
  }

  AnswerForm form(const Question& question, const Variant& variant,
                  LessonRuns& runs) const override {
    return {.how =
                "a message: from which rank to which, and what it carries (a chunk's number, "
                "or all); none if nothing more is sent",
            .fields = {{"/from", "from", AnswerField::Type::number},
                       {"/to", "to", AnswerField::Type::number},
                       {"/chunk", "chunk"}},
            .example = "8 -> 9 chunk 7",  // has more ranks than any question
            .picture = {.is = AnswerPicture::Is::messages,
                        .run = question.data.at("run").get<std::string>(),
                        .after = rounds_done(question, variant, runs)}};
  }

  Judgement judge(const Question& question, const Variant& variant, const json&, const json& answer,
                  LessonRuns& runs) const override {
    const Guess guess = guess_of(answer);
    return moment_of(question, variant, runs).judge(guess);
  }

  void require_form(const Question&, const Variant&, const json& answer) const override {
    guess_of(answer);
  }

  bool same(const Question&, const Variant&, const json& other, const json& answer,
            LessonRuns&) const override {
    const Guess a = guess_of(other), b = guess_of(answer);
    // A known mistake that names no chunk matches any chunk.
    return a.none == b.none && a.from == b.from && a.to == b.to &&
           (chunk_json(a.piece).is_null() || chunk_json(a.piece) == chunk_json(b.piece));
  }

  json parse(const Question&, const Variant&, std::string_view typed) const override {
    const Guess guess = scan(typed);
    if (guess.none) return "none";
    json out = {{"from", guess.from}, {"to", guess.to}};
    if (json chunk = chunk_json(guess.piece); !chunk.is_null()) out["chunk"] = chunk;
    return out;
  }

  std::string show(const Question&, const json& answer) const override {
    if (!answer.is_object()) return answer_text(answer);
    const auto field = [&](const char* name) {
      return answer.contains(name) && !blank(answer[name]) ? answer_text(answer[name]) : "?";
    };
    std::string out = fmt::format("{} -> {}", field("from"), field("to"));
    if (!answer.contains("chunk") || blank(answer["chunk"])) return out;
    const std::string chunk = answer_text(answer["chunk"]);
    const bool number = chunk.find_first_not_of("0123456789-") == std::string::npos;
    const bool several = chunk.find('-') != std::string::npos;
    return fmt::format("{} {}{}", out, !number ? "" : several ? "chunks " : "chunk ", chunk);
  }
};

}  // namespace

const QuestionKind& predict_kind() { return only_kind<PredictKind>(); }

}  // namespace rankscope
