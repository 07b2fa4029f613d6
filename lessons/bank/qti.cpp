// Writes a question bank as a package of QTI 2.1 items with their manifest and pictures (IMS Question and Test
// Interoperability, Assessment Test, Section, and Item Information Model v2.1, 2012; IMS Content Packaging 1.1.4; README.md).
#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/paint/svg.h"
#include "lessons/bank/bank.h"
#include "lessons/text/list_text.h"
#include "lessons/text/zip_writer.h"

namespace rankscope {
namespace {

constexpr std::string_view kQtiNamespace = "http://www.imsglobal.org/xsd/imsqti_v2p1";

/// An identifier: letters, digits, "_" and "-", beginning with a letter.
std::string qti_identifier(const std::string& id) {
  std::string out = "Q_";
  for (const char c : id)
    out += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' ? c : '_';
  return out;
}

std::string response_name(std::size_t index) {
  return index == 0 ? "RESPONSE" : fmt::format("RESPONSE_{}", index + 1);
}

std::string choice_name(std::size_t index) { return fmt::format("CHOICE_{}", index + 1); }

std::string declaration(const std::string& name, std::string_view cardinality,
                        std::string_view type, const std::vector<std::string>& right,
                        const std::string& mapping = {}) {
  std::string out =
      fmt::format("  <responseDeclaration identifier=\"{}\" cardinality=\"{}\" baseType=\"{}\">\n",
                  name, cardinality, type);
  if (!right.empty())
    out += "    <correctResponse>" +
           joined(right, "",
                  [](const auto& one) { return "<value>" + xml_escaped(one) + "</value>"; }) +
           "</correctResponse>\n";
  return out + mapping + "  </responseDeclaration>\n";
}

// All right options together give the points; if several may be chosen, all wrong ones together cost them.
std::string choice_mapping(const BankItem& item) {
  const auto right = static_cast<double>(ranges::count_if(item.options, &BankAnswer::is_right));
  const double wrong = std::max(1.0, static_cast<double>(item.options.size()) - right);
  std::string out =
      fmt::format("    <mapping lowerBound=\"0\" upperBound=\"{}\" defaultValue=\"0\">\n",
                  bank_number(item.points));
  for (std::size_t i = 0; i < item.options.size(); ++i) {
    const double value = item.options[i].is_right ? item.points / right
                         : item.multiple          ? -item.points / wrong
                                                  : 0;
    out += fmt::format("      <mapEntry mapKey=\"{}\" mappedValue=\"{}\"/>\n", choice_name(i),
                       bank_number(value));
  }
  return out + "    </mapping>\n";
}

std::string responses(const BankItem& item) {
  std::vector<std::string> right;
  switch (item.kind) {
    case BankItem::Kind::choice:
      for (std::size_t i = 0; i < item.options.size(); ++i)
        if (item.options[i].is_right) right.push_back(choice_name(i));
      return declaration(response_name(0), item.multiple ? "multiple" : "single", "identifier",
                         right, choice_mapping(item));
    case BankItem::Kind::order:
      for (std::size_t i = 0; i < item.steps.size(); ++i) right.push_back(choice_name(i));
      return declaration(response_name(0), "ordered", "identifier", right);
    case BankItem::Kind::essay: return declaration(response_name(0), "single", "string", {});
    case BankItem::Kind::blanks: break;
  }
  std::string out;
  for (std::size_t i = 0; i < item.blanks.size(); ++i) {
    const BankBlank& one = item.blanks[i];
    out += declaration(response_name(i), "single", one.text.empty() ? "float" : "string",
                       {one.text.empty() ? bank_number(one.value) : one.text});
  }
  return out;
}

std::string outcomes(const BankItem& item) {
  std::string out = fmt::format(
      "  <outcomeDeclaration identifier=\"SCORE\" cardinality=\"single\" baseType=\"float\">"
      "<defaultValue><value>0</value></defaultValue></outcomeDeclaration>\n"
      "  <outcomeDeclaration identifier=\"MAXSCORE\" cardinality=\"single\" baseType=\"float\">"
      "<defaultValue><value>{}</value></defaultValue></outcomeDeclaration>\n",
      bank_number(item.points));
  if (!item.explanation.empty())
    out +=
        "  <outcomeDeclaration identifier=\"FEEDBACK\" cardinality=\"single\" "
        "baseType=\"identifier\"><defaultValue><value>general_fb</value></defaultValue>"
        "</outcomeDeclaration>\n";
  return out;
}

std::string choices(const std::vector<std::string>& texts) {
  std::string out;
  for (std::size_t i = 0; i < texts.size(); ++i)
    out += fmt::format("      <simpleChoice identifier=\"{}\">{}</simpleChoice>\n", choice_name(i),
                       texts[i]);
  return out;
}

// Writes the steps backwards, so that they are not in the right order even where a system does not shuffle.
std::string choices_backwards(const std::vector<std::string>& texts) {
  std::string out;
  for (std::size_t i = texts.size(); i-- > 0;)
    out += fmt::format("      <simpleChoice identifier=\"{}\">{}</simpleChoice>\n", choice_name(i),
                       texts[i]);
  return out;
}

std::string interaction(const BankItem& item) {
  switch (item.kind) {
    case BankItem::Kind::choice: {
      std::vector<std::string> texts;
      for (const BankAnswer& one : item.options) texts.push_back(one.text);
      return fmt::format(
          "    <choiceInteraction responseIdentifier=\"RESPONSE\" shuffle=\"true\" "
          "maxChoices=\"{}\">\n{}    </choiceInteraction>\n",
          item.multiple ? 0 : 1, choices(texts));
    }
    case BankItem::Kind::order:
      return fmt::format(
          "    <orderInteraction responseIdentifier=\"RESPONSE\" shuffle=\"true\">\n{}"
          "    </orderInteraction>\n",
          choices_backwards(item.steps));
    case BankItem::Kind::essay:
      return "    <extendedTextInteraction responseIdentifier=\"RESPONSE\" "
             "expectedLines=\"15\"/>\n";
    case BankItem::Kind::blanks: break;
  }
  return {};
}

std::string body(const BankItem& item) {
  const std::string prompt = with_marks(
      item.prompt,
      [](std::size_t i) {
        return fmt::format(
            "<textEntryInteraction responseIdentifier=\"{}\" expectedLength=\"12\"/>",
            response_name(i));
      },
      [](const std::string& name) { return "../pictures/" + xml_escaped(name); });
  std::string out = "  <itemBody>\n    <div>" + prompt + "</div>\n" + interaction(item);
  if (!item.for_marker.empty())
    out += "    <rubricBlock view=\"scorer\">" + item.for_marker + "</rubricBlock>\n";
  return out + "  </itemBody>\n";
}

// A number is right within its tolerance; QTI's "exact" allows none.
std::string equals(const BankBlank& blank, const std::string& variable, double value) {
  const std::string mode = blank.tolerance > 0
                               ? fmt::format("toleranceMode=\"absolute\" tolerance=\"{0} {0}\"",
                                             bank_number(blank.tolerance))
                               : "toleranceMode=\"exact\"";
  return fmt::format(
      "<equal {}><variable identifier=\"{}\"/><baseValue baseType=\"float\">{}</baseValue></equal>",
      mode, variable, bank_number(value));
}

std::string condition(const BankBlank& blank, const std::string& variable) {
  if (!blank.text.empty())
    return fmt::format(
        "<stringMatch caseSensitive=\"false\"><variable identifier=\"{}\"/><baseValue "
        "baseType=\"string\">{}</baseValue></stringMatch>",
        variable, xml_escaped(blank.text));
  std::string out = equals(blank, variable, blank.value);
  for (const double also : blank.also) out += equals(blank, variable, also);
  return blank.also.empty() ? out : "<or>" + out + "</or>";
}

std::string processing(const BankItem& item) {
  constexpr std::string_view kTemplates = "http://www.imsglobal.org/question/qti_v2p1/rptemplates/";
  if (item.kind == BankItem::Kind::essay) return {};
  if (item.kind == BankItem::Kind::choice)
    return fmt::format("  <responseProcessing template=\"{}map_response\"/>\n", kTemplates);
  if (item.kind == BankItem::Kind::order)
    return "  <responseProcessing>\n    <responseCondition><responseIf><match><variable "
           "identifier=\"RESPONSE\"/><correct identifier=\"RESPONSE\"/></match><setOutcomeValue "
           "identifier=\"SCORE\"><variable identifier=\"MAXSCORE\"/></setOutcomeValue></responseIf>"
           "</responseCondition>\n  </responseProcessing>\n";
  const double share = item.points / static_cast<double>(item.blanks.size());
  std::string out = "  <responseProcessing>\n";
  for (std::size_t i = 0; i < item.blanks.size(); ++i)
    out += fmt::format(
        "    <responseCondition><responseIf>{}<setOutcomeValue identifier=\"SCORE\"><sum><variable "
        "identifier=\"SCORE\"/><baseValue baseType=\"float\">{}</baseValue></sum></setOutcomeValue>"
        "</responseIf></responseCondition>\n",
        condition(item.blanks[i], response_name(i)), bank_number(share));
  return out + "  </responseProcessing>\n";
}

/// Pictures are in the folder beside that of the items ("../pictures/NAME").
std::string qti_item_xml(const BankItem& item) {
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<assessmentItem xmlns=\"{0}\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"{0} "
      "http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd\" identifier=\"{1}\" title=\"{2}\" "
      "adaptive=\"false\" timeDependent=\"false\">\n",
      kQtiNamespace, qti_identifier(item.id), xml_escaped(item.title));
  out += responses(item) + outcomes(item) + body(item) + processing(item);
  if (!item.explanation.empty())
    out += fmt::format(
        "  <modalFeedback outcomeIdentifier=\"FEEDBACK\" identifier=\"general_fb\" "
        "showHide=\"show\">{}</modalFeedback>\n",
        item.explanation);
  return out + "</assessmentItem>\n";
}

std::string item_file(const BankItem& item) { return "items/" + qti_identifier(item.id) + ".xml"; }

std::string test_xml(const QuestionBank& bank, const std::string& title) {
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<assessmentTest xmlns=\"{0}\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"{0} "
      "http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd\" identifier=\"TEST\" "
      "title=\"{1}\">\n  <testPart identifier=\"PART\" navigationMode=\"nonlinear\" "
      "submissionMode=\"simultaneous\">\n",
      kQtiNamespace, xml_escaped(title));
  for (const BankSection& section : bank.sections) {
    if (section.items.empty()) continue;
    out += fmt::format(
        "    <assessmentSection identifier=\"SECTION_{}\" title=\"{}\" visible=\"true\">\n",
        qti_identifier(section.slug), xml_escaped(section.title));
    for (const BankItem& item : section.items)
      out += fmt::format("      <assessmentItemRef identifier=\"{}\" href=\"{}\"/>\n",
                         qti_identifier(item.id), item_file(item));
    out += "    </assessmentSection>\n";
  }
  return out + "  </testPart>\n</assessmentTest>\n";
}

