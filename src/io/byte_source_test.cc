#include "io/byte_source.h"

#include <gmock/gmock.h>
#include <isa-l/igzip_lib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <random>
#include <stop_token>
#include <thread>

#include "base/testing/temp_dir.h"

namespace stepscope {
namespace {

using ::testing::HasSubstr;

std::string Gzip(const std::string& text) {
  isal_zstream stream;
  isal_deflate_init(&stream);
  stream.gzip_flag = IGZIP_GZIP;
  stream.end_of_stream = 1;
  std::string out(text.size() + text.size() / 8 + 1024, '\0');
  std::string in = text;
  stream.next_in = reinterpret_cast<uint8_t*>(in.data());
  stream.avail_in = static_cast<uint32_t>(in.size());
  stream.next_out = reinterpret_cast<uint8_t*>(out.data());
  stream.avail_out = static_cast<uint32_t>(out.size());
  EXPECT_EQ(isal_deflate(&stream), COMP_OK);
  out.resize(stream.total_out);
  return out;
}

std::string Zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
  return out;
}

// Text of 300,000 lines that compresses well but is no single run.
std::string LongText() {
  std::mt19937 random(1);
  std::string text;
  while (text.size() < 5'000'000) text += "name " + std::to_string(random() % 1000) + "\n";
  return text;
}

class ByteSourceTest : public ::testing::Test {
 protected:
  const std::string& Write(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return path_;
  }
  TempDir folder_;
  std::string path_ = folder_ / "source";
};

struct Drained {
  std::string text;
  std::optional<Error> error;
  uint64_t garbage = 0;
};

Drained Drain(const std::string& path, size_t piece) {
  Drained drained;
  Result<OpenedSource> opened = OpenSource(path);
  EXPECT_TRUE(opened.has_value());
  std::string buffer(piece, '\0');
  while (true) {
    const Result<size_t> got = opened->bytes->Read(buffer);
    if (!got) {
      EXPECT_FALSE(drained.error.has_value()) << "an error must come once";
      drained.error = got.error();
      continue;
    }
    if (*got == 0) break;
    drained.text.append(buffer, 0, *got);
  }
  drained.garbage = opened->bytes->trailing_garbage();
  return drained;
}

TEST_F(ByteSourceTest, GivesTheSameBytesPlainGzipAndZstd) {
  const std::string text = LongText();
  for (const std::string& bytes : {text, Gzip(text), Zstd(text)}) {
    for (const size_t piece : {size_t{1000}, size_t{1} << 22}) {
      const Drained drained = Drain(Write(bytes), piece);
      EXPECT_TRUE(drained.text == text);
      EXPECT_FALSE(drained.error.has_value());
    }
    const Result<FileBytes> whole = ReadWhole(path_);
    ASSERT_TRUE(whole.has_value());
    EXPECT_TRUE(std::string_view(whole->bytes().data(), whole->bytes().size()) == text);
  }
}

TEST_F(ByteSourceTest, ReadsAllMembersAndFrames) {
  for (const std::string& bytes :
       {Gzip("one ") + Gzip("") + Gzip("two"), Zstd("one ") + Zstd("two")}) {
    const Drained drained = Drain(Write(bytes), 3);
    EXPECT_EQ(drained.text, "one two");
    EXPECT_FALSE(drained.error.has_value());
  }
}

TEST_F(ByteSourceTest, CountsTrailingGarbageButNotPadding) {
  EXPECT_EQ(Drain(Write(Gzip("text") + "garbage"), 100).garbage, 7U);
  EXPECT_EQ(Drain(Write(Zstd("text") + "garbage"), 100).garbage, 7U);
  EXPECT_EQ(Drain(Write(Gzip("text") + std::string(512, '\0')), 100).garbage, 0U);
}

TEST_F(ByteSourceTest, WrongChecksumKeepsTheDataAndSaysSo) {
  std::string bytes = Gzip("some text");
  bytes[bytes.size() - 8] = static_cast<char>(bytes[bytes.size() - 8] ^ 1);
  const Drained drained = Drain(Write(bytes + Gzip(" and more")), 100);
  EXPECT_EQ(drained.text, "some text and more");
  ASSERT_TRUE(drained.error.has_value());
  EXPECT_EQ(drained.error->code, ErrorCode::kDamaged);
  EXPECT_THAT(InEnglish(drained.error->sentence), HasSubstr("checksum"));
}

TEST_F(ByteSourceTest, CutStreamsGiveWhatCameBefore) {
  const std::string text = LongText();
  for (const std::string& bytes : {Gzip(text), Zstd(text)}) {
    for (const size_t cut : {size_t{5}, size_t{20}, bytes.size() / 2, bytes.size() - 1}) {
      const Drained drained = Drain(Write(bytes.substr(0, cut)), 4096);
      EXPECT_TRUE(text.starts_with(drained.text));
      EXPECT_TRUE(drained.error.has_value()) << cut;
    }
    EXPECT_GT(Drain(Write(bytes.substr(0, bytes.size() / 2)), 4096).text.size(), text.size() / 3);
  }
}

TEST_F(ByteSourceTest, WholeContentHasALimit) {
  const Result<FileBytes> whole = ReadWhole(Write(Gzip(std::string(10'000'000, 'x'))), 1'000'000);
  ASSERT_FALSE(whole.has_value());
  EXPECT_THAT(InEnglish(whole.error().sentence), HasSubstr("larger"));
}

TEST_F(ByteSourceTest, WaitsForThePipesWriterAndForAllItWrites) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  std::jthread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::ofstream pipe(path_);
    pipe << "first " << std::flush;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    pipe << "second";
  });
  EXPECT_EQ(Drain(path_, 100).text, "first second");
}

