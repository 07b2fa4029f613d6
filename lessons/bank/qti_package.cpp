// Packs items of QTI 2.1 with their manifest and pictures (IMS Content Packaging 1.1.4, README.md).
#include <set>
#include <stdexcept>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include "engine/diagrams/paint/svg.h"
#include "lessons/bank/bank.h"
#include "lessons/bank/qti_item.h"

namespace rankscope {
namespace {

class ZipWriter {
 public:
  ZipWriter() : archive_(archive_write_new()) {
    archive_write_set_format_zip(archive_);
    archive_write_set_bytes_in_last_block(archive_, 1);
    check(archive_write_open(archive_, this, nullptr, &take, nullptr));
  }
  ~ZipWriter() { archive_write_free(archive_); }
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  // Without a date, so that the same questions are the same file.
  void add(const std::string& name, const std::string& bytes) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_size(entry, static_cast<la_int64_t>(bytes.size()));
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    const int state = archive_write_header(archive_, entry);
    archive_entry_free(entry);
    check(state);
    if (archive_write_data(archive_, bytes.data(), bytes.size()) < 0) check(ARCHIVE_FATAL);
  }

  std::string finish() {
    check(archive_write_close(archive_));
    return std::move(bytes_);
  }

 private:
  static la_ssize_t take(archive*, void* self, const void* data, std::size_t size) {
    static_cast<ZipWriter*>(self)->bytes_.append(static_cast<const char*>(data), size);
    return static_cast<la_ssize_t>(size);
  }
  void check(int state) const {
    if (state < ARCHIVE_WARN)
      throw std::runtime_error(fmt::format("zip: {}", archive_error_string(archive_)));
  }

  archive* archive_;
  std::string bytes_;
};

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
