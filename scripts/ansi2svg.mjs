// Copyright (c) 2026 the claudecoded authors. MIT license.
//
// ansi2svg.mjs TITLE: draws a terminal's screen. Reads lines with the colours of ECMA-48
// (SGR), as `tmux capture-pane -e -p` prints them, and writes an SVG.

import { readFileSync } from "node:fs";

// Of one cell, in the picture's units, and around all.
const width = 8.4;
const height = 18;
const margin = 12;

const plain = { fg: "#e0e2ea", bg: "#14161b" };
const palette = [
  ..."#07080d #ffc0b9 #b3f6c0 #fce094 #a6dbff #ffcaff #8cf8f7 #eef1f8".split(" "),
  ..."#4f5258 #ffc0b9 #b3f6c0 #fce094 #a6dbff #ffcaff #8cf8f7 #eef1f8".split(" "),
];

const hex = (...rgb) => "#" + rgb.map((n) => Number(n).toString(16).padStart(2, "0")).join("");

// indexed is a colour of the table of 256: sixteen, a cube, greys.
function indexed(n) {
  if (n < 16) return palette[n];
  if (n >= 232) return hex(...Array(3).fill(8 + 10 * (n - 232)));
  const level = (step) => (step === 0 ? 0 : 55 + 40 * step);
  const cube = n - 16;
  return hex(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

// extended reads what follows 38 or 48: 5;N or 2;R;G;B.
function extended(codes) {
  if (codes.shift() === 5) return indexed(codes.shift());
  return hex(codes.shift(), codes.shift(), codes.shift());
}

const switches = { 1: "bold", 3: "italic", 4: "underline", 7: "reverse", 9: "strike" };
const resets = { 22: "bold", 23: "italic", 24: "underline", 27: "reverse", 29: "strike" };

// apply returns a style after the codes of one sequence.
function apply(style, text) {
  // A code with a colon, as of a curly underline, has its variant behind it.
  const codes = text.split(";").map((code) => parseInt(code || "0", 10));
  let next = { ...style };
  while (codes.length > 0) {
    const code = codes.shift();
    if (code === 0) next = { ...plain };
    else if (switches[code]) next[switches[code]] = true;
    else if (resets[code]) next[resets[code]] = false;
    else if (code === 38) next.fg = extended(codes);
    else if (code === 48) next.bg = extended(codes);
    else if (code === 39) next.fg = plain.fg;
    else if (code === 49) next.bg = plain.bg;
    else if (code >= 30 && code <= 37) next.fg = palette[code - 30];
    else if (code >= 40 && code <= 47) next.bg = palette[code - 40];
    else if (code >= 90 && code <= 97) next.fg = palette[code - 82];
    else if (code >= 100 && code <= 107) next.bg = palette[code - 92];
  }
  return next;
}

// wide is a character that takes two cells; of the many, only those that Neovim shows.
const wide = /\p{Emoji_Presentation}/u;

// runs splits a line into pieces of one style; a style goes on in the next line.
let style = { ...plain };
function runs(line) {
  const found = [];
  let column = 0;
  for (const [, codes, text] of line.matchAll(/\x1b\[([\d;:]*)m|([^\x1b]+)/g)) {
    if (text === undefined) {
      style = apply(style, codes);
      continue;
    }
    const cells = [...text].reduce((sum, char) => sum + (wide.test(char) ? 2 : 1), 0);
    found.push({ text, column, cells, ...style });
    column += cells;
  }
  return found;
}

const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const number = (n) => Number(n.toFixed(1));

function draw({ text, column, cells, fg, bg, bold, italic, underline, strike, reverse }, row) {
  if (reverse) [fg, bg] = [bg, fg];
  const x = number(margin + column * width);
  const w = number(cells * width);
  let svg = "";
  if (bg !== plain.bg) {
    svg += `<rect x="${x}" y="${margin + row * height}" width="${w}" height="${height}" fill="${bg}"/>`;
  }
  if (text.trim() === "" && !strike && !underline) return svg;
  const lines = [underline && "underline", strike && "line-through"].filter(Boolean).join(" ");
  const look = [
    fg !== plain.fg && `fill="${fg}"`,
    bold && 'font-weight="bold"',
    italic && 'font-style="italic"',
    lines && `text-decoration="${lines}"`,
  ].filter(Boolean);
  const at = `x="${x}" y="${margin + row * height + 13.5}" textLength="${w}"`;
  return `${svg}<text ${[at, ...look].join(" ")}>${escape(text)}</text>`;
}

const lines = readFileSync(0, "utf8").replace(/\n$/, "").split("\n").map(runs);
const columns = Math.max(...lines.flat().map((run) => run.column + run.cells));
const size = [number(2 * margin + columns * width), 2 * margin + lines.length * height];
const rows = lines.map((line, row) => line.map((run) => draw(run, row)).join(""));
const title = escape(process.argv[2] ?? "A terminal");

console.log(`<svg xmlns="http://www.w3.org/2000/svg" width="${size[0]}" height="${size[1]}" viewBox="0 0 ${size.join(" ")}" role="img" aria-label="${title}">
<title>${title}</title>
<rect width="100%" height="100%" rx="6" fill="${plain.bg}"/>
<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" fill="${plain.fg}" xml:space="preserve">
${rows.filter(Boolean).join("\n")}
</g>
</svg>`);
