/**
 * `npm run bench read-in-turn <url> <other url> [rounds]`: runs the same reads against two servers alternately, so that
 * other load on the machine affects both. Each server uses a store seeded by `npm run bench read`: two versions with
 * the same number of runs, or one version with different numbers. @default 40 rounds
 */
import { percentile, printTable } from './support/figures.ts'
import { readsOf } from './support/reads.ts'

const [one, other, rounds = 40] = process.argv.slice(2)
if (!one || !other) throw new Error('Two addresses are needed: npm run bench read-in-turn <url> <other url> [rounds]')
const reads = await readsOf(one)
const readsOfOther = await readsOf(other)
const rows = []
for (const [name, read] of Object.entries(reads)) rows.push([name, ...(await measure(read, readsOfOther[name]!))])
printTable(['read', 'p50 ms', 'p95 ms', 'other p50', 'other p95', 'other / one'], rows)

async function measure(...pair: readonly (() => Promise<number>)[]) {
  const times = pair.map(() => [] as number[])
  for (let round = -5; round < Number(rounds); round++) {
    for (const [at, read] of pair.entries()) {
      const start = performance.now()
      await read()
      if (round >= 0) times[at]!.push(performance.now() - start)
    }
  }
  const [first, second] = times.map((samples) => [percentile(samples, 0.5), percentile(samples, 0.95)] as const)
  return [...first!, ...second!, (second![0] / first![0]).toFixed(2)]
}
