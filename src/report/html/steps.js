// Where the numbers of a table come from: the tree of `shardstats explain`.

const DIGITS = 8;  // significant ones of a number that is not whole

function plainText(x) {
  return x === null ? "-" : x.toLocaleString("en", Number.isInteger(x) ? {} : { maximumSignificantDigits: DIGITS });
}

// The value, and its bounds where the log leaves some room. Bytes also in the unit that suits them.
function amountText({ nominal, low, high, unit }) {
  if (nominal === null) return "-";
  const range = plainText(low) === plainText(high) ? "" : `${plainText(low)} to ${plainText(high)}`;
  if (unit === "bytes") return `${textOf(nominal, BYTES)} (${range || plainText(nominal)} B)`;
  return plainText(nominal) + (unit ? " " + unit : "") + (range ? ` (${range})` : "");
}

function stepNode(step) {
  const hasMore = step.children.length > 0 || step.operands.length > 0;
  const head = make(hasMore ? "summary" : "div", step.label);
  head.append(make("span", amountText(step.narrowed ?? step.value), "value"));
  if (step.printed !== undefined)
    head.append(make("span", ` printed ${step.printed} at line ${step.line}`, "note"));
  if (step.substituted) {
    const text = step.expression === step.substituted ? step.expression : step.expression + " = " + step.substituted;
    head.append(make("code", text, "steps"));
  }
  if (step.note) head.append(make("span", step.note, "note steps"));
  if (!hasMore) {
    head.className = "leaf";
    return head;
  }
  const node = make("details");
  node.append(head, ...step.operands.map(operandNode), ...step.children.map(stepNode));
  return node;
}

function operandNode(operand) {
  const node = make("div", operand.symbol + " ", "leaf");
  node.append(make("span", operand.label), make("span", amountText(operand.value), "value"));
  const from = operand.line ? "line " + operand.line : operand.origin;
  node.append(make("span", " " + from + (operand.note ? ", " + operand.note : ""), "note"));
  return node;
}

const NO_STEPS = "The parts of its shards in HBM are shown. Steps in full are in the page only for the tables with " +
  "the most HBM: shardstats explain has them for every table.";

function showSteps(host, explained) {
  host.scrollTop = 0;
  if (!explained) {
    host.replaceChildren(make("p", NO_STEPS, "note"));
    return;
  }
  const nodes = explained.steps.map(stepNode);
  for (const node of nodes.slice(0, 1)) node.open = true;
  host.replaceChildren(...explained.facts.map((fact) => make("p", fact, "note")), ...nodes,
    ...explained.notes.map((note) => make("p", note, "note")));
}
