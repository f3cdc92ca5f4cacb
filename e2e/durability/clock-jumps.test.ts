import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aRunHead, send } from '../support/raw-ingest.ts'
import { isFull } from '../support/scale.ts'
import { type StartedServer, startServer } from '../support/start-server.ts'
import { makeWriteWorld, type WriteWorld, writeUntil } from '../support/write-kinds.ts'
import { type CallServer, callServer, WriteLedger } from '../support/write-ledger.ts'

const HOUR_MS = 3_600_000
const WRITERS = 3
/** Acknowledged writes after each jump. */
const WRITES = 60
/** Where the clock is set: an hour forward, back by two, and right again. */
const JUMPS = [HOUR_MS, -HOUR_MS, 0]

const hook = fileURLToPath(new URL('../support/shift-clock.cjs', import.meta.url))

describe('a server whose clock is set', { timeout: 240_000 }, () => {
  let root: string
  let server: StartedServer
  let world: WriteWorld
  const ledger = new WriteLedger()

  const start = () =>
    startServer({
      dataDir: join(root, 'data'),
      env: { NODE_OPTIONS: `--require=${hook}`, SHIFT_CLOCK_FILE: join(root, 'clock') },
      timeoutMs: 110_000,
    })
  /** Settles when the server has the new time. */
  async function setClock(shiftMs: number): Promise<void> {
    await writeFile(join(root, 'clock'), String(shiftMs))
    const headers = { 'x-api-key': world.key, 'content-type': 'application/json' }
    const body = JSON.stringify({ action: 'export', session: [world.projectId], dry_run: true })
    const readShift = async () => {
      const { text } = await send(`${server.url}/api/v1/bulk`, { method: 'POST', headers, body })
      return Date.parse(JSON.parse(text).as_of) - Date.now()
    }
    const isSet = async () => Math.abs((await readShift()) - shiftMs) < HOUR_MS / 2
    await expect.poll(isSet).toBe(true)
  }

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'touchstone-clock-'))
    await writeFile(join(root, 'clock'), '0')
    server = await start()
    world = await makeWriteWorld(callServer(server.url, ''), (key) => callServer(server.url, key))
  })
  afterAll(async () => {
    await server?.kill()
    await rm(root, { recursive: true, force: true })
  })

  it.runIf(isFull)('takes writes of all kinds before and after each jump, and holds them', async () => {
    const over = new AbortController()
    const direct = callServer(server.url, world.key)
    const refused: string[] = []
    const call: CallServer = async (method, path, ...rest) => {
      const answer = await direct(method, path, ...rest)
      if (answer.status >= 429) refused.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer
    }
    const work = Promise.all(
      Array.from({ length: WRITERS }, (_, at) => writeUntil(over.signal, { call, world, ledger }, at * 6)),
    )
    for (const shiftMs of [0, ...JUMPS]) {
      await setClock(shiftMs)
      const before = ledger.size
      await Promise.race([work, expect.poll(() => ledger.size, { timeout: 60_000 }).toBeGreaterThan(before + WRITES)])
    }
    over.abort()
    await work
    expect(refused).toEqual([])
    const { broken, asked } = await ledger.findBroken(callServer(server.url, world.key))
    expect(broken).toEqual([])
    console.log(`${asked} acknowledged writes are there after the clock was set ${JUMPS.length} times`)
  })

  it('keeps updates of a run that was created later than now, also after a restart', async () => {
    const api = `${server.url}/api/v1`
    const headers = { 'x-api-key': world.key, 'content-type': 'application/json' }
    const patch = (at: string, id: string, outputs: object) =>
      send(`${at}/runs/${id}`, { method: 'PATCH', headers, body: JSON.stringify({ outputs }) })
    const readOutputs = async (at: string, id: string) =>
      JSON.parse((await send(`${at}/runs/${id}`, { headers })).text).outputs

    await setClock(HOUR_MS)
    // Its client has the wrong clock too.
    const run = aRunHead({ session_name: 'ledger', start_time: new Date(Date.now() + HOUR_MS).toISOString() })
    const made = await send(`${api}/runs`, { method: 'POST', headers, body: JSON.stringify({ ...run, inputs: {} }) })
    expect(made.status, made.text).toBe(202)
    await setClock(0)
    expect((await patch(api, run.id, { n: 1 })).status).toBe(202)
    expect(await readOutputs(api, run.id)).toEqual({ n: 1 })

    await server.kill()
    server = await start()
    const again = `${server.url}/api/v1`
    expect((await patch(again, run.id, { n: 2 })).status).toBe(202)
    expect(await readOutputs(again, run.id)).toEqual({ n: 2 })
    const query = JSON.stringify({ session: [world.projectId], id: [run.id] })
    const listed = await send(`${again}/runs/query`, { method: 'POST', headers, body: query })
    expect(JSON.parse(listed.text).runs.map(({ id }: { id: string }) => id)).toEqual([run.id])
  })

  it.runIf(isFull)('ends a job that was started just before its clock was set back', { timeout: 500_000 }, async () => {
    const call = callServer(server.url, world.key)
    const [project] = (await call('GET', '/sessions?name=ledger')).body
    for (const shiftMs of JUMPS) {
      const body = { action: 'export', session: [project.id], format: 'jsonl' }
      const started = await call('POST', '/bulk', body)
      expect(started.status, JSON.stringify(started.body)).toBe(200)
      await setClock(shiftMs)
      const read = async () => (await call('GET', `/jobs/${started.body.job.id}`)).body.status
      // Jobs that wait for a later time are brought forward each minute.
      await expect.poll(read, { timeout: 150_000, interval: 200 }).toBe('done')
    }
  })

  it('takes a key back at once, whatever the clock', async () => {
    await setClock(HOUR_MS)
    const call = callServer(server.url, world.key)
    const { id, key } = (await call('POST', '/api-key', { description: 'short-lived' })).body
    expect((await call('GET', '/settings', undefined, key)).status).toBe(200)
    await setClock(0)
    expect((await call('GET', '/settings', undefined, key)).status).toBe(200)
    expect((await call('DELETE', `/api-key/${id}`)).status).toBeLessThan(300)
    expect((await call('GET', '/settings', undefined, key)).status).toBe(401)
  })
})
