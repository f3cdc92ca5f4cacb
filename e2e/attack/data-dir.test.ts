import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findBrokenPromises, Ledger, sendUntil } from '../durability/acknowledged-runs.ts'
import { copyFolder } from '../support/copy-folder.ts'
import { inFull } from '../support/scale.ts'
import { type StartedServer, type StartOptions, startServer } from '../support/start-server.ts'
import { DatasetLedger } from './dataset-writer.ts'

/** A process in a PID namespace of its own sees no other, as in a second container on the same volume. */
const OTHER_NAMESPACE = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc']
const ROUNDS = inFull(1, 2)
const canUnshare = spawnSync(OTHER_NAMESPACE[0]!, [...OTHER_NAMESPACE.slice(1), 'true']).status === 0

let dataDir: string
let servers: StartedServer[]

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'touchstone-alone-'))
  const template = process.env.TOUCHSTONE_E2E_TEMPLATE
  if (template !== undefined) await copyFolder(template, dataDir)
  servers = []
})

afterEach(async () => {
  for (const server of servers) await server.kill()
  await rm(dataDir, { recursive: true, force: true })
})

async function start(options: StartOptions = {}): Promise<StartedServer> {
  const server = await startServer({ dataDir, ...options })
  servers.push(server)
  return server
}

const lockFile = () => join(dataDir, 'touchstone.lock')
const readHolder = async () => JSON.parse(await readFile(lockFile(), 'utf8')) as { pid: number; since: string }

/** Writers of both stores and of blobs, with a ledger of what was acknowledged. */
function writeTo(findUrl: () => string) {
  const over = new AbortController()
  const runs = new Ledger()
  const datasets = new DatasetLedger()
  const writers = [
    datasets.writeUntil(over.signal, findUrl),
    datasets.writeUntil(over.signal, findUrl),
    followServer(over.signal, findUrl, runs),
  ]
  return {
    count: () => ({ runs: runs.size, datasets: datasets.acknowledged.length }),
    /** Resolves when both stores have acknowledged more than they had. */
    async untilMore() {
      const before = { runs: runs.size, datasets: datasets.acknowledged.length }
      await expect.poll(() => runs.size).toBeGreaterThan(before.runs + 20)
      await expect.poll(() => datasets.acknowledged.length).toBeGreaterThan(before.datasets + 10)
    },
    async end() {
      over.abort()
      await Promise.all(writers)
    },
    async findLost(url: string) {
      return [...(await findBrokenPromises(url, runs, runs.toCheck(true))), ...(await datasets.findMissing(url))]
    },
  }
}

/** Sends runs to the server of the moment until `signal` ends it. */
async function followServer(signal: AbortSignal, findUrl: () => string, runs: Ledger) {
  while (!signal.aborted) {
    const url = findUrl()
    const moved = new AbortController()
    const watch = setInterval(() => (signal.aborted || findUrl() !== url) && moved.abort(), 20)
    await sendUntil(moved.signal, url, runs)
    clearInterval(watch)
  }
}

describe('B1: a data directory belongs to one process', { timeout: 240_000 }, () => {
  it('starts over a lock file of garbage, refuses a second process and `--create-key` at once, and names the holder', async () => {
    await writeFile(lockFile(), '\u0000\u0001\u0002{"pid": ')
    const holder = await start()
    const { pid, since } = await readHolder()
    expect(pid).toBe(holder.pid)
    const sentence = `in use by process ${holder.pid} on host ${hostname()}, running since ${since}. Stop that process first`
    await expect(start()).rejects.toThrow(sentence)

    const main = fileURLToPath(new URL('../../packages/server/dist/main.cjs', import.meta.url))
    const made = spawnSync(process.execPath, [main, '--data-dir', dataDir, '--create-key', 'x'], { encoding: 'utf8' })
    expect(made).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining(sentence) })
    expect((await fetch(`${holder.url}/ok`)).status).toBe(200)

    // The lock file is empty when its holder has stopped.
    expect(await holder.stop()).toBe(0)
    expect((await stat(lockFile())).size).toBe(0)
  })

  it('refuses others under load, is free when its holder was killed under load, and loses nothing', async () => {
    let holder = await start()
    const load = writeTo(() => holder.url)
    for (let round = 0; round < ROUNDS; round++) {
      await load.untilMore()
      if (canUnshare) {
        const refused = `in use by process ${holder.pid} on host`
        await expect(start({ under: OTHER_NAMESPACE })).rejects.toThrow(refused)
      }
      await load.untilMore()
      expect((await readHolder()).pid).toBe(holder.pid)
      await holder.kill()
      // The last holder is one that this process cannot see.
      holder = await start(canUnshare && round === ROUNDS - 1 ? { under: OTHER_NAMESPACE } : {})
    }
    await load.untilMore()
    await load.end()
    expect(await load.findLost(holder.url)).toEqual([])
    await expect(start()).rejects.toThrow('in use by process')
  })

  it('is free when its holder is a zombie process', async () => {
    const under = ['sh', '-c', '"$@" & exec sleep 600', 'sh']
    await start({ under })
    const { pid } = await readHolder()
    process.kill(pid, 'SIGKILL')
    const stateOf = async () => (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]![0]
    await expect.poll(stateOf).toBe('Z')

    const next = await start()
    expect((await readHolder()).pid).toBe(next.pid)
    expect(await stateOf()).toBe('Z')
  })

  it('is handed over in orderly rolling updates under load, and nothing acknowledged is lost', async () => {
    let current = await start()
    const load = writeTo(() => current.url)
    // The last holder is one that this process cannot see.
    for (const under of [[], canUnshare ? OTHER_NAMESPACE : []].slice(-ROUNDS)) {
      await load.untilMore()
      const next = start({ args: ['--wait-for-data-dir', '100'], under })
      expect(await current.stop()).toBe(0)
      current = await next
    }
    await load.untilMore()
    await load.end()
    expect(await load.findLost(current.url)).toEqual([])
  })

  it('does not start on a file system that cannot lock, and opens nothing there', async () => {
    await rm(dataDir, { recursive: true })
    await mkdir(dataDir)
    const env = { NODE_OPTIONS: `--require ${await failingLock('ENOLCK')}` }
    await expect(start({ env })).rejects.toThrow(`${dataDir} cannot lock files (ENOLCK)`)
    await expect(stat(join(dataDir, 'relational'))).rejects.toThrow('ENOENT')
  })
})

/** A module that makes the kernel's lock fail as it does on a network file system without a lock service. */
async function failingLock(code: string): Promise<string> {
  const path = join(dataDir, `fail-${code}.cjs`)
  const server = fileURLToPath(new URL('../../packages/server/package.json', import.meta.url))
  await writeFile(
    path,
    `const lock = require('node:module').createRequire(${JSON.stringify(server)})('fs-native-extensions')
    lock.tryLock = () => { throw Object.assign(new Error('injected'), { code: '${code}' }) }`,
  )
  return path
}
