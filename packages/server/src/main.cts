#!/usr/bin/env node
// CommonJS: loading an ES module uses libuv's pool, whose size is read when it is first used.
import v8 = require('node:v8')

// The engines compute on libuv's pool, whose default of four threads would let waiting queries delay files and
// compression. Each thread takes about two megabytes.
const limitBytes = process.constrainedMemory() ?? 0
const hasLittleMemory = limitBytes > 0 && limitBytes < 1024 ** 3
process.env.UV_THREADPOOL_SIZE ??= hasLittleMemory ? '4' : '16'
// The embedded PostgreSQL is WebAssembly. By default V8 optimizes its functions so early that the start alone takes 2 s of
// CPU more. With this budget, five hundred times the default, it optimizes those that stay busy for a second: 10,000
// statements take as much CPU time, and fewer take less.
v8.setFlagsFromString('--wasm-tiering-budget=1000000000')
// A function is validated when it is compiled, which is when it is first called; most are never called.
v8.setFlagsFromString('--wasm-lazy-validation')
// By default V8 lets the heap grow up to fourfold before it collects garbage. By a third only, ingest takes a fifth
// more CPU.
if (hasLittleMemory) v8.setFlagsFromString('--heap-growing-percent=33')

// Most of what runs during the start runs once, and V8 spends 0.5 s of CPU on optimizing it. Newer versions, of Node 22 and
// later, have a faster compiler before that one, with budgets of their own.
const hasOneOptimizer = process.versions.v8.startsWith('11.')
const BUDGET = { start: 2_000_000, default: 67_584 }
if (hasOneOptimizer) v8.setFlagsFromString(`--interrupt-budget=${BUDGET.start}`)

import('./start/start.ts')
  .then(({ start }) => start(process.argv.slice(2), process.env))
  .then(() => {
    if (hasOneOptimizer) v8.setFlagsFromString(`--interrupt-budget=${BUDGET.default}`)
  })
