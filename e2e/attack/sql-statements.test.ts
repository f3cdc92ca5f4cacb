import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { uuid7 } from '@touchstone/contract'
import { describe, it, type TestContext } from 'vitest'
import { aRunHead, postJson, readRunText, send } from '../support/raw-ingest.ts'
import { type StartedServer, startServer } from '../support/start-server.ts'

const hook = fileURLToPath(new URL('../support/stuck-engine.cjs', import.meta.url))

/**
 * A server whose embedded engine `stick` holds with a statement that does not end, or, with `STICK_STATEMENT_WHEN`, one
 * whose next statement of a user does not end.
 */
async function startWithHook(
  onTestFinished: TestContext['onTestFinished'],
  env: Record<string, string> = {},
  what = 'STICK_ENGINE_WHEN',
) {
  const file = join(tmpdir(), `touchstone-stick-${uuid7()}`)
  const server = await startServer({
    env: { NODE_OPTIONS: `--require=${hook}`, [what]: file, ...env },
  })
  onTestFinished(async () => {
    rmSync(file, { force: true })
    await server.stop()
  })
  return { server, stick: () => writeFileSync(file, '') }
}

async function storeRun({ url }: StartedServer, headers: Record<string, string> = {}) {
  const head = aRunHead()
  const { status, text } = await send(`${url}/runs`, { method: 'POST', body: JSON.stringify(head), headers })
  if (status !== 202) throw new Error(`The run was not stored: ${status} ${text}`)
  return head
}

/** Sends statements over the project of a run. */
async function toAsk({ url }: StartedServer, runId: string) {
  const run = JSON.parse((await readRunText(url, runId)).text) as { session_id: string }
  return (query: string) =>
    postJson(`${url}/api/v2/sql/query`, JSON.stringify({ project_ids: [run.session_id], query }))
}

const readiness = async ({ url }: StartedServer) => {
  const { status, text } = await send(`${url}/ready`)
  return `${status} ${text}`
}

// At once: nearly all of their time is waiting for a limit.
describe.concurrent('S2: a SQL statement that does not end', () => {
  it('is refused when a call in it could take forever, and the server reads on', async ({ expect, onTestFinished }) => {
    const server = await startServer()
    onTestFinished(async () => {
      await server.stop()
    })
    const head = await storeRun(server)
    const ask = await toAsk(server, head.id)
    const long = (levels: number): string =>
      levels === 1 ? `'aaaaaaaaaa'` : `replaceAll(${long(levels - 1)}, 'a', 'aaaaaaaaaa')`
    const query =
      `select position(substring(${long(8)}, 1, 50000000), concat(substring(${long(8)}, 1, 2000000), 'b'))` +
      ' from runs where start_time > now() - interval 30 day limit 1'
    const refused = await ask(query)

    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('replaceAll')])
    const counted = await ask('select count() from runs where start_time > now() - interval 30 day')
    expect([counted.status, counted.text]).toEqual([200, expect.stringContaining('"rows":[[1]]')])
  })

  it('is ended after its time, and another workspace writes and reads on meanwhile', async ({
    expect,
    onTestFinished,
  }) => {
    const { server, stick } = await startWithHook(
      onTestFinished,
      { TOUCHSTONE_MAX_QUERY_SECONDS: '2' },
      'STICK_STATEMENT_WHEN',
    )
    const count = async () => {
      const { status, text } = await ask('select count() from runs where start_time > now() - interval 30 day')
      return `${status} ${text}`
    }
    const ask = await toAsk(server, (await storeRun(server)).id)
    expect(await count()).toContain('"rows":[[1]]')
    const created = await postJson(`${server.url}/api/v1/workspaces`, '{"display_name":"Other"}')
    const other = { 'x-tenant-id': (JSON.parse(created.text) as { id: string }).id }

    stick()
    let isEnded = false
    const stuck = count().finally(() => (isEnded = true))
    let stored = 0
    for (; !isEnded; stored++) {
      const { id } = await storeRun(server, other)
      expect((await readRunText(server.url, id, other)).status).toBe(200)
    }

    expect(await stuck).toMatch(/^400 .*took longer than 2 seconds and was stopped/)
    expect(stored).toBeGreaterThan(1)
    expect(await count()).toContain('"rows":[[1]]')
  })

  it('in the engine of the server itself is named by /ready, and ends the process after a set time', async ({
    expect,
    onTestFinished,
  }) => {
    const { server, stick } = await startWithHook(onTestFinished, {
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

  it('does not keep the server from stopping on SIGTERM', async ({ expect, onTestFinished }) => {
    const { server, stick } = await startWithHook(onTestFinished)
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
