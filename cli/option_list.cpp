// Implements OptionList and OptionHandle on CLI11, the only option code that includes CLI11's
// templates.
#include "cli/option_list.h"

#include <CLI/CLI.hpp>

namespace rankscope::cli {

OptionHandle OptionHandle::description(const std::string& text) const {
  return OptionHandle(option_->description(text));
}
OptionHandle OptionHandle::required() const { return OptionHandle(option_->required()); }
OptionHandle OptionHandle::default_str(const std::string& text) const {
  return OptionHandle(option_->default_str(text));
}
OptionHandle OptionHandle::capture_default_str() const {
  return OptionHandle(option_->capture_default_str());
}
OptionHandle OptionHandle::excludes(OptionHandle other) const {
  return OptionHandle(option_->excludes(other.option_));
}
OptionHandle OptionHandle::allow_extra_args(bool allow) const {
  return OptionHandle(option_->allow_extra_args(allow));
}
OptionHandle OptionHandle::expected(int least, int most) const {
  return OptionHandle(option_->expected(least, most));
}
std::size_t OptionHandle::count() const { return option_->count(); }

OptionList OptionList::in_group(const std::string& heading) const {
  OptionList list = *this;
  list.group_ = heading;
  return list;
}

OptionHandle OptionList::added(CLI::Option* option) const {
  return OptionHandle(group_ ? option->group(*group_) : option);
}

template <class T>
OptionHandle OptionList::add_option(const std::string& names, const std::string& placeholder,
                                    T& into, const std::string& help) const {
  return added(app_->add_option(names, into, help)->type_name(placeholder));
}
using Text = const std::string&;
template OptionHandle OptionList::add_option(Text, Text, std::string&, Text) const;
template OptionHandle OptionList::add_option(Text, Text, std::vector<std::string>&, Text) const;
template OptionHandle OptionList::add_option(Text, Text, int&, Text) const;
template OptionHandle OptionList::add_option(Text, Text, std::uint64_t&, Text) const;
template OptionHandle OptionList::add_option(Text, Text, double&, Text) const;

OptionHandle OptionList::add_flag(const std::string& names, bool& into,
                                  const std::string& help) const {
  return added(app_->add_flag(names, into, help));
}
OptionHandle OptionList::get_option(const std::string& name) const {
  return OptionHandle(app_->get_option(name));
}
const CLI::App& OptionList::program() const { return *app_->get_parent(); }
std::size_t OptionList::count(const std::string& name) const { return app_->count(name); }

}  // namespace rankscope::cli
