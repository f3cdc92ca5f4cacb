#!/usr/bin/env node
// The engines compute on libuv's pool, whose default of four threads would let one long query delay all others. The
// size is read once, when the pool is first used, so nothing is imported before. Each thread takes about ten megabytes.
const isSmall = (process.constrainedMemory() ?? 0) > 0 && (process.constrainedMemory() ?? 0) < 1024 ** 3
process.env.UV_THREADPOOL_SIZE ??= isSmall ? '4' : '16'

const { start } = await import('./start/start.ts')
await start(process.argv.slice(2), process.env)

export {}
