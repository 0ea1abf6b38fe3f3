// The bars of the ranks and the waterfall of a table, as Chart.js takes them.

// Okabe and Ito's colours, which colour-blind people can tell apart; the five tables are shades of one.
const COLORS = ["#0072b2", "#009e73", "#56b4e9", "#d55e00", "#f0e442", "#cc79a7", "#e69f00"];
const GREY = "#8c8c8c";
const NAMED_COLORS = {
  "weights": "#0072b2", "optimizer state": "#56b4e9", "cache": "#f0e442", "input and output": "#009e73",
  "largest table": "#08519c", "2nd largest": "#2b7bba", "3rd largest": "#539ecd", "4th largest": "#89bedc",
  "5th largest": "#bdd7ec", "other tables": GREY, "dense modules": "#e69f00", "KJT": "#cc79a7",
  "not rebuilt": GREY,
};

function colorOf(name, i) {
  return Object.hasOwn(NAMED_COLORS, name) ? NAMED_COLORS[name] : COLORS[i % COLORS.length];
}

function rankCauses(block, mode) {
  const ranks = block.rank_columns;
  if (mode !== "perf") return ranks.causes[mode];
  return Object.entries(ranks.perf).filter(([name, column]) => name !== "total" && isUsed(column))
    .map(([name, bytes]) => ({ name, bytes }));
}

// Index of the ranks in the order of the bars.
function rankOrder(totals, order) {
  const ranks = totals.low.map((_, i) => i);
  const value = (i) => { const bounds = boundsAt(totals, i); return bounds === null ? 0 : bounds.high; };
  return order === "rank" ? ranks : ranks.sort((a, b) => value(b) - value(a) || a - b);
}

function middleAt(column, i) {
  const bounds = boundsAt(column, i);
  return bounds === null ? 0 : middle(bounds);
}

// A value within the bounds of each column: so far up in all of them that together they are the middle of the total.
function valuesAt(columns, total, i) {
  const bounds = columns.map((column) => boundsAt(column, i) ?? { low: 0, high: 0 });
  const sum = (side) => bounds.reduce((all, one) => all + one[side], 0);
  const width = sum("high") - sum("low"), whole = boundsAt(total, i);
  const part = whole === null || width === 0 ? 0.5 : (middle(whole) - sum("low")) / width;
  return bounds.map((one) => one.low + Math.min(Math.max(part, 0), 1) * (one.high - one.low));
}

function axis(title, stacked) {
  const grid = { color: color("line") };
  return { stacked, grid, ticks: { color: color("soft"), maxRotation: 0, autoSkipPadding: 8 },
    title: { display: title !== "", text: title, color: color("soft") } };
}

function withoutGrid(scale, ticks) {
  return { ...scale, grid: { display: false }, ticks: { ...scale.ticks, ...ticks } };
}

function rankChart(block, mode, order, choose) {
  const ranks = block.rank_columns;
  const totals = mode === "perf" ? ranks.perf.total : ranks.hbm;
  const causes = rankCauses(block, mode);
  const shown = rankOrder(totals, order);
  const planning = mode === "perf" ? null : block.planning_hbm;
  const kind = mode === "perf" ? TIME : BYTES;
  const most = Math.max(planning ? planning.high : 0, ...shown.map((i) => middleAt(totals, i)));
  const scale = kind.scaleOf(most);
  const values = shown.map((i) => valuesAt(causes.map((cause) => cause.bytes), totals, i));
  const datasets = causes.map((cause, c) => ({
    label: cause.name, cause, data: values.map((ofRank) => ofRank[c] / scale), stack: "rank",
    backgroundColor: colorOf(cause.name, c), barPercentage: 1, categoryPercentage: shown.length > 60 ? 1 : 0.85,
  }));
  if (planning) datasets.push({
    type: "line", label: "planning memory", data: shown.map(() => middle(planning) / scale), stack: "capacity",
    borderColor: color("error"), backgroundColor: color("error"), borderDash: [6, 4], borderWidth: 2, pointRadius: 0,
    pointHitRadius: 0,
  });
  const boundsOf = (item) => boundsAt(item.dataset.cause.bytes, shown[item.dataIndex]);
  const labelOf = (item) => {
    if (!item.dataset.cause) return "planning memory " + boundsText(planning, BYTES);
    return item.dataset.label + " " + boundsText(boundsOf(item), kind) +
      tableOfCause(block, item.dataset.cause, shown[item.dataIndex]);
  };
  return {
    type: "bar",
    data: { labels: shown.map((i) => ranks.rank[i]), datasets },
    options: {
      animation: false, maintainAspectRatio: false, interaction: { mode: "index", intersect: false },
      onClick: (event, items) => { if (items.length > 0) choose(shown[items[0].index]); },
      scales: { x: withoutGrid(axis("rank", true), {}), y: { ...axis(kind.nameOf(most), true), beginAtZero: true } },
      plugins: {
        legend: { position: "right", labels: { color: color("text"), boxWidth: 12 } },
        tooltip: {
          filter: (item) => !item.dataset.cause || boundsOf(item)?.high > 0,
          callbacks: {
            title: (items) => (items.length === 0 ? "" : "rank " + items[0].label + ": " +
              boundsText(boundsAt(totals, shown[items[0].dataIndex]), kind)),
            label: labelOf,
          },
        },
      },
    },
  };
}

// What a table is made of: {label, bytes}. From its steps where the page has them, else its parts in HBM.
function componentsOf(block, table) {
  const steps = stepsOf(block, table);
  if (steps && steps.components.length > 0)
    return steps.components.filter((row) => row.total !== null).map((row) => ({ label: row.label, bytes: row.total }));
  const t = block.table_columns;
  const labels = ["weights", "optimizer state", "cache", "input and output"];
  return valuesAt([t.weights, t.optimizer_state, t.cache, t.buffers], t.hbm, table)
    .map((bytes, part) => ({ label: labels[part], bytes })).filter((row) => row.bytes !== 0);
}

function stepsOf(block, table) {
  return block.explained.find((one) => one.table === table);
}

function waterfallChart(components) {
  const total = components.reduce((sum, row) => sum + row.bytes, 0);
  const unit = unitOf(total);
  const scale = 1024 ** unit;
  let before = 0;
  const bars = components.map((row) => [before / scale, (before += row.bytes) / scale]);
  bars.push([0, total / scale]);
  const rows = [...components, { label: "all shards", bytes: total }];
  return {
    type: "bar",
    data: {
      labels: rows.map((row) => [...row.label.split(" "), textOf(row.bytes, BYTES)]),
      datasets: [{
        data: bars, backgroundColor: [...components.map((_, i) => COLORS[i % COLORS.length]), GREY], minBarLength: 2,
      }],
    },
    options: {
      animation: false, maintainAspectRatio: false,
      scales: {
        x: withoutGrid(axis("", false), { autoSkip: false }),
        y: { ...axis(UNITS[unit], false), beginAtZero: true },
      },
      plugins: {
        legend: { display: false },
        tooltip: { callbacks: { title: (items) => rows[items[0].dataIndex].label,
          label: (item) => textOf(rows[item.dataIndex].bytes, BYTES) } },
      },
    },
  };
}
