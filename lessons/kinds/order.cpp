// Statements to be put into their order:
//   items = ["…", "…", "…"]              in the right order; they are shown shuffled
//   before = [[0, 2], [1, 2]]            only these pairs matter (by position in items); default: all
#include <algorithm>
#include <cctype>
#include <numeric>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/random.h"
#include "engine/core/base/ranges.h"
#include "lessons/kinds/kind.h"
#include "lessons/text/encodings.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr KindKey kOrderKeys[] = {
    {.name = "items", .is = KindKey::Is::texts, .students = true, .in_order = true},
    {.name = "before"},
    {.name = "shuffled", .is = KindKey::Is::flag},
};
constexpr KindRow kOrderRow{.name = "order",
                            .title = "an order",
                            .answer = "a list of letters, or one text of them",
                            .keys = kOrderKeys,
                            .seen_in_run = true};

class OrderKind : public QuestionKind {
 public:
  const KindRow& row() const override { return kOrderRow; }

  void check_further(TomlNode& question) const override {
    const auto items = question.at("items").elements();
    if (items.size() < 2 || items.size() > 26) question.complain("'items' has 2 to 26 texts");
    const auto position = [&](const json& value) {
      return value.is_number_integer() && value.get<std::int64_t>() >= 0 &&
             value.get<std::size_t>() < items.size();
    };
    for (const TomlNode& pair : question.at("before").elements()) {
      const json& value = pair.json();
      if (!value.is_array() || value.size() != 2 || !position(value[0]) || !position(value[1]))
        pair.complain("'before' is a list of pairs of positions in items, counted from 0");
    }
  }

  json find_key(const Question& question, const Variant&, LessonRuns&) const override {
    if (question.data.value("shuffled", false)) return {};  // a student's copy
    const auto places = shown_order(question);
    std::string out(places.size(), '?');
    for (std::size_t letter = 0; letter < places.size(); ++letter)
      out[places[letter]] = static_cast<char>('a' + letter);
    return out;
  }

  AnswerForm form(const Question& question, const Variant& variant, LessonRuns&) const override {
    AnswerField field{"", "", AnswerField::Type::order};
    for (const std::size_t place : shown_order(question))
      field.options.push_back(
          fill_in(question.data.at("items").at(place).get<std::string>(), variant.values));
    return {.how = "the letters in the right order", .fields = {field}, .example = "b, a, c"};
  }

  Judgement judge(const Question& question, const Variant& variant, const json& key,
                  const json& answer, LessonRuns&) const override {
    require_form(question, variant, answer);
    const std::string given = letters_of(question, answer, variant.values),
                      right = letters_of(question, key, {});
    if (given == right) return {1, ""};
    for (const auto& [before, after] : pairs_of(question, right))
      if (given.find(before) >= given.find(after))
        return {0, fmt::format("{} comes before {}.", before, after)};
    return {1, ""};
  }

  void require_form(const Question& question, const Variant& variant,
                    const json& answer) const override {
    std::string sorted = letters_of(question, answer, variant.values),
                all(question.data.at("items").size(), 'a');
    ranges::sort(sorted);
    std::iota(all.begin(), all.end(), 'a');
    if (sorted != all)
      throw UserError(fmt::format("each letter from a to {} is expected once", all.back()));
  }

  json parse(const Question&, const Variant&, std::string_view typed) const override {
    return letters(std::string(typed));
  }
  std::string show(const Question& question, const json& answer) const override {
    const std::string text = letters_of(question, answer, {});
    return fmt::format("{}", fmt::join(text.begin(), text.end(), ", "));
  }

 private:
  // "b, a, c", ["b", "a", "c"], or a list of the items' texts, whose letters are those of this question.
  static std::string letters_of(const Question& question, const json& answer,
                                const Values& values) {
    if (!answer.is_array()) return letters(answer_text(answer));
    if (answer.size() > kMostParts) throw UserError("too many letters");
    const auto places = shown_order(question);
    std::string out;
    for (const json& one : answer) {
      const std::string text = answer_text(one);
      const auto item = ranges::find_if(places, [&](std::size_t place) {
        const auto& own = question.data.at("items").at(place).get_ref<const std::string&>();
        return own == text || fill_in(own, values) == text;
      });
      out += item == places.end()
                 ? letters(text)
                 : std::string(1, static_cast<char>('a' + (item - places.begin())));
    }
    return out;
  }
  static std::string letters(const std::string& text) {
    std::string out;
    for (const char c : text)
      if (std::isalpha(static_cast<unsigned char>(c)))
        out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
  }

  // The item at each letter a, b, ...; never in the right order. All seeds have the same, as a student's copy
  // has only one.
  static std::vector<std::size_t> shown_order(const Question& question) {
    std::vector<std::size_t> out(question.data.at("items").size());
    if (out.size() < 2 || out.size() > 26) throw UserError("'items' has 2 to 26 texts");
    std::iota(out.begin(), out.end(), 0);
    if (question.data.value("shuffled", false)) return out;
    RandomNumbers random(stable_hash(question.id));
    for (std::size_t i = out.size() - 1; i > 0; --i) std::swap(out[i], out[random.below(i + 1)]);
    if (std::ranges::is_sorted(out)) std::ranges::rotate(out, out.begin() + 1);
    return out;
  }

  static std::vector<std::pair<char, char>> pairs_of(const Question& question,
                                                     const std::string& right) {
    std::vector<std::pair<char, char>> out;
    if (question.data.contains("before"))
      for (const json& pair : question.data["before"])
        out.emplace_back(right.at(pair[0].get<std::size_t>()),
                         right.at(pair[1].get<std::size_t>()));
    else
      for (std::size_t i = 0; i < right.size(); ++i)
        for (std::size_t k = i + 1; k < right.size(); ++k) out.emplace_back(right[i], right[k]);
    return out;
  }
};

}  // namespace

const QuestionKind& order_kind() { return only_kind<OrderKind>(); }

}  // namespace rankscope
