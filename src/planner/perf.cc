#include "shardstats/planner/perf.h"

namespace shardstats {
namespace {

using enum Release;
using R = PerfRules;
constexpr auto SS = GroupComms::shared_size, FO = GroupComms::forward_only, RA = GroupComms::ratio,
               GR = GroupComms::groups, PO = GroupComms::pods;
constexpr auto no = InferencePerf::none, col = InferencePerf::by_columns, cr = InferencePerf::by_columns_and_rows,
               all = InferencePerf::all;

// Columns in the order of the struct; section 3.9 is the source of every cell. v0.1.0 has another model (1.2).
// clang-format off
constexpr std::array<PerfRules, 20> kReleases = {{
    //           parts wire   dp8    group  coll   link   m      m_w    infer kvssd  mtia
    R{v0_1_0,      0, false, false, SS, false, false, false, false, no,  false, false, 0.35},
    R{v0_1_1,      0, false, false, SS, false, false, false, false, no,  false, false, 0.35},
    R{v0_2_0,      0, false, false, SS, false, false, false, false, no,  false, false, 0.5},
    R{v0_3_0,      0, false, false, SS, false, false, false, false, col, false, false, 0.5},
    R{v0_3_2,      0, false, false, SS, false, false, false, false, col, false, false, 0.5},
    R{v0_4_0,      0, false, false, SS, false, false, false, false, col, false, false, 0.5},
    R{v0_5_0,      4, true,  true,  FO, false, false, false, false, col, false, false, 0.5},
    R{v0_6_0,      4, true,  true,  FO, false, false, true,  false, col, false, false, 0.5},
    R{v0_7_0,      5, true,  true,  FO, false, false, true,  false, col, false, false, 0.5},
    R{v0_8_0,      5, true,  true,  FO, false, false, true,  true,  cr,  false, false, 0.5},
    R{v1_0_0,      5, true,  true,  FO, false, false, true,  true,  cr,  false, false, 0.5},
    R{v1_1_0,      5, true,  true,  FO, false, true,  true,  true,  cr,  false, false, 0.5},
    R{v1_2_0,      5, true,  true,  RA, false, true,  true,  true,  cr,  false, false, 0.5},
    R{v1_3_0,      5, true,  true,  RA, true,  true,  true,  true,  cr,  false, false, 0.5},
    R{v1_4_0,      5, true,  true,  RA, true,  true,  true,  true,  cr,  false, true,  0.5},
    R{v1_5_0,      5, true,  true,  RA, true,  true,  true,  true,  cr,  false, true,  0.5},
    R{v1_6_0,      5, true,  true,  GR, true,  true,  true,  true,  all, true,  true,  0.5},
    R{v1_7_0,      5, true,  true,  PO, true,  true,  true,  true,  all, true,  true,  0.5},
    R{v1_8_0,      5, true,  true,  PO, true,  true,  true,  true,  all, true,  true,  0.5},
    R{main_branch, 5, true,  true,  PO, true,  true,  true,  true,  all, true,  true,  0.5},
}};
// clang-format on

double bytes_of(WirePrecision precision) {
  switch (precision) {
    case WirePrecision::fp32:
      return 4;
    case WirePrecision::half:
      return 2;
    case WirePrecision::int8:
    case WirePrecision::fp8:
      break;
  }
  return 1;
}

// Reduce-scatter has no 8-bit float: it falls back to 16 bits.
double scattered_bytes(WirePrecision precision) { return precision == WirePrecision::fp8 ? 2 : bytes_of(precision); }

}  // namespace

const PerfRules& perf_rules_of(Release release) { return kReleases[static_cast<std::size_t>(release)]; }

bool same_perf(const PerfRules& a, const PerfRules& b) {
  return a.parts == b.parts && a.wire_sizes == b.wire_sizes && a.dp_index_bytes == b.dp_index_bytes &&
         a.groups == b.groups && a.collectives == b.collectives && a.link_to_ddr == b.link_to_ddr &&
         a.multiplier == b.multiplier && a.weighted_multiplier == b.weighted_multiplier && a.inference == b.inference &&
         a.key_value_on_ssd == b.key_value_on_ssd && a.mtia_in_hbm == b.mtia_in_hbm && a.dense_share == b.dense_share;
}

WireSizes wire_sizes(const PerfRules& rules, Codecs codecs, bool sequence, double element_size) {
  if (!codecs.quantized || !rules.wire_sizes) return {element_size, element_size, element_size, element_size};
  WireSizes sizes{bytes_of(codecs.forward), bytes_of(codecs.backward), element_size, element_size};
  if (sequence) return sizes;  // sequences have an all-to-all codec only
  sizes.scatter_forward = scattered_bytes(codecs.forward);
  sizes.scatter_backward = scattered_bytes(codecs.backward);
  return sizes;
}

}  // namespace shardstats
