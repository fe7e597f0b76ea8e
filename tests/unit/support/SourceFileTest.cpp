// Lines, columns and how a line is shown.
#include "phobos/Support/SourceFile.h"
#include "phobos/Support/Utf8.h"
#include <gtest/gtest.h>

using namespace phobos;

namespace {

SourceFile fileOf(std::string text) { return SourceFile("k.py", std::move(text)); }

TEST(SourceFile, LinesEndAsPythonReadsThem) {
  SourceFile file = fileOf("a\nbc\r\nd\re\x0c\n\n");
  ASSERT_EQ(file.lineCount(), 6u);
  EXPECT_EQ(file.lineText(1), "a");
  EXPECT_EQ(file.lineText(2), "bc");
  EXPECT_EQ(file.lineText(3), "d");
  EXPECT_EQ(file.lineText(4), "e\x0c");
  EXPECT_EQ(file.lineText(5), "");
  EXPECT_EQ(file.lineText(6), "");
  EXPECT_EQ(file.lineNumber(0), 1u);
  EXPECT_EQ(file.lineNumber(1), 1u); // the line break belongs to its line
  EXPECT_EQ(file.lineNumber(2), 2u);
  EXPECT_EQ(file.lineNumber(file.size()), 6u);
}

TEST(SourceFile, EmptyFileHasOneLine) {
  SourceFile file = fileOf("");
  EXPECT_EQ(file.lineCount(), 1u);
  EXPECT_EQ(file.lineText(1), "");
  EXPECT_EQ(file.lineColumn(0).column, 1u);
  EXPECT_EQ(file.displayLine(1), "");
}

TEST(SourceFile, ByteOrderMarkIsNoText) {
  SourceFile file = fileOf("\xEF\xBB\xBFx");
  EXPECT_EQ(file.text(), "x");
  EXPECT_EQ(file.lineColumn(0).column, 1u);
}

TEST(SourceFile, ColumnsCountCharactersDisplayColumnsCells) {
  // é is two bytes and one cell, 好 three bytes and two cells, e + U+0301 two characters and one cell.
  SourceFile file = fileOf("é好e\u0301x");
  EXPECT_EQ(file.lineColumn(2).column, 2u);
  EXPECT_EQ(file.lineColumn(5).column, 3u);
  EXPECT_EQ(file.lineColumn(8).column, 5u);
  EXPECT_EQ(file.displayColumn(2), 2u);
  EXPECT_EQ(file.displayColumn(5), 4u);
  EXPECT_EQ(file.displayColumn(8), 5u);
}

TEST(SourceFile, TabsGoToTheNextStop) {
  SourceFile file = fileOf("\tx\n12\ty");
  EXPECT_EQ(file.displayColumn(1), kTabColumns + 1);
  EXPECT_EQ(file.displayLine(1), "        x");
  EXPECT_EQ(file.displayColumn(6), kTabColumns + 1);
  EXPECT_EQ(file.displayLine(2), "12      y");
  EXPECT_EQ(file.lineColumn(6).column, 4u);
}

TEST(SourceFile, BytesThatAreNoTextAreReplaced) {
  SourceFile file = fileOf(std::string("a\x1b[0m\xff\0z", 8));
  EXPECT_EQ(file.displayLine(1), "a\uFFFD[0m\uFFFD\uFFFDz");
  EXPECT_EQ(file.displayColumn(7), 8u);
}

TEST(Utf8, EveryCodePointRoundTrips) {
  for (uint32_t c = 0; c <= 0x10FFFF; ++c) {
    std::string bytes;
    appendUtf8(bytes, c);
    CodePoint back = decodeUtf8(bytes, 0);
    if (c >= 0xD800 && c < 0xE000) {
      EXPECT_FALSE(back.isValid());
    } else if (back.value != c || back.length != bytes.size()) {
      FAIL() << "U+" << std::hex << c;
    }
  }
}

TEST(Utf8, MalformedBytesAreOneCharacterEach) {
  for (llvm::StringRef bytes : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                                "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xE5\xA5", "\xC3", "\xC3x"}) {
    CodePoint point = decodeUtf8(bytes, 0);
    EXPECT_FALSE(point.isValid());
    EXPECT_EQ(point.length, 1u);
  }
}

} // namespace