TEST_F(ByteSourceTest, StopsWaitingForASilentPipe) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  std::stop_source stop;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop.request_stop();
  });
  Result<OpenedSource> opened = OpenSource(path_, stop.get_token());
  ASSERT_TRUE(opened.has_value());
  std::string buffer(10, '\0');
  const Result<size_t> got = opened->bytes->Read(buffer);
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, ErrorCode::kInterrupted);
}

// Its bytes come only once, but looking at its head takes none of them away.
TEST_F(ByteSourceTest, APipeIsReadFromItsFirstByteAfterItsHead) {
  const std::string text = LongText();
  const std::string bytes = Gzip(text);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  std::jthread writer([&] { std::ofstream(path_, std::ios::binary) << bytes; });
  for (int i = 0; i < 2; ++i) {
    const Result<std::string> head = HeadOf(path_, 1000);
    ASSERT_TRUE(head);
    EXPECT_EQ(*head, text.substr(0, 1000));
  }
  EXPECT_EQ(Drain(path_, 4096).text, text);
}

TEST_F(ByteSourceTest, MissingFilesAndDirectoriesAreErrors) {
  const Result<OpenedSource> missing = OpenSource(path_ + ".none");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, ErrorCode::kCannotRead);
  EXPECT_EQ(missing.error().file, path_ + ".none");
  EXPECT_FALSE(OpenSource(folder_.path()).has_value());
  EXPECT_TRUE(ReadWhole(Write("")).has_value());
}

// `zstd --long=28` asks for a window of 256 MiB.
TEST_F(ByteSourceTest, LongWindowsOfZstdAreRead) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 28);
  const std::string text = "some text";
  std::string bytes(1000, '\0');
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  ZSTD_outBuffer out{bytes.data(), bytes.size(), 0};
  // In two steps, so that the frame cannot know how small the content is.
  ASSERT_FALSE(ZSTD_isError(ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush)));
  ASSERT_EQ(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end), 0U);
  ZSTD_freeCCtx(context);
  bytes.resize(out.pos);
  const Drained drained = Drain(Write(bytes), 100);
  EXPECT_EQ(drained.text, text);
  EXPECT_FALSE(drained.error.has_value());
}

}  // namespace
}  // namespace stepscope
