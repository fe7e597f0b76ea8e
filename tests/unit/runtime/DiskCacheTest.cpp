// The on-disk cache: round trips, damage, foreign folders, eviction, many writers at once.
#include "Fakes.h"

#include "phobos/runtime/DiskCache.h"
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace phobos::fake;
using namespace phobos::runtime;

namespace {

DiskCache::Key keyOf(uint64_t value) {
  ContentKey key;
  key.add(value);
  return key.digest();
}

std::string entryPath(const DiskCache &cache, const DiskCache::Key &key) {
  return cache.folder() + "/" + DiskCache::entryName(key);
}

uint64_t sizeOf(const std::string &path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 ? status.st_size : 0;
}

bool exists(const std::string &path) { return ::access(path.c_str(), F_OK) == 0; }

const DiskCache::Sections kSections{"contract", std::string("\0\1binary", 8), ""};

TEST(DiskCache, RoundTrip) {
  TemporaryFolder folder;
  DiskCache cache({folder.path(), 1 << 20, ""});
  ASSERT_TRUE(cache.usable()) << cache.whyOff();
  EXPECT_FALSE(cache.load(keyOf(1)));
  ASSERT_TRUE(cache.store(keyOf(1), kSections));
  EXPECT_EQ(cache.load(keyOf(1)), kSections);
  EXPECT_FALSE(cache.load(keyOf(2)));
  DiskCache again({folder.path(), 1 << 20, ""});
  EXPECT_EQ(again.load(keyOf(1)), kSections);
}

TEST(DiskCache, FolderIsTheUsersAlone) {
  TemporaryFolder folder;
  DiskCache cache({folder.path() + "/a/b", 1 << 20, ""});
  ASSERT_TRUE(cache.usable());
  struct stat status;
  ASSERT_EQ(::stat(cache.folder().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_TRUE(cache.store(keyOf(1), kSections));
  ASSERT_EQ(::stat(entryPath(cache, keyOf(1)).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);

  ::chmod(cache.folder().c_str(), 0755);
  DiskCache open({folder.path() + "/a/b", 1 << 20, ""});
  EXPECT_FALSE(open.usable());
  EXPECT_NE(open.whyOff().find("is open to other users; chmod 700 makes it usable"), std::string::npos)
      << open.whyOff();
  EXPECT_FALSE(open.store(keyOf(2), kSections));
  EXPECT_FALSE(open.load(keyOf(1)));
}

TEST(DiskCache, LinksAreNotFollowed) {
  TemporaryFolder folder, elsewhere;
  ASSERT_EQ(::symlink(elsewhere.path().c_str(), (folder.path() + "/kernels").c_str()), 0);
  DiskCache linked({folder.path(), 1 << 20, ""});
  EXPECT_FALSE(linked.usable());

  TemporaryFolder own;
  DiskCache cache({own.path(), 1 << 20, ""});
  ASSERT_TRUE(cache.store(keyOf(1), kSections));
  ASSERT_EQ(::rename(entryPath(cache, keyOf(1)).c_str(), (elsewhere.path() + "/entry").c_str()), 0);
  ASSERT_EQ(::symlink((elsewhere.path() + "/entry").c_str(), entryPath(cache, keyOf(1)).c_str()), 0);
  EXPECT_FALSE(cache.load(keyOf(1)));
}

TEST(DiskCache, EntriesOfOthersAreIgnored) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs to give a file away";
  }
  TemporaryFolder folder;
  DiskCache cache({folder.path(), 1 << 20, ""});
  ASSERT_TRUE(cache.store(keyOf(1), kSections));
  ASSERT_EQ(::chown(entryPath(cache, keyOf(1)).c_str(), 12345, 12345), 0);
  EXPECT_FALSE(cache.load(keyOf(1)));
  ASSERT_TRUE(cache.store(keyOf(1), kSections)); // replaced by our own
  EXPECT_EQ(cache.load(keyOf(1)), kSections);

  ASSERT_EQ(::chown(cache.folder().c_str(), 12345, 12345), 0);
  DiskCache foreign({folder.path(), 1 << 20, ""});
  EXPECT_FALSE(foreign.usable());
  EXPECT_NE(foreign.whyOff().find("belongs to another user"), std::string::npos);
}

TEST(DiskCache, EntriesThatOthersMayWriteAreIgnored) {
  TemporaryFolder folder;
  DiskCache cache({folder.path(), 1 << 20, ""});
  ASSERT_TRUE(cache.store(keyOf(1), kSections));
  ::chmod(entryPath(cache, keyOf(1)).c_str(), 0666);
  EXPECT_FALSE(cache.load(keyOf(1)));
}

// CASES 48: every bit flipped and every truncation of an entry makes it missing, never wrong.
TEST(DiskCache, DamagedEntriesAreMissing) {
  TemporaryFolder folder;
  DiskCache cache({folder.path(), 1 << 20, ""});
  ASSERT_TRUE(cache.store(keyOf(1), kSections));
  std::string path = entryPath(cache, keyOf(1));
  std::string whole(sizeOf(path), '\0');
  int file = ::open(path.c_str(), O_RDONLY);
  ASSERT_EQ(::read(file, whole.data(), whole.size()), static_cast<ssize_t>(whole.size()));
  ::close(file);
  auto write = [&](const std::string &bytes) {
    int out = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ASSERT_EQ(::write(out, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::close(out);
  };
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] ^= 1 << (bit % 8);
    write(flipped);
    ASSERT_FALSE(cache.load(keyOf(1))) << "bit " << bit;
    ASSERT_FALSE(exists(path)) << "a damaged entry is removed";
  }
  for (size_t length = 0; length < whole.size(); ++length) {
    write(whole.substr(0, length));
    ASSERT_FALSE(cache.load(keyOf(1))) << "first " << length << " bytes";
  }
  write(whole + "x");
  EXPECT_FALSE(cache.load(keyOf(1)));
  write(whole);
  EXPECT_EQ(cache.load(keyOf(1)), kSections);
}

TEST(DiskCache, AnEntryUnderAnothersNameIsRefused) {
  TemporaryFolder folder;
  DiskCache cache({folder.path(), 1 << 20, ""});
  ASSERT_TRUE(cache.store(keyOf(1), kSections));
  ASSERT_EQ(::rename(entryPath(cache, keyOf(1)).c_str(), entryPath(cache, keyOf(2)).c_str()), 0);
  EXPECT_FALSE(cache.load(keyOf(2)));
}

TEST(DiskCache, LeastRecentlyUsedGoFirst) {
  TemporaryFolder folder;
  DiskCache cache({folder.path(), 10000, ""});
  DiskCache::Sections big{std::string(1800, 'x')};
  auto age = [&](uint64_t key, int seconds) {
    timespec times[2] = {{::time(nullptr) - seconds, 0}, {::time(nullptr) - seconds, 0}};
    ::utimensat(AT_FDCWD, entryPath(cache, keyOf(key)).c_str(), times, 0);
  };
  for (uint64_t i = 0; i < 5; ++i) {
    ASSERT_TRUE(cache.store(keyOf(i), big));
    age(i, 100 - static_cast<int>(i));
  }
  ASSERT_TRUE(cache.load(keyOf(0))); // used just now
  ASSERT_TRUE(cache.store(keyOf(5), big));
  EXPECT_TRUE(exists(entryPath(cache, keyOf(0))));
  EXPECT_FALSE(exists(entryPath(cache, keyOf(1))));
  EXPECT_TRUE(exists(entryPath(cache, keyOf(5))));
  uint64_t total = 0;
  for (uint64_t i = 0; i < 6; ++i) {
    total += sizeOf(entryPath(cache, keyOf(i)));
  }
  EXPECT_LE(total, 10000u);
  EXPECT_FALSE(cache.store(keyOf(9), {std::string(20000, 'x')})); // larger than the whole bound
}

TEST(DiskCache, DeadWritersAreCleanedUp) {
  TemporaryFolder folder;
  DiskCache cache({folder.path(), 1 << 20, ""});
  std::string stale = cache.folder() + "/.writing-1-1", fresh = cache.folder() + "/.writing-1-2";
  for (const std::string &path : {stale, fresh}) {
    ::close(::open(path.c_str(), O_WRONLY | O_CREAT, 0600));
  }
  timespec old[2] = {{::time(nullptr) - 7200, 0}, {::time(nullptr) - 7200, 0}};
  ::utimensat(AT_FDCWD, stale.c_str(), old, 0);
  ASSERT_TRUE(cache.store(keyOf(1), kSections));
  EXPECT_FALSE(exists(stale));
  EXPECT_TRUE(exists(fresh));
}

TEST(DiskCache, AFolderRemovedMeanwhileIsMadeAgain) {
  TemporaryFolder folder;
  DiskCache cache({folder.path(), 1 << 20, ""});
  ASSERT_EQ(::rmdir(cache.folder().c_str()), 0);
  EXPECT_FALSE(cache.load(keyOf(1)));
  EXPECT_TRUE(cache.store(keyOf(1), kSections));
  EXPECT_EQ(cache.load(keyOf(1)), kSections);
}

TEST(DiskCache, ConcurrentProcessesSeeWholeEntries) {
  TemporaryFolder folder;
  auto sectionsOf = [](uint64_t i) {
    return DiskCache::Sections{std::string(20000, static_cast<char>('a' + i)), std::to_string(i)};
  };
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    pid_t pid = ::fork();
    if (pid == 0) {
      DiskCache cache({folder.path(), 150000, ""}); // small: eviction runs all the time
      int wrong = cache.usable() ? 0 : 100;
      for (int round = 0; round < 150 && !wrong; ++round) {
        uint64_t i = (round * 7 + child) % 9;
        auto found = cache.load(keyOf(i));
        wrong += found && *found != sectionsOf(i);
        cache.store(keyOf(i), sectionsOf(i));
      }
      ::_exit(wrong);
    }
    children.push_back(pid);
  }
  for (pid_t pid : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
}

TEST(DiskCache, SettingsFromTheEnvironment) {
  struct Variables {
    Variables() {
      for (const char *name : {"PHOBOS_CACHE", "PHOBOS_CACHE_DIR", "PHOBOS_CACHE_SIZE", "XDG_CACHE_HOME", "HOME"}) {
        const char *value = ::getenv(name);
        saved.emplace_back(name, value ? std::optional<std::string>(value) : std::nullopt);
        ::unsetenv(name);
      }
    }
    ~Variables() {
      for (const auto &[name, value] : saved) {
        value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
      }
    }
    std::vector<std::pair<std::string, std::optional<std::string>>> saved;
  } variables;
  EXPECT_NE(DiskCache::settingsFromEnvironment().whyOff, "");
  ::setenv("HOME", "/nobody", 1);
  EXPECT_EQ(DiskCache::settingsFromEnvironment().folder, "/nobody/.cache/phobos");
  ::setenv("XDG_CACHE_HOME", "/xdg", 1);
  EXPECT_EQ(DiskCache::settingsFromEnvironment().folder, "/xdg/phobos");
  ::setenv("PHOBOS_CACHE_DIR", "/mine", 1);
  EXPECT_EQ(DiskCache::settingsFromEnvironment().folder, "/mine");
  ::setenv("PHOBOS_CACHE_SIZE", "64M", 1);
  EXPECT_EQ(DiskCache::settingsFromEnvironment().maxBytes, 64u << 20);
  ::setenv("PHOBOS_CACHE_SIZE", "123", 1);
  EXPECT_EQ(DiskCache::settingsFromEnvironment().maxBytes, 123u);
  for (const char *bad : {"lots", "12X", "99999999999G", ""}) {
    ::setenv("PHOBOS_CACHE_SIZE", bad, 1);
    EXPECT_EQ(DiskCache::settingsFromEnvironment().whyOff.empty(), *bad == 0) << bad;
  }
  ::setenv("PHOBOS_CACHE", "0", 1);
  EXPECT_EQ(DiskCache::settingsFromEnvironment().folder, "");
}

} // namespace
