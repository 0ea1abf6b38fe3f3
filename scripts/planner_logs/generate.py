#!/usr/bin/env python3
"""Logs of the installed TorchRec's planner for made-up models: `generate.py OUT SEED COUNT [modules]`.

Writes OUT/<release>_<seed>_<number>.log, the lines that the planner logs, and beside it .json: the options, and storage
(bytes) and perf (ms) of every shard. The same seed and number make the same model in each release, without what that
release does not know. A model for which the planner finds no plan is left out. With `modules` tables are also those of
towers, of quantized, fused and plain modules and of managed collision, hosts may form pods, and the seed has an m.
"""

import importlib
import inspect
import json
import logging
import pathlib
import random
import re
import sys

import torch
import torchrec
from torch import nn
from torchrec.distributed import embedding, embeddingbag
from torchrec.distributed.embedding_types import EmbeddingComputeKernel
from torchrec.distributed.fbgemm_qcomm_codec import CommType, QCommsConfig, get_qcomm_codecs_registry
from torchrec.distributed.fp_embeddingbag import FeatureProcessedEmbeddingBagCollectionSharder
from torchrec.distributed.planner import partitioners, planners, shard_estimators, stats, storage_reservations, types
from torchrec.distributed.planner.enumerators import EmbeddingEnumerator
from torchrec.distributed.types import CacheParams, ShardingType
from torchrec.modules.embedding_configs import DataType, EmbeddingBagConfig, EmbeddingConfig
from torchrec.modules.embedding_modules import EmbeddingBagCollection, EmbeddingCollection
from torchrec.modules.feature_processor_ import PositionWeightedModuleCollection
from torchrec.modules.fp_embedding_modules import FeatureProcessedEmbeddingBagCollection
from torchrec.optim.apply_optimizer_in_backward import apply_optimizer_in_backward
from torchrec.optim.rowwise_adagrad import RowWiseAdagrad

GIB = 1024**3
DEVICE = torch.device("meta")
SHARDINGS = [s.value for s in ShardingType]
KERNELS = {k.value for k in EmbeddingComputeKernel}
UNPOOLED_SHARDINGS = ("data_parallel", "table_wise", "column_wise", "row_wise")
OPTIMIZERS = (None, torch.optim.SGD, torch.optim.Adam, torch.optim.Adagrad, RowWiseAdagrad)
MODULES = ("tower", "towers", "collision", "collision", "fused", "plain", "quantized", "quantized")
WIRES = (CommType.FP32, CommType.FP16, CommType.BF16, CommType.FP8)


def known(function, **options):
    """The call with those options that this release knows and that are given."""
    names = inspect.signature(function).parameters
    return function(**{k: v for k, v in options.items() if k in names and v is not None})


def chance(r, probability):
    return r.random() < probability


def draw_world(r):
    """World size and ranks per host."""
    local = r.choice((1, 2, 2, 4, 4, 8, 8, 8))
    return local * r.choice((1, 1, 2, 3, 4, 8)), local


