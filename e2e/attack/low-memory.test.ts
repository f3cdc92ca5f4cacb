import { describe, expect, it, onTestFinished } from 'vitest'
import { makeMemoryGroup } from '../support/memory-group.ts'
import { aRunHead, postJson } from '../support/raw-ingest.ts'
import { cli } from '../support/run-touchstone.ts'
import { inFull } from '../support/scale.ts'
import { startServer } from '../support/start-server.ts'

const MiB = 1024 * 1024
const LOAD_MS = inFull(6_000, 20_000)

/** Forty runs that do not compress, together about twice as large as `bytes`. */
function aBatch(bytes: number) {
  const post = Array.from({ length: 40 }, () => ({
    ...aRunHead({ session_name: 'low memory' }),
    inputs: { data: Buffer.from(crypto.getRandomValues(new Uint8Array(Math.min(65_536, bytes / 54)))).toString('hex') },
  }))
  return { id: post[0]!.id, body: JSON.stringify({ post }) }
}

describe('B16: a server with little memory', { timeout: 300_000 }, () => {
  it.for([
    { what: 'a little ingest in 512 MB', memory: 512 * MiB, senders: 1, batchBytes: 40_000 },
    { what: 'heavy ingest in 1 GB', memory: 1024 * MiB, senders: 6, batchBytes: 2.5 * MiB },
  ])('starts, serves and stays alive under $what', async ({ memory, senders, batchBytes }, { skip }) => {
    const group = makeMemoryGroup(memory)
    if (group === undefined) return skip('this machine lets us make no memory cgroup')
    // As in the container, where the command line waits for the server within the same limit.
    const command = [process.execPath, cli, 'start']
    const server = await startServer({ under: group.under, command, timeoutMs: 120_000 })
    onTestFinished(async () => {
      await server.stop()
      group.remove()
    })
    const acknowledged: string[] = []
    const statuses = new Set<number>()
    const deadline = Date.now() + LOAD_MS
    const send = async () => {
      while (Date.now() < deadline) {
        const { id, body } = aBatch(batchBytes)
        const { status } = await postJson(`${server.url}/runs/batch`, body)
        statuses.add(status)
        if (status === 500) console.log(server.output().slice(-3_000))
        if (status === 202) acknowledged.push(id)
        // Pause: the server asks to wait.
        else await new Promise((resolve) => setTimeout(resolve, 200))
      }
    }
    await Promise.all(Array.from({ length: senders }, send))

    expect(group.countKills()).toBe(0)
    expect([...statuses].filter((status) => ![202, 429, 503].includes(status))).toEqual([])
    expect(acknowledged.length).toBeGreaterThan(0)
    const query = JSON.stringify({ id: acknowledged.slice(-100), select: ['id'], limit: 100 })
    const { text } = await postJson(`${server.url}/runs/query`, query)
    expect(JSON.parse(text).runs).toHaveLength(Math.min(100, acknowledged.length))
    console.log(`${acknowledged.length} batches stored, ${server.url} answered ${[...statuses].join(', ')}`)
    expect(await server.stop()).toBe(0)
  })

  it('refuses to start with less than its minimum, in a sentence', async () => {
    await expect(startServer({ env: { TOUCHSTONE_MEMORY: '300MB' } })).rejects.toThrow(
      /exit code 1[\s\S]*needs at least 512 MB of memory for its embedded stores, and has 300 MB\. Raise the memory limit/,
    )
  })
})
