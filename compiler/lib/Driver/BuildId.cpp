// Identifies this build of the compiler by its contents: the build-id note that the linker computes over the whole of
// libphobos, LLVM included, so that any change of the compiler changes it and no version number has to be kept.
#include "phobos/Driver/Compiler.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <elf.h>
#include <link.h>

namespace phobos {
namespace {

struct Search {
  const void *inside;
  std::string id;
};

std::string noteOf(const char *note, size_t size) {
  const char *end = note + size;
  auto align = [](size_t n) { return (n + 3) & ~size_t(3); };
  while (note + sizeof(ElfW(Nhdr)) <= end) {
    auto *header = reinterpret_cast<const ElfW(Nhdr) *>(note);
    const char *name = note + sizeof(*header);
    const char *description = name + align(header->n_namesz);
    if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4 && llvm::StringRef(name, 3) == "GNU") {
      return llvm::toHex(llvm::StringRef(description, header->n_descsz), /*LowerCase=*/true);
    }
    note = description + align(header->n_descsz);
  }
  return {};
}

int visit(dl_phdr_info *object, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  auto address = reinterpret_cast<ElfW(Addr)>(search.inside);
  bool ours = false;
  uint64_t hash = 0;
  std::string note;
  for (const ElfW(Phdr) &segment : llvm::ArrayRef(object->dlpi_phdr, object->dlpi_phnum)) {
    ElfW(Addr) start = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= start && address < start + segment.p_memsz) {
      ours = true;
      hash = llvm::xxh3_64bits(llvm::StringRef(reinterpret_cast<const char *>(start), segment.p_filesz));
    } else if (segment.p_type == PT_NOTE && note.empty()) {
      note = noteOf(reinterpret_cast<const char *>(start), segment.p_memsz);
    }
  }
  if (!ours) {
    return 0;
  }
  // A linker that writes no note: the code itself.
  search.id = note.empty() ? llvm::utohexstr(hash, /*LowerCase=*/true) : note;
  return 1;
}

} // namespace

const std::string &buildId() {
  static const std::string id = [] {
    Search search{reinterpret_cast<const void *>(&buildId), {}};
    dl_iterate_phdr(visit, &search);
    return search.id;
  }();
  return id;
}

} // namespace phobos
