// The on-disk cache of compiled kernels; DiskCache.h states its guarantees. Every file is opened relative to the
// folder's descriptor and without following links, so that what was checked is what is used.
#include "phobos/runtime/DiskCache.h"

#include "ByteSize.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/SHA256.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace phobos::runtime {
namespace {

constexpr char kMagic[8] = {'P', 'H', 'O', 'B', 'O', 'S', '0', '1'};
constexpr std::string_view kEntrySuffix = ".phobos";
constexpr std::string_view kTemporaryPrefix = ".writing-";
constexpr uint64_t kDefaultMaxBytes = uint64_t(1) << 30;
constexpr uint64_t kMaxEntryBytes = uint64_t(1) << 30;
constexpr uint32_t kMaxSections = 64;
constexpr time_t kStaleTemporarySeconds = 3600;
constexpr size_t kDigestBytes = 32;

using Digest = std::array<uint8_t, kDigestBytes>;

Digest sha256(std::string_view bytes) {
  return llvm::SHA256::hash(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
}

/// What an entry begins with; its sections follow: their lengths, then their bytes.
struct Header {
  char magic[8];
  uint8_t key[kDigestBytes];      // the name again: an entry under another's name is refused
  uint8_t checksum[kDigestBytes]; // of everything after the header
  uint64_t bodyBytes;
};

class File {
public:
  explicit File(int descriptor) : descriptor(descriptor) {}
  ~File() {
    if (descriptor >= 0) {
      ::close(descriptor);
    }
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  explicit operator bool() const { return descriptor >= 0; }
  int operator*() const { return descriptor; }

private:
  int descriptor;
};

bool readAll(int descriptor, char *to, size_t count) {
  while (count) {
    ssize_t got = ::read(descriptor, to, count);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return false;
    }
    to += got;
    count -= got;
  }
  return true;
}

bool writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t put = ::write(descriptor, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) {
      continue;
    }
    if (put <= 0) {
      return false;
    }
    bytes.remove_prefix(put);
  }
  return true;
}

/// The folder and its parents, each 0700 where it is made here.
bool makeFolders(const std::string &path) {
  for (size_t at = 1; at <= path.size(); ++at) {
    if (at == path.size() || path[at] == '/') {
      if (::mkdir(path.substr(0, at).c_str(), 0700) != 0 && errno != EEXIST && errno != EROFS && errno != EACCES) {
        return false;
      }
    }
  }
  return true;
}

std::string bodyOf(const DiskCache::Sections &sections) {
  std::string body;
  auto put = [&](uint64_t value) { body.append(reinterpret_cast<const char *>(&value), sizeof value); };
  put(sections.size());
  for (const std::string &section : sections) {
    put(section.size());
  }
  for (const std::string &section : sections) {
    body += section;
  }
  return body;
}

std::optional<DiskCache::Sections> sectionsOf(std::string_view body) {
  auto take = [&](uint64_t &value) {
    if (body.size() < sizeof value) {
      return false;
    }
    std::memcpy(&value, body.data(), sizeof value);
    body.remove_prefix(sizeof value);
    return true;
  };
  uint64_t count = 0;
  if (!take(count) || count > kMaxSections) {
    return std::nullopt;
  }
  std::vector<uint64_t> lengths(count);
  for (uint64_t &length : lengths) {
    if (!take(length)) {
      return std::nullopt;
    }
  }
  DiskCache::Sections sections;
  for (uint64_t length : lengths) {
    if (length > body.size()) {
      return std::nullopt;
    }
    sections.emplace_back(body.substr(0, length));
    body.remove_prefix(length);
  }
  return body.empty() ? std::optional(std::move(sections)) : std::nullopt;
}

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

} // namespace

void ContentKey::add(std::string_view field) {
  add(static_cast<uint64_t>(field.size()));
  bytes_.append(field);
}

void ContentKey::add(uint64_t value) { bytes_.append(reinterpret_cast<const char *>(&value), sizeof value); }

std::array<uint8_t, 32> ContentKey::digest() const { return sha256(bytes_); }

DiskCache::Settings DiskCache::settingsFromEnvironment() {
  Settings settings;
  settings.maxBytes = kDefaultMaxBytes;
  if (variable("PHOBOS_CACHE") == "0") {
    settings.whyOff = "PHOBOS_CACHE is 0";
    return settings;
  }
  if (std::string size = variable("PHOBOS_CACHE_SIZE"); !size.empty()) {
    if (auto bytes = parseSize(size)) {
      settings.maxBytes = *bytes;
    } else {
      settings.whyOff = "PHOBOS_CACHE_SIZE is '" + size + "'; " + kExpectedSize;
      return settings;
    }
  }
  if (std::string folder = variable("PHOBOS_CACHE_DIR"); !folder.empty()) {
    settings.folder = folder;
  } else if (std::string cache = variable("XDG_CACHE_HOME"); !cache.empty() && cache[0] == '/') {
    settings.folder = cache + "/phobos";
  } else if (std::string user = variable("HOME"); !user.empty()) {
    settings.folder = user + "/.cache/phobos";
  } else {
    settings.whyOff = "neither PHOBOS_CACHE_DIR, XDG_CACHE_HOME nor HOME is set";
  }
  return settings;
}

DiskCache::DiskCache(Settings settings) : settings_(std::move(settings)) {
  if (!settings_.folder.empty()) {
    folder_ = settings_.folder + "/kernels"; // below the given folder, which may be shared
    open();
  }
}