def draw_topology(r):
    world_size, local = draw_world(r)
    options = {
        "world_size": world_size,
        "local_world_size": local,
        "compute_device": r.choice(("cuda",) * 9 + ("cpu",)),
        "hbm_cap": r.choice((16, 32, 40, 80)) * GIB,
        "ddr_cap": r.choice((128, 512)) * GIB,
        "hbm_mem_bw": r.choice((None, None, None, 1400, 2000)),
        "ddr_mem_bw": r.choice((None, None, None, 100)),
        "intra_host_bw": r.choice((None, None, 300, 450, 900)),
        "inter_host_bw": r.choice((None, None, 25, 50, 100)),
        "bwd_compute_multiplier": r.choice((None, None, None, 1.5, 2.1)),
        "weighted_feature_bwd_compute_multiplier": r.choice((None, None, None, 2)),
        "uneven_sharding_perf_multiplier": r.choice((None, None, None, 1.5)),
    }
    for name in ("hbm_mem_bw", "ddr_mem_bw", "intra_host_bw", "inter_host_bw"):
        if options[name]:
            options[name] *= GIB / 1000
    if world_size > 1 and chance(r, 0.1):
        small = r.sample(range(world_size), r.choice((0, 1, world_size // 2)))
        options["own_hbm_cap"] = [options["hbm_cap"] // (2 if rank in small else 1) for rank in range(world_size)]
    return options


def draw_pooling_factor(r):
    return round(r.uniform(0, r.choice((1, 20, 200))), r.choice((0, 1, 3)))


def draw_table(r, number, dtypes, odd):
    rows = int(10 ** r.uniform(0.5, r.choice((3, 5, 7))))
    table = {
        "name": f"table_{number}",
        "rows": rows,
        "cols": r.choice((4, 8, 16, 32, 64, 64, 128, 128, 256)),
        "dtype": r.choice(dtypes),
        "features": [f"feature_{number}_{f}" for f in range(r.choice((1,) * 9 + (2, 3, 12, 40)))],
    }
    per_feature = [key for key in ("num_poolings", "batch_sizes") if chance(r, 0.1 * odd)]
    if per_feature or chance(r, 0.7):
        table["pooling_factors"] = [draw_pooling_factor(r) for _ in table["features"]]
    if "num_poolings" in per_feature:
        table["num_poolings"] = [round(r.uniform(1, 4), 2) for _ in table["features"]]
    if "batch_sizes" in per_feature:
        table["batch_sizes"] = [r.choice((64, 512, 1000)) for _ in table["features"]]
    if chance(r, 0.5):
        table["sharding_types"] = r.sample(SHARDINGS, r.choice((1, 1, 2, 3)))
    if chance(r, 0.3):
        table["compute_kernels"] = [r.choice(("fused", "dense", "fused_uvm", "fused_uvm_caching"))]
        if table["compute_kernels"] == ["fused_uvm_caching"]:
            table["load_factor"] = r.choice((None, 0.05, 0.1, 0.35))
            table["prefetch_pipeline"] = chance(r, 0.3)
    if chance(r, 0.3):
        table["min_partition"] = r.choice((4, 8, 16, 32, 64))
    if chance(r, 0.1 * odd):
        table["is_weighted"] = True
    if chance(r, 0.1 * odd):
        table["output_dtype"] = r.choice((DataType.FP16, DataType.FP32, DataType.BF16))
    if chance(r, 0.1 * odd):
        table["compute_kernels"] = [r.choice(("key_value", "ssd_virtual_table", "dram_virtual_table", "fused"))]
        table["sharding_types"] = ["row_wise"]
        table["use_virtual_table"] = table["compute_kernels"] != ["key_value"]  # the config's flag, with any kernel
        table["total_num_buckets"] = buckets = r.choice((None, 10, 64, 1000))
        table["rows"] += -rows % buckets if buckets else 0  # the planner asks for a multiple
    return table


def draw_wires(r):
    """Forward and backward precision."""
    return (r.choice(WIRES), r.choice(WIRES)) if chance(r, 0.3) else None


def draw_plan(r):
    odd = r.choice((0, 1, 1, 2))  # how many odd options
    dtypes = r.choice(((DataType.FP32,), (DataType.FP16,), (DataType.FP32,) * 3 + (DataType.FP16,),
                       (DataType.FP32, DataType.FP16, DataType.BF16, DataType.INT8)))
    topology = draw_topology(r)
    many = 2 + 300 // topology["world_size"]  # tables: the planner takes minutes for more
    return {
        "topology": topology,
        "batch_size": r.choice((16, 100, 512, 512, 2048)),
        "tables": [draw_table(r, n, dtypes, odd) for n in range(min(r.choice((2, 4, 8, 12, 20, 40, 80)), many))],
        "unpooled": chance(r, 0.3),
        "bags": r.choice(("one",) * 3 + ("two", "processed")),  # modules of the pooled tables
        "optimizer": r.choice(OPTIMIZERS),
        "second_optimizer": r.choice(OPTIMIZERS) if chance(r, 0.1 * odd) else None,
        "wires": [draw_wires(r), draw_wires(r), draw_wires(r)],  # of each sharder
        "dense": r.choice((0, 10, 1000)),
        "reservation": r.choice((("heuristical", 0.15, 6.0, None), ("heuristical", 0.15, 6.0, None), ("fixed", 0.25),
                                 ("heuristical", r.choice((0.05, 0.4)), r.choice((2.0, 6.0)), r.choice((None, GIB))))),
        "pipeline": r.choice((None, "none", "train_base", "train_sparse_dist", "train_prefetch_sparse_dist")),
        "peak_memory": chance(r, 0.2),
        "partitioner": r.choice(("greedy",) * 3 + ("memory",)),
        "debug": not chance(r, 0.1),
    }


def draw_modules(r, plan):
    """Other modules than those that draw_plan() knows."""
    plan["bags"] = r.choice(MODULES)
    plan["is_inference"] = plan["bags"] == "quantized" or chance(r, 0.2)
    topology = plan["topology"]
    topology.pop("own_hbm_cap", None)
    hosts = topology["world_size"] // topology["local_world_size"]
    if hosts > 1 and chance(r, 0.4):
        topology["pod_size"] = r.choice([size for size in (1, 2, 4, 8) if hosts % size == 0])
    if topology["compute_device"] == "cuda" and chance(r, 0.1):
        topology["compute_device"] = "mtia"
    return plan


class Model(nn.Module):
    def __init__(self, plan):
        super().__init__()
        bags, unpooled = plan["tables"], []
        if plan["unpooled"] and len(bags) > 2:
            bags, unpooled = bags[: len(bags) // 2], bags[len(bags) // 2:]
            for table in unpooled:  # whose tables share one dimension
                table["cols"] = unpooled[0]["cols"]
                table["sharding_types"] = [s for s in table.get("sharding_types") or () if s in UNPOOLED_SHARDINGS]
        if plan["bags"] == "two" and len(bags) > 1:
            self.first, self.second = bags_of(bags[: len(bags) // 2]), bags_of(bags[len(bags) // 2:])
        elif plan["bags"] == "processed":
            lengths = {feature: 10 for table in bags for feature in table["features"]}
            self.processed = FeatureProcessedEmbeddingBagCollection(
                bags_of(bags, weighted=True), PositionWeightedModuleCollection(lengths, DEVICE))
        elif plan["bags"] in MODULES:
            self.module = module_of(plan["bags"], plan, bags)
        else:
            self.bags = bags_of(bags)
        if unpooled:
            self.sequences = EmbeddingCollection([config(EmbeddingConfig, t) for t in unpooled], DEVICE)
        self.dense = nn.Linear(plan["dense"], 1000, device=DEVICE) if plan["dense"] else nn.Identity()


def bags_of(tables, weighted=False):
    weighted = weighted or any(t.get("is_weighted") for t in tables)
    return EmbeddingBagCollection([config(EmbeddingBagConfig, t) for t in tables], weighted, DEVICE)


def config(kind, table):
    return known(kind, num_embeddings=table["rows"], embedding_dim=table["cols"], name=table["name"],
                 data_type=table["dtype"], feature_names=table["features"],
                 use_virtual_table=table.get("use_virtual_table"), total_num_buckets=table.get("total_num_buckets"))


def towers_of(tables, size):
    from torchrec.modules.embedding_tower import EmbeddingTower

    groups = [tables[i:i + size] for i in range(0, len(tables), size)]
    return [EmbeddingTower(bags_of(group), nn.Linear(4, 4, device=DEVICE)) for group in groups]


def module_of(kind, plan, tables):
    """Of one of the MODULES."""
    if kind == "tower":
        return nn.ModuleList(towers_of(tables, max(1, len(tables) // 2)))
    if kind == "towers":
        from torchrec.modules.embedding_tower import EmbeddingTowerCollection

        return EmbeddingTowerCollection(towers_of(tables, max(1, len(tables) // 3)), DEVICE)
    if kind == "collision":
        return with_managed_collision(tables)
    if kind == "plain":
        bags = {t["name"]: nn.EmbeddingBag(t["rows"], t["cols"], device=DEVICE, mode="sum") for t in tables}
        return nn.ModuleDict(bags)
    if kind == "fused":
        from torchrec.modules.fused_embedding_modules import FusedEmbeddingBagCollection

        configs = [config(EmbeddingBagConfig, t) for t in tables]
        return FusedEmbeddingBagCollection(configs, plan["optimizer"] or torch.optim.SGD, {"lr": 0.1}, device=DEVICE)
    from torchrec.quant.embedding_modules import EmbeddingBagCollection as QuantizedEmbeddingBagCollection

    configs = [config(EmbeddingBagConfig, {**t, "dtype": DataType.INT8}) for t in tables]
    weighted = any(t.get("is_weighted") for t in tables)
    return QuantizedEmbeddingBagCollection(configs, is_weighted=weighted, device=torch.device("cpu"))


def with_managed_collision(tables):
    from torchrec.modules import mc_modules
    from torchrec.modules.mc_embedding_modules import ManagedCollisionEmbeddingBagCollection

    bags = bags_of(tables)
    modules = {
        t["name"]: mc_modules.MCHManagedCollisionModule(
            zch_size=t["rows"], device=torch.device("cpu"), eviction_interval=1, input_hash_size=1 << 40,
            eviction_policy=mc_modules.DistanceLFU_EvictionPolicy())
        for t in tables
    }
    collisions = mc_modules.ManagedCollisionCollection(modules, bags.embedding_bag_configs())
    return ManagedCollisionEmbeddingBagCollection(bags, collisions)


def model_of(plan):
    model = Model(plan)
    for name, parameter in model.named_parameters():
        optimizer = plan["optimizer"]
        if plan["second_optimizer"] and "table_1" in name:
            optimizer = plan["second_optimizer"]
        if optimizer and "embedding" in name and parameter.dim() == 2:
            apply_optimizer_in_backward(optimizer, [parameter], {"lr": 0.1})
    return model


def topology_of(options):
    options = dict(options)
    own = options.pop("own_hbm_cap", None)
    if own and hasattr(types, "CustomTopologyData"):
        options["custom_topology_data"] = types.CustomTopologyData({"hbm_cap": own}, options["world_size"])
    if options["compute_device"] == "cpu":
        del options["hbm_cap"]
    return known(types.Topology, **options)


def constraint_of(table):
    caching = None
    if table.get("load_factor") or table.get("prefetch_pipeline"):
        caching = known(CacheParams, load_factor=table["load_factor"], prefetch_pipeline=table["prefetch_pipeline"])
    kernels = [k for k in table.get("compute_kernels") or () if k in KERNELS] or None
    return known(types.ParameterConstraints, compute_kernels=kernels, cache_params=caching,
                 **{k: table.get(k) for k in ("sharding_types", "min_partition", "pooling_factors", "num_poolings",
                                              "batch_sizes", "is_weighted", "output_dtype", "use_virtual_table")})


def reservation_of(policy, percentage, multiplier=None, dense=None):
    if policy == "fixed":
        return storage_reservations.FixedPercentageStorageReservation(percentage)
    return storage_reservations.HeuristicalStorageReservation(percentage, multiplier, dense)


def pipeline_of(name):
    try:
        from torchrec.distributed.types import PipelineType
    except ImportError:  # before v0.8.0
        return None
    return PipelineType(name) if name else None


def codecs_of(wires):
    if not wires:
        return None
    return get_qcomm_codecs_registry(QCommsConfig(forward_precision=wires[0], backward_precision=wires[1]))


def sharders_of(wires):
    kinds = (embeddingbag.EmbeddingBagCollectionSharder, embedding.EmbeddingCollectionSharder,
             FeatureProcessedEmbeddingBagCollectionSharder)
    return [kind(qcomm_codecs_registry=codecs_of(w)) for kind, w in zip(kinds, wires)]


def sharders_of_modules(wires):
    """Of the MODULES; those that the release knows."""
    names = {"embedding_tower_sharding": ("EmbeddingTowerSharder", "EmbeddingTowerCollectionSharder"),
             "mc_embeddingbag": ("ManagedCollisionEmbeddingBagCollectionSharder",),
             "fused_embeddingbag": ("FusedEmbeddingBagCollectionSharder",),
             "embeddingbag": ("EmbeddingBagSharder",),
             "quant_embeddingbag": ("QuantEmbeddingBagCollectionSharder",)}
    for file, kinds in names.items():
        try:
            module = importlib.import_module(f"torchrec.distributed.{file}")
        except ImportError:
            continue
        for kind in kinds:
            sharder = getattr(module, kind)
            yield sharder() if file == "mc_embeddingbag" else known(sharder, qcomm_codecs_registry=codecs_of(wires))


class KeptPlan(types.Stats):
    """The sharding options of the plan that is logged."""

    def __init__(self):
        self.options = []

    def log(self, *_, best_plan, **__):
        self.options = best_plan


def tables_of(options):
    for option in options:
        yield {
            "fqn": option.fqn,
            "sharding_type": option.sharding_type,
            "compute_kernel": option.compute_kernel,
            "element_size": option.tensor.element_size(),
            "shards": [
                {"rank": s.rank, "rows": s.size[0], "cols": s.size[1], "hbm": s.storage.hbm, "ddr": s.storage.ddr,
                 "perf": s.perf.total}
                for s in option.shards
            ],
        }


def run(plan):
    """The lines of the log and the tables as they were planned."""
    topology = topology_of(plan["topology"])
    constraints = {t["name"]: constraint_of(t) for t in plan["tables"]}
    model = model_of(plan)
    estimators = [
        known(shard_estimators.EmbeddingPerfEstimator, topology=topology, constraints=constraints,
              is_inference=plan.get("is_inference")),
        known(shard_estimators.EmbeddingStorageEstimator, topology=topology, constraints=constraints,
              pipeline_type=pipeline_of(plan["pipeline"]), run_embedding_at_peak_memory=plan["peak_memory"],
              is_inference=plan.get("is_inference")),
    ]
    kept = KeptPlan()
    memory = plan["partitioner"] == "memory"
    planner = known(
        planners.EmbeddingShardingPlanner, topology=topology, batch_size=plan["batch_size"], constraints=constraints,
        enumerator=EmbeddingEnumerator(topology, plan["batch_size"], constraints, estimators),
        storage_reservation=reservation_of(*plan["reservation"]),
        partitioner=partitioners.MemoryBalancedPartitioner() if memory else partitioners.GreedyPerfPartitioner(),
        stats=[stats.EmbeddingStats(), kept], debug=plan["debug"])
    lines = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())
    stats.logger.setLevel(logging.INFO)
    stats.logger.propagate = False
    stats.logger.addHandler(handler)
    try:
        planner.plan(model, [*sharders_of(plan["wires"]), *sharders_of_modules(plan["wires"][0])])
    finally:
        stats.logger.removeHandler(handler)
    return lines, list(tables_of(kept.options))


def run_relaxed(plan):
    """As run(), where tables whose constraints allow no sharding lose them."""
    for _ in plan["tables"]:
        try:
            return run(plan)
        except RuntimeError as error:
            name = re.search(r"constraints for (table_\d+)\b", str(error))
            if not name:
                raise
            table = next(t for t in plan["tables"] if t["name"] == name[1])
            for key in ("sharding_types", "compute_kernels", "use_virtual_table", "total_num_buckets"):
                table.pop(key, None)
    return run(plan)


def main():
    logging.getLogger("torchrec").setLevel(logging.ERROR)
    out, seed, count = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    modules = "m" if sys.argv[4:] == ["modules"] else ""
    out.mkdir(parents=True, exist_ok=True)
    written = 0
    for number in range(count):
        r = random.Random(f"{seed}:{number}")
        plan = draw_modules(r, draw_plan(r)) if modules else draw_plan(r)
        try:
            lines, tables = run_relaxed(plan)
        # It refuses the model, or has no such module or one that does not work with this PyTorch.
        except (planners.PlannerError, RuntimeError, ValueError, AssertionError, ImportError, AttributeError) as error:
            print(f"{seed}_{number}: {type(error).__name__}: {str(error).strip().splitlines()[0]}", file=sys.stderr)
            continue
        stem = out / f"{torchrec.__version__}_{modules}{seed}_{number}"
        stem.with_name(stem.name + ".log").write_text("\n".join(lines) + "\n")
        truth = {"release": torchrec.__version__, "options": plan, "tables": tables}
        stem.with_name(stem.name + ".json").write_text(json.dumps(truth, default=str))
        written += 1
    print(f"{torchrec.__version__}: {written} of {count} models were planned")


main()
