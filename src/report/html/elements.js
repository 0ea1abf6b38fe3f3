// Making and finding parts of the page. Names in a log are whatever they are: they become text, never markup.

const element = (id) => document.getElementById(id);

function make(tag, text, className) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
}

function lastPart(name) {
  return name.slice(name.lastIndexOf(".") + 1) || name;
}

function shortened(text, length) {
  return text.length > length ? text.slice(0, length - 1) + "…" : text;
}

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function isDark() {
  return document.documentElement.dataset.theme === "dark";
}

function placeTip(text, x, y) {
  const tip = element("tip");
  tip.hidden = text === "";
  tip.textContent = text;
  tip.style.left = Math.min(x + 12, window.innerWidth - tip.offsetWidth - 8) + "px";
  tip.style.top = Math.min(y + 12, window.innerHeight - tip.offsetHeight - 8) + "px";
}
