import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { uuid7 } from '@touchstone/contract'
import { afterEach, describe, expect, it } from 'vitest'
import { aRunHead, readRunText, send } from '../support/raw-ingest.ts'
import { freePort, type StartedServer, startServer } from '../support/start-server.ts'

const hook = fileURLToPath(new URL('../support/block-loop.cjs', import.meta.url))
let server: StartedServer | undefined
let blockFile = ''
afterEach(async () => {
  rmSync(blockFile, { force: true })
  await server?.stop()
})

/** A server whose event loop `block` keeps busy, until the file is removed. */
async function startBlockable(env: Record<string, string> = {}) {
  blockFile = join(tmpdir(), `touchstone-block-${uuid7()}`)
  const livePort = await freePort()
  server = await startServer({
    env: {
      NODE_OPTIONS: `--require=${hook}`,
      BLOCK_LOOP_WHEN: blockFile,
      TOUCHSTONE_LIVE_PORT: String(livePort),
      ...env,
    },
  })
  const live = async () => {
    const answer = await send(`http://127.0.0.1:${livePort}/live`)
    return { status: answer.status, stuckMs: (JSON.parse(answer.text) as { stuck_ms: number }).stuck_ms }
  }
  return { server, live, block: () => writeFileSync(blockFile, ''), release: () => rmSync(blockFile) }
}

describe('B3: a server whose event loop is stuck', () => {
  it('is reported by /live, serves again when the loop turns again, and hears SIGTERM all the same', async () => {
    const { server, live, block, release } = await startBlockable()
    // The thread starts beside the server, and may be ready a moment later.
    await expect.poll(async () => (await live().catch(() => undefined))?.status).toBe(200)

    block()
    await expect.poll(async () => (await live()).stuckMs).toBeGreaterThan(2000)
    await expect.poll(async () => (await live()).status).toBe(503)
    release()

    expect((await send(`${server.url}/ok`)).status).toBe(200)
    await expect.poll(async () => (await live()).status).toBe(200)
    if (process.platform !== 'linux') return

    block()
    await expect.poll(async () => (await live()).stuckMs).toBeGreaterThan(0)
    process.kill(server.pid, 'SIGTERM')
    await server.exited
    expect(server.output()).toContain('a signal asks the server to stop')
  })

  it('is ended after a set time, logs the reason, and has kept acknowledged runs', async () => {
    // Long enough for a server that starts on a busy machine.
    const { server, block } = await startBlockable({ TOUCHSTONE_STUCK_AFTER_MS: '10000' })
    const head = aRunHead()
    const stored = await send(`${server.url}/runs`, { method: 'POST', body: JSON.stringify(head) })
    expect(stored.status).toBe(202)

    block()
    await server.exited

    expect(server.output()).toContain('The event loop has been stuck for 10 s; the process is ended.')
    const again = await startServer({ dataDir: server.dataDir })
    expect((await readRunText(again.url, head.id)).status).toBe(200)
    await again.stop()
  })
})
