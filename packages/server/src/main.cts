#!/usr/bin/env node
// CommonJS: loading an ES module uses libuv's pool, whose size is read when it is first used.
import v8 = require('node:v8')

// The engines compute on libuv's pool, whose default of four threads would let waiting queries delay files and
// compression. Each thread takes about two megabytes.
const limitBytes = process.constrainedMemory() ?? 0
const hasLittleMemory = limitBytes > 0 && limitBytes < 1024 ** 3
process.env.UV_THREADPOOL_SIZE ??= hasLittleMemory ? '4' : '16'
// The embedded PostgreSQL is WebAssembly. By default V8 optimizes functions so early that the start alone takes 1.3 s
// of CPU more; with this budget, eleven times the default, it optimizes those that stay busy.
v8.setFlagsFromString('--wasm-tiering-budget=20000000')
// By default V8 lets the heap grow up to fourfold before it collects garbage. By a third only, ingest takes a fifth
// more CPU.
if (hasLittleMemory) v8.setFlagsFromString('--heap-growing-percent=33')

import('./start/start.ts').then(({ start }) => start(process.argv.slice(2), process.env))
