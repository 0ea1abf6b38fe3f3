// What the tabs show: a view for each (grid.js).

function boundsColumn(label, column, kind, more = {}) {
  return {
    label, number: true, width: 170, ...more,
    text: (i) => boundsText(boundsAt(column, i), kind),
    key: (i) => { const bounds = boundsAt(column, i); return bounds === null ? null : middle(bounds); },
  };
}

function valueColumn(label, values, more = {}) {
  return { label, number: true, width: 90, ...more, text: (i) => countText(values[i]), key: (i) => values[i] ?? null };
}

function textColumn(label, text, more = {}) {
  return { label, searched: true, text, key: text, ...more };
}

function wordColumn(label, column, more = {}) {
  return textColumn(label, (i) => column.words[column.of[i]], { width: 110, ...more });
}

// Columns that say nothing of any row are left out.
function isUsed(column) {
  return column.low.some((low, i) => low !== null && low + (column.spread ? column.spread[i] : 0) !== 0);
}

function usedBounds(list) {
  return list.filter(([, column]) => isUsed(column)).map(([label, column, kind]) => boundsColumn(label, column, kind));
}

function tablesView(block) {
  const t = block.table_columns;
  return {
    count: t.name.length,
    columns: [
      textColumn("Table", (i) => t.name[i], { width: 340 }), wordColumn("Sharding", t.sharding, { width: 90 }),
      wordColumn("Kernel", t.kernel, { width: 120 }),
      valueColumn("Rows", t.rows, { width: 110 }), valueColumn("Columns", t.cols, { width: 84 }),
      valueColumn("Shards", t.shards, { width: 76 }), wordColumn("Element, optimizer", t.choice, { width: 180 }),
      ...usedBounds([["HBM", t.hbm, BYTES], ["DDR", t.ddr, BYTES], ["SSD", t.ssd, BYTES],
        ["Weights", t.weights, BYTES], ["Optimizer", t.optimizer_state, BYTES], ["Cache", t.cache, BYTES],
        ["Input+output", t.buffers, BYTES], ["Perf", t.perf.total, TIME]]),
    ],
    choose: (i) => page.chooseTable(i),
    detail: (i) => t.name[i] + tableNote(t, i),
  };
}

function tableNote(t, i) {
  const others = t.alternatives.words[t.alternatives.of[i]];
  return others === "" ? "" : ": the log allows as well: " + others;
}

function ranksView(block) {
  const r = block.rank_columns;
  const parts = ["fwd_compute", "fwd_comms", "bwd_compute", "bwd_comms", "prefetch_compute"];
  return {
    count: r.rank.length,
    columns: [
      textColumn("Rank", (i) => String(r.rank[i]), { width: 80, key: (i) => r.rank[i] }),
      ...usedBounds([["HBM", r.hbm, BYTES], ["Of it shards", r.sparse_hbm, BYTES], ["DDR", r.ddr, BYTES],
        ...r.causes.part.map((cause) => [capitalized(cause.name), cause.bytes, BYTES]),
        ["Input", r.input, BYTES], ["Output", r.output, BYTES], ["Perf", r.perf.total, TIME],
        ...parts.map((part) => [part, r.perf[part], TIME])]),
    ],
    detail: (i) => "Rank " + r.rank[i] + ": " + r.causes.table.map((cause) => causeText(block, cause, i))
      .filter((text) => text !== "").join(", "),
  };
}

