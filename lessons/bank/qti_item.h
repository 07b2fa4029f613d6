// One question as an item of QTI 2.1.
#pragma once

#include <string>

#include "lessons/bank/bank.h"

namespace rankscope {

/// An XML file. Pictures are in the folder beside that of the items ("../pictures/NAME").
std::string qti_item_xml(const BankItem& item);
/// What identifies it: letters, digits, "_", "-", beginning with a letter.
std::string qti_identifier(const std::string& id);
inline constexpr std::string_view kQtiNamespace = "http://www.imsglobal.org/xsd/imsqti_v2p1";

}  // namespace rankscope
