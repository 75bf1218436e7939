// Copyright (c) 2026 the claudecoded authors. MIT license.
//
// standin.mjs [FILE]: stands in for Claude in a terminal of the editor, for the pictures. It
// finds the editor as Claude does, shows what is selected, and asks for a review of FILE: what
// it proposes are the lines of $PROPOSAL. In the scene "review" it writes them by itself, and a
// file more.

import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { homedir } from "node:os";
import { resolve } from "node:path";

const port = process.env.CLAUDE_CODE_SSE_PORT;
const lock = JSON.parse(readFileSync(`${homedir()}/.claude/ide/${port}.lock`, "utf8"));
const name = process.argv.slice(2).find((word) => word.endsWith(".go"));
const file = name && resolve(name);

// show draws the screen: the prompt in a box, and a line about the editor.
function show(note) {
  const inner = process.stdout.columns - 4;
  const row = (text) => `│ ${text.padEnd(inner)} │`;
  const rule = "─".repeat(inner + 2);
  const lines = ["Claude (a stand-in)", "", `╭${rule}╮`, row("> Why is its error lost?"), `╰${rule}╯`, note];
  process.stdout.write("\x1b[H\x1b[2J" + lines.join("\r\n"));
}

// describe puts a selection_changed notification into words.
function describe({ filePath = "", selection }) {
  const name = filePath.split("/").pop();
  if (!selection || selection.isEmpty) return `in ${name}`;
  const { start, end } = selection;
  return `${end.line - start.line + (end.character > 0 ? 1 : 0)} lines of ${name} selected`;
}

// masked is a client's frame around a payload of less than 64 KiB (RFC 6455, 5.2); the mask
// is 0, which changes no byte.
function masked(opcode, payload) {
  const size = payload.length;
  const head = size < 126 ? [0x80 | opcode, 0x80 | size] : [0x80 | opcode, 0xfe, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), payload]);
}

// frames takes whole frames off the bytes, and returns what is left.
function frames(bytes, each) {
  while (bytes.length >= 2) {
    const short = bytes[1] & 127;
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (bytes.length < head) break;
    const size = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
    if (bytes.length < head + size) break;
    each(bytes[0] & 15, bytes.subarray(head, head + size));
    bytes = bytes.subarray(head + size);
  }
  return bytes;
}

// What it writes without asking, each after a call by which it tells so.
function writes(file) {
  const test = file.replace(/\.go$/, "_test.go");
  const text = 'package lock\n\nimport "testing"\n\nfunc TestOpen(t *testing.T) {\n\tt.Parallel()\n}\n';
  return [
    [file, readFileSync(process.env.PROPOSAL)],
    [test, text],
  ];
}

function converse(socket, first) {
  const send = (message) =>
    socket.write(masked(1, Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }))));
  const call = (id, name, args) => send({ method: "tools/call", id, params: { name, arguments: args } });
  const todo = file && process.env.SCENE === "review" ? writes(file) : [];
  const firstWrite = 3;

  // write writes one file, and tells of the next, or that it is done.
  function write() {
    const [path, text] = todo.shift();
    writeFileSync(path, text);
    call(firstWrite + 1, "getDiagnostics", todo.length ? { uri: `file://${todo[0][0]}` } : {});
  }

  const clientInfo = { name: "stand-in", version: "1.0" };
  const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };

  function received(message) {
    if (message.method === "selection_changed") show(describe(message.params));
    if (message.id >= firstWrite && todo.length) return write();
    if (message.id !== 0) return;
    send({ method: "notifications/initialized" });
    send({ method: "ide_connected", params: { pid: process.pid } });
    send({ method: "tools/list", id: 1 });
    if (!file) return;
    if (todo.length) {
      call(2, "closeAllDiffTabs", {});
      return call(firstWrite, "getDiagnostics", { uri: `file://${todo[0][0]}` });
    }
    const edit = { old_file_path: file, new_file_path: file, tab_name: "lock.go (1)" };
    const proposal = { ...edit, new_file_contents: readFileSync(process.env.PROPOSAL, "utf8") };
    call(2, "openDiff", proposal);
  }

  let bytes = first;
  const read = () =>
    (bytes = frames(bytes, (opcode, payload) => {
      if (opcode === 1) received(JSON.parse(payload));
      if (opcode === 9) socket.write(masked(10, payload));
    }));
  socket.on("data", (more) => {
    bytes = Buffer.concat([bytes, more]);
    read();
  });
  send({ method: "initialize", id: 0, params: hello });
  read();
}

show("");
request({
  host: "127.0.0.1",
  port,
  headers: {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Protocol": "mcp",
    "X-Claude-Code-Ide-Authorization": lock.authToken,
  },
})
  .on("upgrade", (_, socket, first) => converse(socket, first))
  .end();
