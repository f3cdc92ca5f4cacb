#!/usr/bin/env node
// The engines compute on libuv's pool, whose default of four threads would let one long query hold up every other one.
// Its size is read once, when the pool is first used, so nothing is imported before.
process.env.UV_THREADPOOL_SIZE ??= '16'

const { start } = await import('./start/start.ts')
await start(process.argv.slice(2), process.env)

export {}
