/**
 * `npm run bench read [runs] [rounds]`: interactive reads over HTTP, on synthetic runs created inside the engine. The
 * store is kept below `.touchstone/bench-{runs}` and reused. @default 2000000, 40
 */
import { startServer } from '../e2e/support/start-server.ts'
import { percentile, printTable } from './support/figures.ts'
import { type Read, readsOf } from './support/reads.ts'
import { seededStore } from './support/seeded-store.ts'

const count = Number(process.argv[2] ?? 2_000_000)
const rounds = Number(process.argv[3] ?? 40)
const dataDir = await seededStore(count)
const began = performance.now()
const server = await startServer({ dataDir })
console.log(`start to ready with ${count.toLocaleString('en-US')} runs: ${Math.round(performance.now() - began)} ms`)
try {
  const rows: [string, number, number, number][] = []
  for (const [name, read] of Object.entries(await readsOf(server.url))) rows.push([name, ...(await measure(read))])
  printTable([`read, ${count.toLocaleString('en-US')} runs`, 'p50 ms', 'p95 ms', 'kB'], rows)
  console.log(`\nresident: ${Math.round((await server.residentBytes()) / 1e6)} MB`)
} finally {
  await server.stop()
}

async function measure(read: Read): Promise<[number, number, number]> {
  for (let round = 0; round < 5; round++) await read()
  const times: number[] = []
  let bytes = 0
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    bytes = await read()
    times.push(performance.now() - start)
  }
  return [percentile(times, 0.5), percentile(times, 0.95), bytes / 1000]
}
