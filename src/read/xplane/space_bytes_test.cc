#include "read/xplane/space_bytes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "base/testing/temp_dir.h"
#include "read/xplane/line.h"
#include "read/xplane/testing/space_writer.h"
#include "read/xplane/xplane_reader.h"

namespace stepscope::xplane {
namespace {

std::string SmallSpace() {
  PlaneWriter host("/host:CPU");
  host.Line(1, "python3", 1000)
      .Event("train", 0, 9'000'000, {{"step_num", 7}, {"_r", 1}})
      .Event("dense/MatMul:MatMul", 1'000'000, 2'000'000);
  host.Line(2, "other", 1000).Event("y", 1'000'000, 9'000'000);
  PlaneWriter gpu("/device:GPU:0");
  gpu.Line(14, "Stream #14(Compute)", 1000).Event("sgemm", 0, 1000, {{"correlation_id", 3}});
  return SpaceOf({host.Finish(), gpu.Finish()});
}

// What reading shows, as text.
std::string Shown(const Result<Trace>& trace, const Diagnostics& diagnostics) {
  std::string text;
  for (const auto& entry : diagnostics.entries()) {
    text += std::to_string(static_cast<int>(entry.code)) + " x" + std::to_string(entry.count);
    for (const auto& example : entry.examples) {
      text += " at " + (example.offset ? std::to_string(*example.offset) : "?");
    }
    text += '\n';
  }
  if (!trace) return text + InEnglish(trace.error().sentence);
  text += std::to_string(trace->events.in_file) + " events\n";
  for (uint32_t row = 0; row < trace->slices.size(); ++row) {
    text += std::string(trace->Name(row)) + ' ' + std::to_string(trace->slices.start[row].ns) +
            ' ' + std::to_string(trace->slices.duration[row].ns) + '\n';
  }
  for (const EventPlace& place : trace->places) text += std::to_string(place.offset) + '\n';
  return text;
}

class SpaceBytesTest : public testing::Test {
 protected:
  std::string path() const { return folder_ / "t.xplane.pb"; }
  void Write(const std::string& bytes) const {
    std::ofstream(path(), std::ios::binary | std::ios::trunc) << bytes;
  }
  static std::string FromMemory(const std::string& bytes) {
    TaskPool pool(1);
    Diagnostics diagnostics;
    const Result<Trace> trace = ReadXPlane(SpaceBytes(bytes), "t", pool, diagnostics);
    return Shown(trace, diagnostics);
  }
  std::string InPieces(const std::string& bytes) const {
    Write(bytes);
    const auto file = RegularFile::Open(path());
    const auto pieces = SpaceBytes::Open(*file);
    if (!pieces) return FromMemory(bytes);  // nothing in it
    TaskPool pool(2);
    Diagnostics diagnostics;
    const Result<Trace> trace = ReadXPlane(*pieces, "t", pool, diagnostics);
    EXPECT_FALSE(file->Damage());
    return Shown(trace, diagnostics);
  }

  TempDir folder_;
};

TEST_F(SpaceBytesTest, PiecesGiveWhatTheWholeGives) {
  const std::string whole = SmallSpace();
  EXPECT_EQ(InPieces(whole), FromMemory(whole));
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    EXPECT_EQ(InPieces(cut), FromMemory(cut)) << "cut at " << size;
  }
}

TEST_F(SpaceBytesTest, PiecesOfDamagedFilesGiveWhatTheWholeGives) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string bytes = SmallSpace();
    for (int i = 0; i < 3; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    EXPECT_EQ(InPieces(bytes), FromMemory(bytes)) << "round " << round;
  }
}

// Lines are read through a window of 1 MiB: borders of windows fall inside events, and one event is
// larger than the window.
TEST_F(SpaceBytesTest, EventsAcrossAndBeyondTheWindow) {
  PlaneWriter host("/host:CPU");
  auto& line = host.Line(1, "python3", 0);
  const std::string text(100'000, 'x');
  for (int64_t i = 0; i < 60; ++i) line.Event("op", i * 1'000'000, 1000, {{"long_name", text}});
  line.Event("large", 70'000'000, 1000, {{"long_name", std::string(5'000'000, 'y')}});
  line.Event("last", 80'000'000, 1000);
  const std::string whole = SpaceOf({host.Finish()});
  const std::string shown = InPieces(whole);
  EXPECT_EQ(shown, FromMemory(whole));
  EXPECT_NE(shown.find("62 events"), std::string::npos);
  EXPECT_NE(shown.find("last 80000 1"), std::string::npos);
}

// What is gone reads as zeros, and the file says so afterwards.
TEST_F(SpaceBytesTest, AFileThatIsCutWhileItIsRead) {
  const std::string whole = SmallSpace();
  Write(whole);
  const auto file = RegularFile::Open(path());
  const auto pieces = SpaceBytes::Open(*file);
  std::filesystem::resize_file(path(), whole.size() / 2);
  const SpaceBytes::Piece piece = pieces->Load(pieces->all());
  EXPECT_EQ(piece.bytes().substr(0, whole.size() / 2), whole.substr(0, whole.size() / 2));
  EXPECT_EQ(piece.bytes().find_first_not_of('\0', whole.size() / 2), std::string_view::npos);
  ASSERT_TRUE(file->Damage());
  EXPECT_EQ(file->Damage()->code, ErrorCode::kDamaged);
  EXPECT_EQ(file->Damage()->offset, whole.size() / 2);
  TaskPool pool(1);
  Diagnostics diagnostics;
  EXPECT_TRUE(ReadXPlane(*pieces, "t", pool, diagnostics));  // nothing worse than fewer events
}

}  // namespace
}  // namespace stepscope::xplane