std::string item_resource(const BankItem& item) {
  std::string out = fmt::format(
      "    <resource identifier=\"RES_{0}\" type=\"imsqti_item_xmlv2p1\" href=\"{1}\">\n"
      "      <file href=\"{1}\"/>\n",
      qti_identifier(item.id), item_file(item));
  for (const BankPicture& picture : item.pictures)
    out += fmt::format("      <file href=\"pictures/{}\"/>\n", xml_escaped(picture.name));
  return out + "    </resource>\n";
}

std::string manifest_xml(const QuestionBank& bank) {
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<manifest xmlns=\"http://www.imsglobal.org/xsd/imscp_v1p1\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
      "xsi:schemaLocation=\"http://www.imsglobal.org/xsd/imscp_v1p1 "
      "http://www.imsglobal.org/xsd/qti/qtiv2p1/qtiv2p1_imscpv1p2_v1p0.xsd\" "
      "identifier=\"MANIFEST\">\n  <metadata>\n    <schema>QTIv2.1 Package</schema>\n"
      "    <schemaversion>1.0.0</schemaversion>\n  </metadata>\n  <organizations/>\n"
      "  <resources>\n    <resource identifier=\"RES_TEST\" type=\"imsqti_test_xmlv2p1\" "
      "href=\"test.xml\">\n      <file href=\"test.xml\"/>\n");
  std::string items;
  for (const BankSection& section : bank.sections)
    for (const BankItem& item : section.items) {
      out += fmt::format("      <dependency identifierref=\"RES_{}\"/>\n", qti_identifier(item.id));
      items += item_resource(item);
    }
  return out + "    </resource>\n" + items + "  </resources>\n</manifest>\n";
}

}  // namespace

std::string qti_package(const QuestionBank& bank, const std::string& title) {
  ZipWriter zip;
  zip.add("imsmanifest.xml", manifest_xml(bank));
  zip.add("test.xml", test_xml(bank, title));
  std::set<std::string> pictures;
  for (const BankSection& section : bank.sections)
    for (const BankItem& item : section.items) {
      zip.add(item_file(item), qti_item_xml(item));
      for (const BankPicture& picture : item.pictures)
        if (pictures.insert(picture.name).second)
          zip.add("pictures/" + picture.name, picture.bytes);
    }
  return zip.finish();
}

}  // namespace rankscope
