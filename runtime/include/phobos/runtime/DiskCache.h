// Compiled kernels on disk, named by the hash of everything they depend on. The folder is the user's own: made with
// mode 0700, refused if it belongs to someone else, is a link or is open to others; an entry of another owner is not
// read. Entries are written beside their place and renamed, so that concurrent processes see all of one or none; each
// carries a checksum, and a damaged one is removed and counts as missing. The oldest by last use go when the folder
// grows past its bound.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phobos::runtime {

/// SHA-256 over fields, each preceded by its length, so that no two lists of fields run together.
class ContentKey {
public:
  void add(std::string_view field);
  void add(uint64_t value);
  std::array<uint8_t, 32> digest() const;

private:
  std::string bytes_;
};

class DiskCache {
public:
  struct Settings {
    std::string folder; // empty: off
    uint64_t maxBytes = 0;
    std::string whyOff; // one sentence, if off
  };
  /// $PHOBOS_CACHE=0 turns it off; $PHOBOS_CACHE_DIR, else $XDG_CACHE_HOME/phobos, else ~/.cache/phobos;
  /// $PHOBOS_CACHE_SIZE in bytes, or with K, M or G.
  static Settings settingsFromEnvironment();

  explicit DiskCache(Settings settings);
  ~DiskCache();
  DiskCache(const DiskCache &) = delete;
  DiskCache &operator=(const DiskCache &) = delete;

  bool usable() const { return descriptor_ >= 0; }
  /// Why it is not, in one sentence.
  const std::string &whyOff() const { return settings_.whyOff; }
  /// The folder that entries are in.
  const std::string &folder() const { return folder_; }

  using Key = std::array<uint8_t, 32>;
  using Sections = std::vector<std::string>;

  std::optional<Sections> load(const Key &key);
  /// False if it could not be written (a full disk, say): the caller goes on without.
  bool store(const Key &key, const Sections &sections);

  static std::string entryName(const Key &key);

private:
  void open();
  void evict(const std::string &keep);

  Settings settings_;
  std::string folder_;
  int descriptor_ = -1;
};

} // namespace phobos::runtime
