// Encodes and decodes control messages and the rendezvous line as JSON and text.
#include "engine/run/conductor/control.h"

#include <charconv>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/run/job_json.h"

namespace rankscope {
namespace {
constexpr std::size_t kZ85Key = 40;

bool is_endpoint(std::string_view text) {
  return text.starts_with("tcp://") || text.starts_with("ipc://");
}
}  // namespace

std::string ControlMessage::encode() const {
  nlohmann::json whole = body.is_null() ? nlohmann::json::object() : body;
  whole["type"] = type;
  return dump_json(whole);
}

std::optional<ControlMessage> ControlMessage::decode(std::string_view text) {
  auto body = parse_json_or_none(text);
  if (!body.is_object()) return std::nullopt;
  const auto type = body.find("type");
  if (type == body.end() || !type->is_string()) return std::nullopt;
  ControlMessage message{type->get<std::string>(), {}};
  message.body = std::move(body);
  return message;
}

void to_json(nlohmann::json& out, const JobSpec& from) { out = json_of(from); }
void from_json(const nlohmann::json& in, JobSpec& into) { into = job_spec_of(in); }
void to_json(nlohmann::json& out, const RankOutcome& from) { out = json_of(from); }
void from_json(const nlohmann::json& in, RankOutcome& into) { into = outcome_of(in); }

std::string Rendezvous::to_string() const {
  std::string text = secret;
  if (keys) text += fmt::format(" {} {}", keys->public_key, keys->secret_key);
  return fmt::format("{} {}", text, control);
}

Rendezvous Rendezvous::parse(std::string_view text) {
  std::istringstream in{std::string(text)};
  Rendezvous r;
  in >> r.secret >> std::ws;
  std::getline(in, r.control);
  if (!is_endpoint(r.control)) {
    std::istringstream rest{r.control};
    CurveKeys keys;
    r.control.clear();
    rest >> keys.public_key >> keys.secret_key >> std::ws;
    std::getline(rest, r.control);
    r.keys = keys;
  }
  if (r.control.ends_with('\r')) r.control.pop_back();
  const bool keys_fit =
      !r.keys || (r.keys->public_key.size() == kZ85Key && r.keys->secret_key.size() == kZ85Key);
  if (!is_endpoint(r.control) || r.secret.size() != 16 || !keys_fit)
    throw UserError(
        "the rendezvous is damaged: it should read 'SECRET [PUBLIC-KEY SECRET-KEY] ENDPOINT', as "
        "`rankscope run --join` wrote it");
  r.secret_number();
  return r;
}

std::uint64_t Rendezvous::secret_number() const {
  std::uint64_t number = 0;
  const auto* end = secret.data() + secret.size();
  const auto [stop, error] = std::from_chars(secret.data(), end, number, 16);
  if (error != std::errc() || stop != end)
    throw UserError("the rendezvous is damaged: its secret is not a hexadecimal number");
  return number;
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof(name) - 1) == 0 ? name : "localhost";
}

std::string boot_id() {
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(in, id);
  return id.empty() ? host_name() : id;
}

}  // namespace rankscope
