// HBM by table and rank on a canvas.

// Cividis: red, green and blue from dark to bright.
const RAMP = [[0, 32, 77], [49, 68, 107], [102, 105, 112], [149, 143, 120], [203, 186, 105], [255, 234, 70]];
const RANK_HEIGHT = 18, SMALLEST_LABEL = 9;  // pixels
const LABEL_LENGTH = 22;  // characters

const FAINTEST = 0.25;  // of the ramp: what is below is hard to tell from the background

// 0..1 as a colour that stands out the more the larger it is, on light and on dark.
function rampColor(x) {
  const shade = FAINTEST + (1 - FAINTEST) * x;
  const at = (isDark() ? shade : 1 - shade) * (RAMP.length - 1);
  const i = Math.min(Math.floor(at), RAMP.length - 2);
  return RAMP[i].map((channel, c) => Math.round(channel + (RAMP[i + 1][c] - channel) * (at - i)));
}

const HEAT_KEYS = {
  ArrowDown: { down: 1, right: 0 }, ArrowUp: { down: -1, right: 0 }, ArrowRight: { down: 0, right: 1 },
  ArrowLeft: { down: 0, right: -1 }, Enter: { down: 0, right: 0 },
};

class HeatMap {
  constructor(canvas, text, choose) {
    this.canvas = canvas;
    this.text = text;
    this.choose = choose;
    this.cursor = null;
    canvas.addEventListener("mousemove", (event) => this.hover(event));
    canvas.addEventListener("mouseleave", () => placeTip("", 0, 0));
    canvas.addEventListener("click", (event) => this.chooseCell(this.cellAt(event)));
    canvas.addEventListener("keydown", (event) => this.press(event));
  }

  show(block, limit) {
    this.block = block;
    this.ranks = block.rank_columns.rank.length;
    this.indexRuns(block.runs, block.table_columns.name.length);
    const hbm = block.table_columns.hbm;
    const high = (t) => { const bounds = boundsAt(hbm, t); return bounds === null ? 0 : bounds.high; };
    this.tables = block.table_columns.name.map((_, t) => t).sort((a, b) => high(b) - high(a) || a - b);
    if (limit > 0) this.tables.length = Math.min(limit, this.tables.length);
    this.cursor = null;
    this.text.textContent = "";
    this.draw();
  }

  // Runs stand in table order: those of table t are first[t] up to first[t + 1].
  indexRuns(runs, tables) {
    this.runs = runs;
    this.columnOf = new Map(this.block.rank_columns.rank.map((rank, i) => [rank, i]));
    this.first = new Int32Array(tables + 1);
    for (const table of runs.table) ++this.first[table + 1];
    for (let t = 0; t < tables; ++t) this.first[t + 1] += this.first[t];
  }

  eachCell(table, visit) {
    for (let run = this.first[table]; run < this.first[table + 1]; ++run)
      for (let n = 0; n < this.runs.ranks[run]; ++n) {
        const column = this.columnOf.get(this.runs.rank[run] + n);
        if (column !== undefined) visit(column, run);
      }
  }

  // Several tables share a row where there are more of them than pixels: the largest of them is shown.
  fill() {
    this.cells = new Float64Array(this.rows * this.ranks);
    this.most = 0;
    this.least = Infinity;
    this.tables.forEach((table, at) => {
      const row = Math.floor(at * this.rows / this.tables.length);
      this.eachCell(table, (column, run) => {
        const value = middleAt(this.runs.bytes, run);
        const cell = row * this.ranks + column;
        this.cells[cell] = Math.max(this.cells[cell], value);
        if (value <= 0) return;
        this.most = Math.max(this.most, value);
        this.least = Math.min(this.least, value);
      });
    });
  }

