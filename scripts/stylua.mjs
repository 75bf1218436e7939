// Copyright (c) 2026 the claudecoded authors. MIT license.
//
// stylua.mjs [--check]: formats the repository's Lua with StyLua's WebAssembly
// build, as stylua.toml says. With --check it changes nothing, names the files
// that differ and the first line that does, and exits 1.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const stylua = createRequire(join(root, ".cache/npm/"))("@johnnymorganz/stylua");

const enums = {
  syntax: stylua.LuaVersion,
  indent_type: stylua.IndentType,
  quote_style: stylua.QuoteStyle,
  line_endings: stylua.LineEndings,
  call_parentheses: stylua.CallParenType,
  collapse_simple_statement: stylua.CollapseSimpleStatement,
};

// readConfig reads the flat `key = value` lines of stylua.toml; anything else is an
// error, so that this and a native stylua can never format differently.
function readConfig(file) {
  const config = stylua.Config.new();
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, key, word, number] = /^(\w+) = (?:"(\w+)"|(\d+))$/.exec(line) ?? [];
    const value = number === undefined ? enums[key]?.[word] : Number(number);
    if (value === undefined || !(key in config)) throw new Error(`stylua.toml: cannot use ${line}`);
    config[key] = value;
  }
  return config;
}

// luaFiles are those below a folder; what begins with a dot is not ours.
function luaFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name.startsWith(".")) return [];
    if (entry.isDirectory()) return luaFiles(path);
    return entry.name.endsWith(".lua") ? [path] : [];
  });
}

function firstDifference(was, is) {
  const [a, b] = [was.split("\n"), is.split("\n")];
  let at = 0;
  while (a[at] === b[at]) at++;
  const shown = (line) => (line === undefined ? "no line" : JSON.stringify(line));
  return `${at + 1}: ${shown(a[at])} should be ${shown(b[at])}`;
}

const check = process.argv[2] === "--check";
let wrong = 0;
for (const path of luaFiles(root)) {
  const file = relative(root, path);
  const was = readFileSync(path, "utf8");
  let is;
  try {
    // formatCode consumes the config.
    is = stylua.formatCode(was, readConfig(join(root, "stylua.toml")), undefined, stylua.OutputVerification.Full);
  } catch (err) {
    console.error(`${file}: ${err}`);
    wrong++;
    continue;
  }
  if (is === was) continue;
  if (check) console.error(`${file}:${firstDifference(was, is)}`);
  else writeFileSync(path, is);
  wrong += check;
}
process.exitCode = wrong > 0 ? 1 : 0;