function capitalized(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// "largest table 3.8 GiB (table_7)"; empty if there is none of it on the rank.
function causeText(block, cause, i) {
  const bounds = boundsAt(cause.bytes, i);
  if (bounds === null || bounds.high === 0) return "";
  return cause.name + " " + boundsText(bounds, BYTES) + tableOfCause(block, cause, i);
}

function tableOfCause(block, cause, i) {
  const table = cause.tables ? cause.tables[i] : null;
  return table === null ? "" : " (" + lastPart(block.table_columns.name[table]) + ")";
}

function kernelsView(block) {
  const k = block.kernel_columns;
  return {
    count: k.name.length,
    columns: [
      textColumn("Kernel", (i) => k.name[i], { width: 260 }), valueColumn("Tables", k.tables),
      ...usedBounds([["HBM", k.hbm, BYTES], ["DDR", k.ddr, BYTES], ["SSD", k.ssd, BYTES],
        ["Weights", k.weights, BYTES], ["Optimizer", k.optimizer_state, BYTES]]),
    ],
  };
}

function findingsView(block) {
  const all = block.findings;
  const severities = ["error", "warning", "note"];
  return {
    count: all.length,
    columns: [
      textColumn("Severity", (i) => all[i].severity,
        { width: 90, key: (i) => severities.indexOf(all[i].severity),
          className: (i) => "severity-" + all[i].severity }),
      textColumn("Rule", (i) => all[i].rule, { width: 190 }),
      textColumn("Line", (i) => all[i].line + ":" + all[i].column, { width: 100, key: (i) => all[i].line }),
      textColumn("Printed", (i) => all[i].text, { width: 140 }),
      textColumn("Expected", (i) => (all[i].expected ? all[i].expected.text : "-"), { width: 140 }),
      textColumn("Message", (i) => all[i].message),
    ],
    detail: (i) => all[i].message + suspectsText(all[i].suspects),
    note: block.remarks.join("\n"),
  };
}

function suspectsText(suspects) {
  if (suspects.length === 0) return "";
  return "\nSuspects: " + suspects.map((s) => `${s.text} at ${s.line}:${s.column} (${s.reason})`).join("; ");
}

function assumptionsView(block) {
  const rows = block.assumptions.flatMap((a) => (a.scope === "tables"
    ? a.values.map((v) => ({ name: a.name, value: v.value, where: countText(v.tables) + " tables" }))
    : [{ ...a, where: "plan" }]));
  const others = (row) => (row.alternatives ? row.alternatives.map((value) => assumedText(row.name, value)).join(", ")
    : "each row of Tables has its own");
  return {
    count: rows.length,
    columns: [
      textColumn("Assumption", (i) => rows[i].name, { width: 260 }),
      textColumn("Holds for", (i) => rows[i].where, { width: 140 }),
      textColumn("Value", (i) => assumedText(rows[i].name, rows[i].value), { width: 220 }),
      textColumn("Origin", (i) => rows[i].origin || "-", { width: 100 }),
      textColumn("Explains the log as well", (i) => others(rows[i]) || "-"),
      valueColumn("Support", rows.map((row) => row.support),
        { width: 100, title: "Printed numbers that rule the other values out" }),
    ],
    detail: (i) => `${rows[i].name} = ${assumedText(rows[i].name, rows[i].value)}` +
      (rows[i].alternatives && others(rows[i]) ? ", or " + others(rows[i]) : ""),
  };
}

function assumedText(name, value) {
  if (value === null || typeof value !== "object") return String(value);
  if (name.endsWith("_bw")) return boundsText({ low: value.low * 1000, high: value.high * 1000 }, BYTES) + "/s";
  if (Number.isInteger(value.low) && value.high > 1) return boundsText(value, BYTES);
  return boundsText(value, NUMBER);
}

function causesView(comparison) {
  const { causes } = comparison;
  return {
    count: causes.length,
    columns: [
      textColumn("Cause", (i) => causes[i].cause, { width: 520 }),
      textColumn("Effect", (i) => causes[i].effect || "-"),
    ],
    detail: (i) => causes[i].cause + (causes[i].effect ? ": " + causes[i].effect : ""),
    note: comparedText() + " The most important cause comes first.",
  };
}

function comparisonView(rows, label, note) {
  return {
    count: rows.name.length,
    columns: [
      textColumn(label, (i) => rows.name[i], { width: 340 }), wordColumn("Status", rows.status),
      textColumn("Why", (i) => rows.why[i] || "-", { width: 320 }),
      boundsColumn("HBM before", rows.hbm_before, BYTES), boundsColumn("HBM after", rows.hbm_after, BYTES),
      boundsColumn("HBM change", rows.hbm_change, signed(BYTES)),
      boundsColumn("Perf before", rows.perf_before, TIME), boundsColumn("Perf after", rows.perf_after, TIME),
      boundsColumn("Perf change", rows.perf_change, signed(TIME)),
    ],
    detail: (i) => rows.name[i] + (rows.why[i] ? ": " + rows.why[i] : ""),
    note: `${comparedText()} Only what changed is listed. ${note}`,
  };
}

function comparedText() {
  const { before, after, not_compared: left } = report.comparison;
  return `Before: ${before}, after: ${after}; the last block of each.` + (left ? ` Not compared: ${left}.` : "");
}

function signed(kind) {
  return { ...kind, digits: (x, scaled) => (x > 0 ? "+" : "") + kind.digits(x, scaled) };
}
