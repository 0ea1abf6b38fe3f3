// The compute kernels of tables as they are printed (log-format.md section 3.6). Private to src/log.
#pragma once

#include <string_view>

#include "shardstats/vocabulary.h"

namespace shardstats::log_detail {

// Of the releases that know it.
struct KernelName {
  std::string_view name;
  Release since, until;
};
inline constexpr KernelName kKernelNames[] = {
    {"batched_dense", Release::v0_1_0, Release::v0_1_1},
    {"batched_fused", Release::v0_1_0, Release::v0_1_1},
    {"batched_fused_uvm", Release::v0_1_0, Release::v0_1_1},
    {"batched_fused_uvm_caching", Release::v0_1_0, Release::v0_1_1},
    {"batched_quant", Release::v0_1_0, Release::v0_1_1},
    {"batched_quant_uvm", Release::v0_1_1, Release::v0_1_1},
    {"batched_quant_uvm_caching", Release::v0_1_1, Release::v0_1_1},
    {"dense", Release::v0_1_0, Release::main_branch},
    {"sparse", Release::v0_1_0, Release::v0_1_1},
    {"fused", Release::v0_2_0, Release::main_branch},
    {"fused_uvm", Release::v0_2_0, Release::main_branch},
    {"fused_uvm_caching", Release::v0_2_0, Release::main_branch},
    {"quant", Release::v0_2_0, Release::main_branch},
    {"quant_uvm", Release::v0_2_0, Release::main_branch},
    {"quant_uvm_caching", Release::v0_2_0, Release::main_branch},
    {"key_value", Release::v0_8_0, Release::main_branch},
    {"customized_kernel", Release::v1_2_0, Release::main_branch},
    {"ssd_virtual_table", Release::v1_3_0, Release::main_branch},
    {"dram_virtual_table", Release::v1_3_0, Release::main_branch},
    {"fused_triton", Release::v1_6_0, Release::main_branch},
    {"dram_ssd_virtual_table", Release::v1_8_0, Release::main_branch},
    {"unfused_tpu", Release::main_branch, Release::main_branch},
};

}  // namespace shardstats::log_detail
