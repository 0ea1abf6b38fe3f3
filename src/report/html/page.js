// The page: what is chosen, and who draws it anew. The data stand in the element #data (src/report/html.cc).

const report = JSON.parse(element("data").textContent);

function factsOf(block) {
  const { rank_columns: ranks, findings, planning_hbm: planning } = block;
  const peak = rankOrder(ranks.hbm, "value")[0];
  const count = (severity) => findings.filter((finding) => finding.severity === severity).length;
  const most = (i) => boundsText(boundsAt(ranks.hbm, i), BYTES) + " on rank " + ranks.rank[i];
  return [
    ["TorchRec", block.release.candidates.join(" or ")],
    ["Ranks", countText(block.world_size)],
    ["Tables", block.sections.includes("parameters") ? countText(block.tables) : "-"],
    ["Batch size", countText(block.batch_size)],
    ["Most HBM", peak === undefined ? "-" : most(peak)],
    ["Planning memory", planning ? boundsText(planning, BYTES) : "-"],
    ["Findings", ["error", "warning", "note"].map((word) => plural(count(word), word)).join(", ") +
      (block.findings_hidden > 0 ? ` and ${countText(block.findings_hidden)} more` : "")],
    ["Numbers compared", `${countText(block.coverage.derived)} of ${countText(block.coverage.numbers)}`],
  ];
}

function tabsOf(block) {
  const tabs = [
    { name: "Tables", view: () => tablesView(block) }, { name: "Ranks", view: () => ranksView(block) },
    { name: "Kernels", view: () => kernelsView(block) },
    { name: `Findings (${countText(block.findings.length + block.findings_hidden)})`, view: () => findingsView(block) },
    { name: "Assumptions", view: () => assumptionsView(block) },
  ];
  if (report.comparison) tabs.push(
    { name: "What changed", view: () => causesView(report.comparison) },
    { name: "Tables compared", view: () => comparisonView(report.comparison.tables, "Table",
      plural(report.comparison.same_tables, "table") + " stayed the same.") },
    { name: "Ranks compared", view: () => comparisonView(report.comparison.ranks, "Rank", "") });
  return tabs;
}

class Page {
  constructor() {
    this.grid = new Grid(element("grid"), element("count"), element("detail"));
    this.heat = new HeatMap(element("heat"), element("heat-text"), (table) => this.chooseTable(table));
    this.charts = {};
  }

  start() {
    this.chooseTheme(window.matchMedia("(prefers-color-scheme: dark)").matches);
    element("tool").textContent = "Written by shardstats " + report.tool + ".";
    showErrors(report.errors);
    this.listen();
    if (report.blocks.length === 0) {
      for (const card of document.querySelectorAll(".card, #facts")) card.hidden = true;
      return;
    }
    this.listBlocks();
    this.showBlock(0);
  }

  listen() {
    element("theme").addEventListener("click", () => { this.chooseTheme(!isDark()); this.drawAll(); });
    element("block").addEventListener("change", (event) => this.showBlock(Number(event.target.value)));
    element("rank-mode").addEventListener("change", () => this.drawRanks());
    element("rank-order").addEventListener("change", () => this.drawRanks());
    element("heat-rows").addEventListener("change", () => this.drawHeat());
    element("search").addEventListener("input", (event) => this.grid.search(event.target.value));
    element("tabs").addEventListener("keydown", (event) => this.moveTab(event));
    window.addEventListener("resize", () => { if (this.block) { this.heat.draw(); this.grid.draw(); } });
  }

  chooseTheme(dark) {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    element("theme").setAttribute("aria-pressed", String(dark));
  }

  listBlocks() {
    const choices = report.blocks.map((block, i) => {
      const option = make("option", `${block.path}, block ${block.index + 1} at line ${block.line}`);
      option.value = i;
      return option;
    });
    element("block").replaceChildren(...choices);
    element("block-choice").hidden = choices.length < 2;
  }

  showBlock(i) {
    this.block = report.blocks[i];
    this.table = null;
    element("path").textContent = report.blocks.length > 1 ? "" : this.block.path;
    element("explained-count").textContent = this.block.explained.length;
    element("facts").replaceChildren(...factsOf(this.block).map(([name, value]) => {
      const pair = make("div");
      pair.append(make("dt", name), make("dd", value));
      return pair;
    }));
    this.listTabs();
    this.drawRanks();
    element("by-table").hidden = this.block.table_columns.name.length === 0;
    this.drawHeat();
    if (this.heat.tables.length > 0) this.chooseTable(this.heat.tables[0]);
  }

  listTabs() {
    this.tabs = tabsOf(this.block);
    element("tabs").replaceChildren(...this.tabs.map((tab, i) => {
      const button = make("button", tab.name);
      button.type = "button";
      button.setAttribute("role", "tab");
      button.setAttribute("aria-controls", "grid");
      button.addEventListener("click", () => this.showTab(i));
      return button;
    }));
    this.showTab(0);
  }

  showTab(i) {
    this.tab = i;
    [...element("tabs").children].forEach((button, at) => {
      button.setAttribute("aria-selected", String(at === i));
      button.tabIndex = at === i ? 0 : -1;
    });
    element("search").value = "";
    const view = this.tabs[i].view();
    element("detail").textContent = view.note || "";
    this.grid.show(view);
    if (i === 0 && this.table !== null) this.grid.mark(this.table);
  }

  moveTab(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    this.showTab((this.tab + step + this.tabs.length) % this.tabs.length);
    element("tabs").children[this.tab].focus();
  }

  chooseTable(table) {
    this.table = table;
    element("table-name").textContent = this.block.table_columns.name[table];
    this.drawTable();
    if (this.tab === 0 && this.grid.current !== table) this.grid.mark(table);
  }

  chooseRank(rank) {
    this.showTab(1);
    this.grid.mark(rank);
    element("detail").textContent = this.grid.view.detail(rank);
  }

  drawChart(id, config) {
    if (this.charts[id]) this.charts[id].destroy();
    this.charts[id] = new Chart(element(id), config);
  }

  drawRanks() {
    const mode = element("rank-mode").value;
    const order = element("rank-order").value;
    this.drawChart("rank-chart", rankChart(this.block, mode, order, (rank) => this.chooseRank(rank)));
    element("rank-note").textContent = this.rankNote(mode);
  }

  rankNote(mode) {
    if (this.block.rank_columns.rank.length === 0) return "This block has no ranks.";
    const unknown = mode === "perf" && !isUsed(this.block.rank_columns.perf.total);
    return unknown ? "The log does not determine the perf of ranks." : "";
  }

  drawHeat() {
    this.heat.show(this.block, Number(element("heat-rows").value));
  }

  drawTable() {
    this.drawChart("waterfall", waterfallChart(componentsOf(this.block, this.table)));
    showSteps(element("tree"), stepsOf(this.block, this.table));
  }

  drawAll() {
    if (!this.block) return;
    this.drawRanks();
    this.heat.draw();
    if (this.table !== null) this.drawTable();
  }
}

function showErrors(errors) {
  element("errors").hidden = errors.length === 0;
  element("errors").querySelector("ul").replaceChildren(...errors.map((error) =>
    make("li", error.path + (error.line === null ? "" : ":" + error.line) + ": " + error.message)));
}

const page = new Page();
page.start();