DiskCache::~DiskCache() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

void DiskCache::open() {
  auto off = [&](const std::string &why) { settings_.whyOff = "the folder " + folder_ + " " + why; };
  if (!makeFolders(folder_)) {
    return off("could not be made: " + std::string(std::strerror(errno)));
  }
  int descriptor = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) {
    return off("could not be opened: " + std::string(std::strerror(errno)));
  }
  struct stat status;
  if (::fstat(descriptor, &status) != 0 || status.st_uid != ::geteuid()) {
    ::close(descriptor);
    return off("belongs to another user");
  }
  if ((status.st_mode & 077) != 0) {
    ::close(descriptor);
    return off("is open to other users; chmod 700 makes it usable");
  }
  descriptor_ = descriptor;
}

std::string DiskCache::entryName(const Key &key) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string name;
  for (uint8_t byte : key) {
    name += kHex[byte >> 4];
    name += kHex[byte & 15];
  }
  return name + std::string(kEntrySuffix);
}

std::optional<DiskCache::Sections> DiskCache::load(const Key &key) {
  if (!usable()) {
    return std::nullopt;
  }
  std::string name = entryName(key);
  File file(::openat(descriptor_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  if (!file || ::fstat(*file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid() ||
      (status.st_mode & 022) != 0) {
    return std::nullopt;
  }
  auto damaged = [&]() -> std::optional<Sections> {
    ::unlinkat(descriptor_, name.c_str(), 0);
    return std::nullopt;
  };
  Header header;
  auto size = static_cast<uint64_t>(status.st_size);
  if (size < sizeof header || size > kMaxEntryBytes ||
      !readAll(*file, reinterpret_cast<char *>(&header), sizeof header) ||
      std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.bodyBytes != size - sizeof header ||
      std::memcmp(header.key, key.data(), key.size()) != 0) {
    return damaged();
  }
  std::string body(header.bodyBytes, '\0');
  if (!readAll(*file, body.data(), body.size())) {
    return damaged();
  }
  Digest checksum = sha256(body);
  if (std::memcmp(header.checksum, checksum.data(), checksum.size()) != 0) {
    return damaged();
  }
  auto sections = sectionsOf(body);
  if (!sections) {
    return damaged();
  }
  ::futimens(*file, nullptr); // eviction goes by last use
  return sections;
}

bool DiskCache::store(const Key &key, const Sections &sections) {
  if (!usable()) {
    return false;
  }
  std::string body = bodyOf(sections);
  Digest checksum = sha256(body);
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  std::memcpy(header.key, key.data(), key.size());
  std::memcpy(header.checksum, checksum.data(), checksum.size());
  header.bodyBytes = body.size();
  if (sizeof header + body.size() > std::min(settings_.maxBytes, kMaxEntryBytes)) {
    return false;
  }
  static std::atomic<uint64_t> counter{0};
  std::string name = entryName(key);
  std::string temporary = std::string(kTemporaryPrefix) + std::to_string(::getpid()) + "-" + std::to_string(counter++);
  {
    File file(::openat(descriptor_, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file && errno == ENOENT && makeFolders(folder_)) { // the folder was removed meanwhile
      ::close(descriptor_);
      descriptor_ = -1;
      open();
      return usable() && store(key, sections);
    }
    if (!file) {
      return false;
    }
    if (!writeAll(*file, {reinterpret_cast<const char *>(&header), sizeof header}) || !writeAll(*file, body)) {
      ::unlinkat(descriptor_, temporary.c_str(), 0);
      return false;
    }
  }
  if (::renameat(descriptor_, temporary.c_str(), descriptor_, name.c_str()) != 0) {
    ::unlinkat(descriptor_, temporary.c_str(), 0);
    return false;
  }
  evict(name);
  return true;
}

void DiskCache::evict(const std::string &keep) {
  struct Entry {
    std::string name;
    uint64_t bytes;
    timespec used;
  };
  int copy = ::openat(descriptor_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); // a directory stream has its own position
  DIR *stream = copy >= 0 ? ::fdopendir(copy) : nullptr;
  if (!stream) {
    if (copy >= 0) {
      ::close(copy);
    }
    return;
  }
  std::vector<Entry> entries;
  uint64_t total = 0;
  while (dirent *item = ::readdir(stream)) {
    std::string_view name = item->d_name;
    struct stat status;
    if (::fstatat(descriptor_, item->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) {
      continue;
    }
    if (name.starts_with(kTemporaryPrefix) && status.st_mtime < ::time(nullptr) - kStaleTemporarySeconds) {
      ::unlinkat(descriptor_, item->d_name, 0); // a writer that died
    } else if (name.ends_with(kEntrySuffix)) {
      entries.push_back({std::string(name), static_cast<uint64_t>(status.st_size), status.st_mtim});
      total += entries.back().bytes;
    }
  }
  ::closedir(stream);
  if (total <= settings_.maxBytes) {
    return;
  }
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  // A tenth below the bound, so that not every store scans and removes.
  uint64_t goal = settings_.maxBytes - settings_.maxBytes / 10;
  for (const Entry &entry : entries) {
    if (total <= goal) {
      break;
    }
    if (entry.name != keep && ::unlinkat(descriptor_, entry.name.c_str(), 0) == 0) {
      total -= entry.bytes;
    }
  }
}

} // namespace phobos::runtime
