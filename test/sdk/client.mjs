// Copyright (c) 2026 the claudecoded authors. MIT license.
//
// client.mjs v1|v2 http|sse|stdio legacy|modern [COMMAND ARGUMENT...]: a client made of the
// TypeScript SDK, in one of its majors. It does what a client does and prints what came of
// it, a line each, as go/main.go does. SDK_URL and SDK_TOKEN say where to; stdio runs COMMAND.
// With SDK_RESTART it only calls a tool before and after its stdin ends, while its server is
// started anew.

import { setTimeout as pause } from "node:timers/promises";

const [major, kind, era, command, ...args] = process.argv.slice(2);
const say = (what, value) => console.log(`${what}: ${value}`);
const base = process.env.SDK_URL;
const requestInit = { headers: { Authorization: `Bearer ${process.env.SDK_TOKEN}` } };

// majors load a major and tell its differences away.
const majors = {
  async v1(info, onChanged) {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const { ToolListChangedNotificationSchema } = await import("@modelcontextprotocol/sdk/types.js");
    const client = new Client(info);
    client.setNotificationHandler(ToolListChangedNotificationSchema, onChanged);
    return {
      client,
      transports: { StreamableHTTPClientTransport, SSEClientTransport, StdioClientTransport },
      call: (params, options) => client.callTool(params, undefined, options),
    };
  },
  async v2(info, onChanged) {
    const { Client, StreamableHTTPClientTransport, SSEClientTransport } = await import("@modelcontextprotocol/client");
    const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
    const client = new Client(info, {
      versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } },
    });
    return {
      client,
      transports: { StreamableHTTPClientTransport, SSEClientTransport, StdioClientTransport },
      call: (params, options) => client.callTool(params, options),
    };
  },
};

function open(t) {
  switch (kind) {
    case "http":
      return new t.StreamableHTTPClientTransport(new URL("/mcp", base), { requestInit });
    case "sse":
      return new t.SSEClientTransport(new URL("/sse", base), { requestInit });
    case "stdio":
      return new t.StdioClientTransport({ command, args, env: process.env, stderr: "inherit" });
  }
}

if (process.env.SDK_RESTART) {
  await restart();
  process.exit();
}

async function restart() {
  const connect = async () => {
    const sdk = await majors[major]({ name: "sdk-client", version: "1" }, () => {});
    await sdk.client.connect(open(sdk.transports));
    return sdk;
  };
  const ask = (sdk) =>
    sdk.call({ name: "nvim_test_simple_text", arguments: {} }).then(
      (result) => result.content[0].text,
      (err) => `status ${err.status ?? err.code}`,
    );
  let sdk = await connect();
  say("before", await ask(sdk));
  for await (const _ of process.stdin);
  say("after", await ask(sdk));
  await sdk.client.close();
  sdk = await connect();
  say("anew", await ask(sdk));
  await sdk.client.close();
}

let changes = 0;
const sdk = await majors[major]({ name: "sdk-client", version: "1" }, () => changes++);
const { client, call } = sdk;
const transport = open(sdk.transports);

// A client tells its transport what was agreed on.
let revision;
const tell = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (agreed) => {
  revision = agreed;
  tell?.(agreed);
};
await client.connect(transport);
say("server", client.getServerVersion().name);
say("revision", revision);

const { tools } = await client.listTools();
say("tools", tools.filter((t) => ["nvim_test_add", "nvim_test_wait"].includes(t.name)).map((t) => t.name));

const answered = async (name, params = {}, options) => call({ name: `nvim_${name}`, arguments: params }, options);
const content = async (name, params) => (await answered(name, params)).content[0];

say("text", (await content("test_simple_text")).text);
const image = await content("test_image_content");
say("image", `${image.mimeType}, ${Buffer.from(image.data, "base64").length} bytes`);
const audio = await content("test_audio_content");
say("audio", `${audio.mimeType}, ${Buffer.from(audio.data, "base64").length} bytes`);
say("resource", (await content("test_embedded_resource")).resource.uri);
say("link", (await content("test_link")).uri);
const { structuredContent: s } = await answered("test_structured");
say("structured", `${s.big} ${s.text} list ${JSON.stringify(s.list)} map ${JSON.stringify(s.map)}`);
say("sum", (await answered("test_add", { a: 4 })).structuredContent.sum);

// failure is how a call failed: in its result, or with an error of JSON-RPC.
async function failure(name, params) {
  try {
    const { isError, content } = await answered(name, params);
    return isError ? `result, ${content[0].text}` : "none";
  } catch (err) {
    return `code ${err.code}`;
  }
}
say("failed", await failure("test_error_handling"));
say("bad arguments", (await failure("test_add", { a: "four" })).slice(0, "result".length));
say("unknown tool", await failure("none"));
say("own code", await failure("test_missing_capability"));

// Reports may be left out, so only the first is certain.
const steps = [];
await answered("test_tool_with_progress", {}, { onprogress: (p) => steps.push(p) });
const rises = steps.every((p, i) => p.total === 100 && (i === 0 || p.progress > steps[i - 1].progress));
say("progress", `from ${steps[0]?.progress}, rises ${rises}`);

// until asks the tool about the calls of test_wait until it counts as many as are wanted.
async function until(waiting, cancelled) {
  for (let tries = 0; tries < 200; tries++) {
    const { waiting: w, cancelled: c } = JSON.parse((await content("test_waits", { key })).text);
    if (w === waiting && c === cancelled) return true;
    await pause(50);
  }
  return false;
}
const key = `${major} ${kind} ${era} ${process.pid}`;
const abort = new AbortController();
const ended = answered("test_wait", { key }, { signal: abort.signal }).then(
  () => "answered",
  () => "given up",
);
say("waits", await until(1, 0));
abort.abort();
say("cancelled", `${await ended}, ${await until(0, 1)}`);

const before = changes;
await answered("test_trigger_tool_change");
for (let tries = 0; tries < 200 && changes === before; tries++) await pause(50);
say("changed", changes > before);

await transport.terminateSession?.();
await client.close();
say("closed", true);
