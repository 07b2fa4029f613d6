// Rejects JSON that is nested too deeply before the library parses it.
#include "lessons/grading/shallow_json.h"

#include <cstddef>
#include <string>

#include "engine/core/base/error.h"

namespace rankscope {
namespace {

using nlohmann::json;

// Looks at the levels alone, before anything is made: the library's parser with a callback looks through a whole
// list at the end of each object in it.
class Levels : public nlohmann::json_sax<json> {
 public:
  bool start_object(std::size_t /*size*/) override { return deeper(); }
  bool start_array(std::size_t /*size*/) override { return deeper(); }
  bool end_object() override { return less_deep(); }
  bool end_array() override { return less_deep(); }
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool key(string_t& /*value*/) override { return true; }
  // What is wrong is said by the parser proper.
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }

 private:
  bool deeper() {
    if (++depth_ > kMostJsonLevels) throw UserError("it has lists within lists, too deep");
    return true;
  }
  bool less_deep() {
    --depth_;
    return true;
  }
  int depth_ = 0;
};

}  // namespace

nlohmann::json parse_shallow_json(std::string_view text) {
  Levels levels;
  json::sax_parse(text, &levels);
  return json::parse(text);
}

}  // namespace rankscope