  draw() {
    const ratio = window.devicePixelRatio || 1;
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);
    if (this.tables.length === 0 || this.ranks === 0) return;
    this.rows = Math.min(this.tables.length, height - RANK_HEIGHT);
    this.fill();
    const rowHeight = (height - RANK_HEIGHT) / this.rows;
    context.font = Math.min(11, rowHeight + 1) + "px sans-serif";
    this.left = rowHeight >= SMALLEST_LABEL ? this.labelWidth(context) : 0;
    context.imageSmoothingEnabled = false;
    context.drawImage(this.image(), this.left, 0, width - this.left, height - RANK_HEIGHT);
    this.drawLabels(context, rowHeight, width, height);
    if (this.cursor) this.drawCursor(context);
    this.drawScale();
  }

  labelOf(table) {
    return shortened(lastPart(this.block.table_columns.name[table]), LABEL_LENGTH);
  }

  labelWidth(context) {
    return 12 + Math.max(...this.tables.map((table) => context.measureText(this.labelOf(table)).width));
  }

  // A pixel for each cell.
  image() {
    const image = new ImageData(this.ranks, this.rows);
    const span = Math.log(this.most / this.least) || 1;
    this.cells.forEach((value, i) => {
      if (value <= 0) return;
      const [r, g, b] = rampColor(Math.log(value / this.least) / span);
      image.data.set([r, g, b, 255], 4 * i);
    });
    const canvas = make("canvas");
    canvas.width = this.ranks;
    canvas.height = this.rows;
    canvas.getContext("2d").putImageData(image, 0, 0);
    return canvas;
  }

  drawLabels(context, rowHeight, width, height) {
    context.fillStyle = color("soft");
    const labelFont = context.font;
    context.font = "11px sans-serif";
    context.textBaseline = "middle";
    const cell = (width - this.left) / this.ranks;
    const step = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].find((n) => n * cell >= 32) || this.ranks;
    context.textAlign = "center";
    for (let column = 0; column < this.ranks; column += step) {
      const x = this.left + Math.max((column + 0.5) * cell, 6);
      context.fillText(this.block.rank_columns.rank[column], x, height - RANK_HEIGHT / 2);
    }
    if (this.left === 0) return;
    context.font = labelFont;
    context.textAlign = "right";
    this.tables.forEach((table, row) => context.fillText(this.labelOf(table), this.left - 6, (row + 0.5) * rowHeight));
  }

  drawCursor(context) {
    const cell = this.cellBox(this.cursor);
    context.strokeStyle = color("error");
    context.lineWidth = 2;
    context.strokeRect(cell.x - 1, cell.y - 1, Math.max(cell.width, 2) + 2, Math.max(cell.height, 2) + 2);
  }

  drawScale() {
    element("scale-low").textContent = this.most > 0 ? textOf(this.least, BYTES) : "";
    element("scale-high").textContent = this.most > 0 ? textOf(this.most, BYTES) : "";
    const scale = element("scale");
    const context = scale.getContext("2d");
    for (let x = 0; x < scale.width; ++x) {
      context.fillStyle = `rgb(${rampColor(x / (scale.width - 1)).join(",")})`;
      context.fillRect(x, 0, 1, scale.height);
    }
  }

  cellBox({ row, column }) {
    const width = (this.canvas.clientWidth - this.left) / this.ranks;
    const height = (this.canvas.clientHeight - RANK_HEIGHT) / this.rows;
    return { x: this.left + column * width, y: row * height, width, height };
  }

  cellAt(event) {
    if (this.tables.length === 0 || this.ranks === 0) return null;
    const box = this.canvas.getBoundingClientRect();
    const { width, height } = this.cellBox({ row: 0, column: 0 });
    const column = Math.floor((event.clientX - box.left - this.left) / width);
    const row = Math.floor((event.clientY - box.top) / height);
    return column >= 0 && column < this.ranks && row >= 0 && row < this.rows ? { row, column } : null;
  }

  tablesOf(row) {
    return this.tables.filter((_, at) => Math.floor(at * this.rows / this.tables.length) === row);
  }

  // The table with the most on the rank of the cell, and its bytes there.
  largestIn({ row, column }) {
    const tables = this.tablesOf(row);
    let best = { table: tables[0], bytes: null, tables: tables.length };
    for (const table of tables)
      this.eachCell(table, (at, run) => {
        const bytes = boundsAt(this.runs.bytes, run);
        if (at === column && (best.bytes === null || bytes.high > best.bytes.high)) best = { ...best, table, bytes };
      });
    return best;
  }

  cellText(cell) {
    const { table, bytes, tables } = this.largestIn(cell);
    const rank = "rank " + this.block.rank_columns.rank[cell.column];
    const name = this.block.table_columns.name[table];
    if (bytes === null) return `${tables > 1 ? tables + " tables" : name}\n${rank}: no shard`;
    return `${tables > 1 ? `largest of ${tables} tables: ` : ""}${name}\n${rank}: ${boundsText(bytes, BYTES)}`;
  }

  hover(event) {
    const cell = this.cellAt(event);
    placeTip(cell ? this.cellText(cell) : "", event.clientX, event.clientY);
  }

  chooseCell(cell) {
    if (!cell) return;
    this.cursor = cell;
    this.text.textContent = this.cellText(cell).replace("\n", ", ");
    this.draw();
    this.choose(this.largestIn(cell).table);
  }

  press(event) {
    const step = HEAT_KEYS[event.key];
    if (step === undefined || this.tables.length === 0 || this.ranks === 0) return;
    event.preventDefault();
    const now = this.cursor || { row: 0, column: 0 };
    this.cursor = { row: Math.min(Math.max(now.row + step.down, 0), this.rows - 1),
      column: Math.min(Math.max(now.column + step.right, 0), this.ranks - 1) };
    this.text.textContent = this.cellText(this.cursor).replace("\n", ", ");
    this.draw();
    if (event.key === "Enter") this.choose(this.largestIn(this.cursor).table);
  }
}
