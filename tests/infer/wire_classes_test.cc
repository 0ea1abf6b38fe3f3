#include "infer/wire_classes.h"

#include <gtest/gtest.h>

namespace shardstats::infer_detail {
namespace {

constexpr std::size_t kNone = 0, kHalf = 1, kInt8 = 2, kFp8 = 3;  // in codec_table()

struct WireCase {
  const char* name;
  WireKind kind;
  double element_size;
  std::size_t a, b;
  bool equal;
};

TEST(WireClasses, CodecsOfTheSameSizesAreEqual) {
  const std::vector<WireCase> cases = {
      {"8 bits are 8 bits all to all", WireKind::all_to_all, 4, kInt8, kFp8, true},
      {"scattered 8-bit floats take 16 bits", WireKind::scatter, 4, kInt8, kFp8, false},
      {"scattered 8-bit floats take 16 bits", WireKind::scatter, 4, kHalf, kFp8, true},
      {"both count", WireKind::both, 4, kInt8, kFp8, false},
      {"both count", WireKind::both, 4, kHalf, kFp8, false},
      {"sequences are sent all to all only", WireKind::sequence_both, 4, kInt8, kFp8, true},
      {"without codecs 2 bytes stay 2 bytes", WireKind::both, 2, kNone, kHalf, true},
      {"without codecs 4 bytes stay 4 bytes", WireKind::both, 4, kNone, kHalf, false},
      {"one of several element sizes is none of them", WireKind::both, 0, kNone, kHalf, false},
      {"replicas send no outputs", WireKind::none, 4, kNone, kInt8, true},
  };
  for (const WireCase& c : cases) {
    const EqualCodecs equal = equal_codecs(perf_rules_of(Release::v1_8_0), c.kind, c.element_size);
    EXPECT_EQ(equal[c.a] == equal[c.b], c.equal) << c.name;
    EXPECT_LE(equal[c.b], c.b) << c.name;
  }
}

TEST(WireClasses, CodecsOfASharderAreEqualToAllItsTables) {
  WireClasses classes(perf_rules_of(Release::v1_8_0), 2);
  const std::vector<std::size_t> codecs = {kHalf, kFp8};
  EXPECT_EQ(classes.first_of(codecs), (std::vector<std::size_t>{kNone, kNone}));
  classes.add(0, WireKind::all_to_all, static_cast<std::size_t>(element_index(2)));
  classes.add(1, WireKind::all_to_all, static_cast<std::size_t>(element_index(2)));
  EXPECT_EQ(classes.first_of(codecs), (std::vector<std::size_t>{kNone, kInt8}));
  classes.add(0, WireKind::all_to_all, WireClasses::kAnySize);
  classes.add(1, WireKind::both, static_cast<std::size_t>(element_index(2)));
  EXPECT_EQ(classes.first_of(codecs), codecs);
  EXPECT_EQ(classes.first_of({kCodecs, kHalf}), (std::vector<std::size_t>{kCodecs, kNone})) << "not fitted";
}

}  // namespace
}  // namespace shardstats::infer_detail
