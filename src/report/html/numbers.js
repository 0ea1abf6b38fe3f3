// Numbers as people read them, and bounds of rows.

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const PICOSECONDS_PER_MS = 1e9;

// Bounds of row i of a column, or null where nothing is known.
function boundsAt(column, i) {
  const low = column.low[i];
  return low === null || low === undefined ? null : { low, high: low + (column.spread ? column.spread[i] : 0) };
}

function middle(bounds) {
  return bounds.low + (bounds.high - bounds.low) / 2;
}

function withDigits(x) {
  const size = Math.abs(x);
  return x.toFixed(size < 10 ? 3 : size < 100 ? 2 : 1);
}

function unitOf(bytes) {
  const power = Math.floor(Math.log2(Math.max(Math.abs(bytes), 1)) / 10);
  return Math.min(power, UNITS.length - 1);
}

// A kind of number: how many of its smallest unit make the unit that suits x, the name of that unit, and digits.
const BYTES = {
  scaleOf: (x) => 1024 ** unitOf(x), nameOf: (x) => UNITS[unitOf(x)],
  digits: (x, scaled) => (unitOf(x) === 0 ? Math.round(scaled).toLocaleString("en") : withDigits(scaled)),
};
const TIME = {
  scaleOf: () => PICOSECONDS_PER_MS, nameOf: () => "ms",
  digits: (x, scaled) => (Math.abs(scaled) < 1 ? Number(scaled.toPrecision(4)).toString() : withDigits(scaled)),
};
const NUMBER = { scaleOf: () => 1, nameOf: () => "", digits: (x) => Number(x.toPrecision(4)).toString() };

function textOf(x, kind) {
  return (kind.digits(x, x / kind.scaleOf(x)) + " " + kind.nameOf(x)).trimEnd();
}

// The middle of the bounds, with what they leave on both sides where digits that are shown may differ.
function boundsText(bounds, kind) {
  if (bounds === null) return "-";
  const x = middle(bounds);
  if (textOf(bounds.low, kind) === textOf(bounds.high, kind)) return textOf(x, kind);
  const scale = kind.scaleOf(x);
  const half = Number(((bounds.high - bounds.low) / 2 / scale).toPrecision(2)).toString();
  return (kind.digits(x, x / scale) + " ±" + half + " " + kind.nameOf(x)).trimEnd();
}

function countText(n) {
  return n === null || n === undefined ? "-" : n.toLocaleString("en");
}

function plural(n, word) {
  return countText(n) + " " + word + (n === 1 ? "" : "s");
}
