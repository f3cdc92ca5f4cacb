import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { uuid7 } from '@touchstone/contract'
import { afterEach, describe, expect, it } from 'vitest'
import { aRunHead, readRunText, send } from '../support/raw-ingest.ts'
import { type StartedServer, startServer } from '../support/start-server.ts'

const hook = fileURLToPath(new URL('../support/stuck-engine.cjs', import.meta.url))
let server: StartedServer | undefined
let file = ''
afterEach(async () => {
  rmSync(file, { force: true })
  await server?.stop()
})

/** A server whose embedded engine `stick` holds with a statement that does not end. */
async function startWithHook(env: Record<string, string> = {}) {
  file = join(tmpdir(), `touchstone-stick-${uuid7()}`)
  server = await startServer({
    env: { NODE_OPTIONS: `--require=${hook}`, STICK_ENGINE_WHEN: file, ...env },
  })
  return { server, stick: () => writeFileSync(file, '') }
}

async function storeRun({ url }: StartedServer) {
  const head = aRunHead()
  expect((await send(`${url}/runs`, { method: 'POST', body: JSON.stringify(head) })).status).toBe(202)
  return head
}

const readiness = async ({ url }: StartedServer) => {
  const { status, text } = await send(`${url}/ready`)
  return `${status} ${text}`
}

describe('S2: a SQL statement that does not end', () => {
  it('is refused when a call in it could take forever, and the server reads on', async () => {
    server = await startServer()
    const head = await storeRun(server)
    const run = JSON.parse((await readRunText(server.url, head.id)).text) as { session_id: string }
    const long = (levels: number): string =>
      levels === 1 ? `'aaaaaaaaaa'` : `replaceAll(${long(levels - 1)}, 'a', 'aaaaaaaaaa')`
    const query =
      `select position(substring(${long(8)}, 1, 50000000), concat(substring(${long(8)}, 1, 2000000), 'b'))` +
      ' from runs where start_time > now() - interval 30 day limit 1'
    const ask = (text: string) =>
      send(`${server!.url}/api/v2/sql/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ project_ids: [run.session_id], query: text }),
      })

    const refused = await ask(query)

    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('replaceAll')])
    const counted = await ask('select count() from runs where start_time > now() - interval 30 day')
    expect([counted.status, counted.text]).toEqual([200, expect.stringContaining('"rows":[[1]]')])
  })

  it('in the engine of the server itself is named by /ready, and ends the process after a set time', async () => {
    const { server, stick } = await startWithHook({
      TOUCHSTONE_STUCK_AFTER_MS: '4000',
      TOUCHSTONE_MAX_QUERY_SECONDS: '2',
    })
    const head = await storeRun(server)
    expect((await readRunText(server.url, head.id)).status).toBe(200)
    expect(await readiness(server)).toContain('200')

    stick()
    await expect
      .poll(() => readiness(server), { timeout: 30_000 })
      .toMatch(/^503 .*The analytics store did not answer within 5 s/s)
    expect((await send(`${server.url}/ok`)).status).toBe(200)
    await server.exited

    expect(server.output()).toContain('The column store has been stuck for')
    const again = await startServer({ dataDir: server.dataDir })
    expect((await readRunText(again.url, head.id)).status).toBe(200)
    await again.stop()
  }, 120_000)

  it('does not keep the server from stopping on SIGTERM', async () => {
    const { server, stick } = await startWithHook()
    const head = await storeRun(server)
    stick()
    await expect.poll(() => readiness(server), { timeout: 30_000 }).toContain('503')
    process.kill(server.pid, 'SIGTERM')
    await server.exited

    expect(server.output()).toContain('The server did not stop within 30 s; the process is ended.')
    const again = await startServer({ dataDir: server.dataDir })
    expect((await readRunText(again.url, head.id)).status).toBe(200)
    await again.stop()
  }, 120_000)
})
