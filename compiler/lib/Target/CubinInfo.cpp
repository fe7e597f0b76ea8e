// Reads a kernel's resources from its cubin, an ELF file: attributes in .nv.info, static shared memory by section size.
#include "phobos/Target/PTXToCubin.h"

#include "llvm/Object/ELF.h"

namespace phobos::target {
namespace {

using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;

// .nv.info is a list of {format, attribute, value}; format 4 has a 16-bit size and that many bytes.
constexpr uint8_t kFormatSized = 4;
constexpr uint8_t kAttributeFrameSize = 0x11, kAttributeRegisterCount = 0x2f; // payload: symbol index, value

struct Attributes {
  std::optional<uint32_t> registers, frame;
};

Attributes readAttributes(llvm::ArrayRef<uint8_t> info, uint32_t symbol) {
  Attributes found;
  while (info.size() >= 4) {
    uint8_t format = info[0], attribute = info[1];
    uint16_t size = llvm::support::endian::read16le(&info[2]);
    info = info.drop_front(4);
    if (format != kFormatSized) {
      continue; // the value was in the 16 bits
    }
    if (size > info.size()) {
      break;
    }
    if (size >= 8 && llvm::support::endian::read32le(&info[0]) == symbol) {
      uint32_t value = llvm::support::endian::read32le(&info[4]);
      if (attribute == kAttributeRegisterCount) {
        found.registers = value;
      } else if (attribute == kAttributeFrameSize) {
        found.frame = value;
      }
    }
    info = info.drop_front(size);
  }
  return found;
}

} // namespace

llvm::Expected<Resources> readResources(llvm::StringRef cubin, llvm::StringRef entry, const Chip &chip) {
  auto problem = [](llvm::Error error) {
    return toolError("the cubin is not an ELF file as expected: " + llvm::toString(std::move(error)));
  };
  llvm::Expected<Elf> elf = Elf::create(cubin);
  if (!elf) {
    return problem(elf.takeError());
  }
  auto sections = elf->sections();
  if (!sections) {
    return problem(sections.takeError());
  }
  Resources resources;
  std::optional<uint32_t> symbol;
  llvm::ArrayRef<uint8_t> info;
  for (const auto &section : *sections) {
    llvm::Expected<llvm::StringRef> name = elf->getSectionName(section);
    if (!name) {
      return problem(name.takeError());
    }
    if (*name == (".text." + entry).str()) {
      resources.registers = section.sh_info >> 24;
    } else if (*name == (".nv.shared." + entry).str()) {
      resources.staticSharedBytes = section.sh_size;
    } else if (*name == ".nv.info") {
      llvm::Expected<llvm::ArrayRef<uint8_t>> contents = elf->getSectionContents(section);
      if (!contents) {
        return problem(contents.takeError());
      }
      info = *contents;
    } else if (section.sh_type == llvm::ELF::SHT_SYMTAB) {
      auto symbols = elf->symbols(&section);
      auto strings = elf->getStringTableForSymtab(section);
      if (!symbols || !strings) {
        return problem(llvm::joinErrors(symbols.takeError(), strings.takeError()));
      }
      for (const auto &[index, candidate] : llvm::enumerate(*symbols)) {
        llvm::Expected<llvm::StringRef> symbolName = candidate.getName(*strings);
        if (!symbolName) {
          return problem(symbolName.takeError());
        }
        if (*symbolName == entry && candidate.getType() == llvm::ELF::STT_FUNC) {
          symbol = index;
        }
      }
    }
  }
  if (!symbol) {
    return toolError("the cubin has no kernel '" + entry.str() + "'");
  }
  Attributes attributes = readAttributes(info, *symbol);
  if (attributes.registers) {
    resources.registers = *attributes.registers;
  }
  resources.staticSharedBytes -= std::min(resources.staticSharedBytes, chip.reservedSharedBytes());
  resources.stackBytes = attributes.frame.value_or(0);
  return resources;
}

} // namespace phobos::target
