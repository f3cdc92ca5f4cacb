/**
 * `npm run bench footprint [starts]`: memory of a server on embedded stores (idle, at most while the demo is sent, one
 * minute after it) and the time until it answers, on a new data directory and on one that exists. Linux only. With 0
 * starts only memory is measured. @default 5 starts
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type StartedServer, startServer } from '../e2e/support/start-server.ts'
import { seedDemo } from '../scripts/seed/demo.ts'
import { formatNumber, percentile, printTable } from './support/figures.ts'

const [starts = '5'] = process.argv.slice(2)
/** Time for the work that follows a start: jobs, garbage collection. */
const IDLE_MS = 20_000
const AFTER_MS = 60_000
const NPM_START = ['npm', 'start', '--silent', '--']
const dataDir = await mkdtemp(join(tmpdir(), 'touchstone-footprint-'))
try {
  if (Number(starts) > 0) await measureStarts(Number(starts))
  await measureMemory()
} finally {
  await rm(dataDir, { recursive: true, force: true })
}

async function measureStarts(count: number): Promise<void> {
  const program: number[] = []
  const npmStart: number[] = []
  for (let at = 0; at <= count; at++) {
    program.push(await timeStart(() => startServer({ dataDir })))
    if (at > 0) npmStart.push(await timeStart(() => startServer({ dataDir, command: NPM_START })))
  }
  const [first = Number.NaN, ...later] = program
  const row = (name: string, ms: readonly number[]) => [name, percentile(ms, 0.5), Math.min(...ms)]
  printTable(
    ['time to ready, ms', 'median', 'least'],
    [row('new data directory', [first]), row('existing one', later), row('existing one, npm start', npmStart)],
  )
}

async function timeStart(start: () => Promise<StartedServer>): Promise<number> {
  const began = performance.now()
  const server = await start()
  const readyMs = performance.now() - began
  await server.stop()
  await untilReleased()
  return readyMs
}

/** The server below `npm start` ends a moment after npm. Its lock file is empty once the data directory is free. */
async function untilReleased(): Promise<void> {
  while ((await readFile(join(dataDir, 'touchstone.lock'), 'utf8')) !== '') await sleep(50)
}

async function measureMemory(): Promise<void> {
  const server = await startServer({ dataDir })
  try {
    await sleep(IDLE_MS)
    const idle = await readMaps(server)
    await forgetPeak(server)
    const runs = await seedDemo(server.url)
    const peakBytes = await readPeak(server)
    await sleep(AFTER_MS)
    const after = await readMaps(server)
    console.log()
    printTable(
      ['resident memory, MB', 'idle', `at most, ${formatNumber(runs)} runs`, 'one minute after'],
      [['all', inMegabytes(total(idle)), inMegabytes(peakBytes), inMegabytes(total(after))]],
    )
    console.log()
    const kinds = [...new Set([...idle.keys(), ...after.keys()])]
    const rows = kinds
      .sort((one, other) => (idle.get(other) ?? 0) - (idle.get(one) ?? 0))
      .map((kind) => [kind, inMegabytes(idle.get(kind) ?? 0), inMegabytes(after.get(kind) ?? 0)])
    printTable(['of it', 'idle', 'one minute after'], rows)
  } finally {
    await server.stop()
  }
}

/** Resident bytes by kind of mapping. */
type Maps = ReadonlyMap<string, number>

/** Reads `/proc/<pid>/smaps`: a line with the mapped file, then lines of figures. */
async function readMaps({ pid }: StartedServer): Promise<Maps> {
  const maps = new Map<string, number>()
  let file = ''
  for (const line of (await readFile(`/proc/${pid}/smaps`, 'utf8')).split('\n')) {
    const [, name] = /^[\da-f]+-[\da-f]+ \S+ \S+ \S+ \d+ *(.*)$/.exec(line) ?? []
    if (name !== undefined) file = name
    const [, figure, kilobytes] = /^(Rss|Anonymous): +(\d+) kB$/.exec(line) ?? []
    const bytes = Number(kilobytes ?? 0) * 1024
    const add = (kind: string, more: number) => maps.set(kind, (maps.get(kind) ?? 0) + more)
    if (figure === 'Rss') add(describeFile(file), bytes)
    if (figure !== 'Anonymous') continue
    add(describeFile(file), -bytes)
    add(file === '[heap]' ? 'heap of malloc' : file.startsWith('/') ? 'written pages of files' : 'anonymous', bytes)
  }
  return new Map([...maps].filter(([, bytes]) => bytes > 0))
}

function describeFile(file: string): string {
  if (file.endsWith('/libchdb.so')) return 'libchdb.so'
  if (file === process.execPath) return 'Node'
  return 'other files'
}

function total(maps: Maps): number {
  return [...maps.values()].reduce((sum, bytes) => sum + bytes, 0)
}

/** The kernel then notes the next maximum. */
async function forgetPeak({ pid }: StartedServer): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5')
}

async function readPeak({ pid }: StartedServer): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) * 1024
}

function inMegabytes(bytes: number): number {
  return Math.round(bytes / 1e6)
}
