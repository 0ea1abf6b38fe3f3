// A table of which only the visible rows exist.

const ROW_HEIGHT = 26;
const ROWS_BEYOND = 6;  // drawn above and below what is visible

// A view: {columns: [{label, width, number, searched, text(i), key(i)}], count, choose(i), detail(i), note}
class Grid {
  constructor(host, status, detail) {
    this.host = host;
    this.status = status;
    this.detail = detail;
    host.addEventListener("scroll", () => this.draw());
    host.addEventListener("keydown", (event) => this.press(event));
  }

  show(view) {
    this.view = view;
    this.sorted = null;
    this.texts = null;
    this.current = -1;
    this.buildHead();
    this.search("");
  }

  buildHead() {
    const table = make("table");
    const widths = make("colgroup");
    const row = make("tr");
    this.view.columns.forEach((column, c) => {
      const col = make("col");
      if (column.width) col.style.width = column.width + "px";
      widths.append(col);
      const head = make("th", undefined, column.number ? "number" : "");
      head.scope = "col";
      const button = make("button", column.label);
      button.type = "button";
      button.title = column.title || "Sort by " + column.label;
      button.addEventListener("click", () => this.sortBy(c));
      head.append(button);
      row.append(head);
    });
    const head = make("thead");
    head.append(row);
    this.body = make("tbody");
    table.append(widths, head, this.body);
    this.heads = [...row.children];
    this.table = table;
    this.host.replaceChildren(table);
    this.host.scrollTop = 0;
  }

  // Keeps the rows that have all of the words.
  search(text) {
    const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
    if (words.length > 0 && this.texts === null) this.texts = this.searchTexts();
    this.rows = [];
    for (let i = 0; i < this.view.count; ++i)
      if (words.every((word) => this.texts[i].includes(word))) this.rows.push(i);
    this.order();
  }

  searchTexts() {
    const searched = this.view.columns.filter((column) => column.searched);
    return Array.from({ length: this.view.count }, (_, i) =>
      searched.map((column) => column.text(i)).join("\n").toLowerCase());
  }

  // First numbers from large to small and words from a to z, then the other way round.
  sortBy(c) {
    const again = this.sorted !== null && this.sorted.column === c;
    this.sorted = { column: c, down: again ? !this.sorted.down : Boolean(this.view.columns[c].number) };
    this.heads.forEach((head, h) => {
      head.setAttribute("aria-sort", h !== c ? "none" : this.sorted.down ? "descending" : "ascending");
      head.firstChild.textContent = this.view.columns[h].label + (h !== c ? "" : this.sorted.down ? " ▼" : " ▲");
    });
    this.order();
  }

  order() {
    if (this.sorted !== null) {
      const { column, down } = this.sorted;
      const keys = new Map(this.rows.map((i) => [i, this.view.columns[column].key(i)]));
      this.rows.sort((a, b) => compare(keys.get(a), keys.get(b), down) || a - b);
    }
    const all = this.view.count;
    this.status.textContent = this.rows.length === all ? plural(all, "row")
      : countText(this.rows.length) + " of " + plural(all, "row");
    this.table.setAttribute("aria-rowcount", this.rows.length + 1);
    this.draw();
  }

  draw() {
    if (!this.view) return;
    const first = Math.max(0, Math.floor(this.host.scrollTop / ROW_HEIGHT) - ROWS_BEYOND);
    const visible = Math.ceil(this.host.clientHeight / ROW_HEIGHT) + 2 * ROWS_BEYOND;
    const end = Math.min(this.rows.length, first + visible);
    const rows = [this.spacer(first)];
    for (let at = first; at < end; ++at) rows.push(this.row(at));
    rows.push(this.spacer(this.rows.length - end));
    this.body.replaceChildren(...rows);
  }

  spacer(rows) {
    const row = make("tr", undefined, "spacer");
    const cell = make("td");
    cell.colSpan = this.view.columns.length;
    cell.style.height = rows * ROW_HEIGHT + "px";
    row.setAttribute("aria-hidden", "true");
    row.append(cell);
    return row;
  }

  row(at) {
    const i = this.rows[at];
    const row = make("tr", undefined, i === this.current ? "chosen" : "");
    row.setAttribute("aria-rowindex", at + 2);
    for (const column of this.view.columns) {
      const text = column.text(i);
      const cell = make("td", text, column.number ? "number" : column.className ? column.className(i) : "");
      if (text.length > 18) cell.title = text;
      row.append(cell);
    }
    row.addEventListener("click", () => this.choose(at));
    return row;
  }

  choose(at) {
    this.current = this.rows[at];
    if (this.view.detail) this.detail.textContent = this.view.detail(this.current);
    if (this.view.choose) this.view.choose(this.current);
    this.draw();
  }

  press(event) {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined || event.target !== this.host || this.rows.length === 0) return;
    event.preventDefault();
    const now = this.rows.indexOf(this.current);
    const at = Math.min(Math.max((now < 0 ? -1 : now) + step, 0), this.rows.length - 1);
    this.reveal(at);
    this.choose(at);
  }

  reveal(at) {
    const top = at * ROW_HEIGHT;
    const height = this.host.clientHeight - 2 * ROW_HEIGHT;
    if (top < this.host.scrollTop) this.host.scrollTop = top;
    else if (top > this.host.scrollTop + height) this.host.scrollTop = top - height;
  }

  // Marks row i of the view and brings it into sight, without telling anybody.
  mark(i) {
    this.current = i;
    const at = this.rows.indexOf(i);
    if (at >= 0) this.reveal(at);
    this.draw();
  }
}

// What is not known comes last in both directions.
function compare(a, b, down) {
  if (a === null || b === null) return (a === null) - (b === null);
  const order = a < b ? -1 : a > b ? 1 : 0;
  return down ? -order : order;
}
