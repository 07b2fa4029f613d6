// Implements OptionList and OptionHandle on CLI11, the only option code that includes CLI11's
// templates.
#include "cli/option_list.h"

#include <CLI/CLI.hpp>

namespace rankscope::cli {

OptionHandle OptionHandle::description(const std::string& text) const {
  option_->description(text);
  return *this;
}
OptionHandle OptionHandle::type_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}
OptionHandle OptionHandle::required() const {
  option_->required();
  return *this;
}
OptionHandle OptionHandle::group(const std::string& name) const {
  option_->group(name);
  return *this;
}
OptionHandle OptionHandle::default_str(const std::string& text) const {
  option_->default_str(text);
  return *this;
}
OptionHandle OptionHandle::capture_default_str() const {
  option_->capture_default_str();
  return *this;
}
OptionHandle OptionHandle::excludes(OptionHandle other) const {
  option_->excludes(other.option_);
  return *this;
}
OptionHandle OptionHandle::allow_extra_args(bool allow) const {
  option_->allow_extra_args(allow);
  return *this;
}
OptionHandle OptionHandle::expected(int least, int most) const {
  option_->expected(least, most);
  return *this;
}
std::size_t OptionHandle::count() const { return option_->count(); }

OptionHandle OptionList::add_option(const std::string& names, std::string& into,
                                    const std::string& help) {
  return OptionHandle(app_->add_option(names, into, help));
}
OptionHandle OptionList::add_option(const std::string& names, std::vector<std::string>& into,
                                    const std::string& help) {
  return OptionHandle(app_->add_option(names, into, help));
}
OptionHandle OptionList::add_option(const std::string& names, int& into, const std::string& help) {
  return OptionHandle(app_->add_option(names, into, help));
}
OptionHandle OptionList::add_option(const std::string& names, std::uint64_t& into,
                                    const std::string& help) {
  return OptionHandle(app_->add_option(names, into, help));
}
OptionHandle OptionList::add_option(const std::string& names, double& into,
                                    const std::string& help) {
  return OptionHandle(app_->add_option(names, into, help));
}
OptionHandle OptionList::add_flag(const std::string& names, bool& into, const std::string& help) {
  return OptionHandle(app_->add_flag(names, into, help));
}
OptionHandle OptionList::get_option(const std::string& name) const {
  return OptionHandle(app_->get_option(name));
}
const CLI::App& OptionList::program() const { return *app_->get_parent(); }
std::size_t OptionList::count(const std::string& name) const { return app_->count(name); }

}  // namespace rankscope::cli
