// Which rank of a host has which part of a TWRW table of a tower. Private to src/infer.
#pragma once

#include "infer/evaluate.h"

namespace shardstats::infer_detail {

// Up to v0.5.0 a TWCW table of a tower leaves the ranks of the host in the order of their load, in which TWRW tables of
// the same tower that follow get their parts. Sets order_open for all that may be such tables: releases before v0.5.0
// do not print which modules are towers, and a damaged log may have lost it, or the TWCW tables.
void leave_orders_open(PlanInputs& plan);

}  // namespace shardstats::infer_detail
