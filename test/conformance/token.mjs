// Copyright (c) 2026 the claudecoded authors. MIT license.
//
// Adds the server's token to every request of a program that knows nothing of tokens:
// node --import token.mjs PROGRAM, with the token in CONFORMANCE_TOKEN. Nothing else of a
// request is touched.

import { subscribe } from "node:diagnostics_channel";

const value = `Bearer ${process.env.CONFORMANCE_TOKEN}`;

subscribe("undici:request:create", ({ request }) => request.addHeader("Authorization", value));
subscribe("http.client.request.created", ({ request }) => request.setHeader("Authorization", value));
