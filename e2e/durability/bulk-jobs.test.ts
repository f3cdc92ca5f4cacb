import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aRunHead } from '../support/raw-ingest.ts'
import { isFull } from '../support/scale.ts'
import { type StartedServer, startServer } from '../support/start-server.ts'
import { type CallServer, callServer } from '../support/write-ledger.ts'

/** Several pages of each kind of job. */
const TRACES = 1_500
const SENT_AT_ONCE = 500
const PRICE = 0.001
const TOKENS = { prompt: 10, completion: 20 }
/** A price of one more cent for each token. */
const RAISED = PRICE * 11

/** A kill comes when a job has done so much of its work. */
const KILLS = [0, 0.3, 0.7]

type Job = Readonly<Record<string, unknown>> & { readonly id: string; readonly done: number; readonly total: number }

// A cheap representative of each kind of job is among the tests of the server.
describe.runIf(isFull)('a server that is killed in the middle of a bulk job', { timeout: 600_000 }, () => {
  let dataDir: string
  let server: StartedServer
  let call: CallServer
  let project = 0
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'touchstone-bulk-jobs-'))
    await start()
    await ok('POST', '/model-price-map', {
      name: 'counted',
      match_pattern: '^counted$',
      prompt_cost: String(PRICE),
      completion_cost: String(PRICE),
    })
  })
  afterAll(async () => {
    await server?.kill()
    await rm(dataDir, { recursive: true, force: true })
  })

  async function start() {
    server = await startServer({ dataDir, timeoutMs: 110_000 })
    call = callServer(server.url, '')
  }

  // biome-ignore lint/suspicious/noExplicitAny: the body of whatever was asked for
  async function ok(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await call(method, path, body)
    expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300)
    return answer.body
  }

  /** Model calls without children, in a project of their own. */
  async function aProject(traces = TRACES): Promise<{ readonly id: string; readonly runs: readonly string[] }> {
    const session_name = `bulk ${++project}`
    const end_time = new Date(Date.now() + 1).toISOString()
    const outputs = { usage: { prompt_tokens: TOKENS.prompt, completion_tokens: TOKENS.completion } }
    const extra = { metadata: { ls_model_name: 'counted' } }
    const post = Array.from({ length: traces }, (_, n) => ({
      ...aRunHead({ session_name, end_time, extra, run_type: 'llm', inputs: { n }, outputs }),
    }))
    for (let at = 0; at < traces; at += SENT_AT_ONCE) {
      await ok('POST', '/runs/batch', { post: post.slice(at, at + SENT_AT_ONCE) })
    }
    const [{ id }] = await ok('GET', `/sessions?name=${encodeURIComponent(session_name)}`)
    return { id, runs: post.map((run) => run.id) }
  }

  const read = (id: string): Promise<Job> => ok('GET', `/jobs/${id}`)
  const count = async (session: string): Promise<number> =>
    (await ok('POST', '/bulk', { action: 'export', session: [session], dry_run: true })).runs

  /** Kills the server once during the job, when it has done a part of its work, and waits for its end after the restart. */
  async function kill(id: string, share: number): Promise<Job> {
    const hasBegun = ({ done, total }: Job) => done >= total * share
    await expect.poll(async () => hasBegun(await read(id)), { timeout: 60_000, interval: 5 }).toBe(true)
    await server.kill()
    await start()
    await expect.poll(async () => (await read(id)).ended_at, { timeout: 120_000, interval: 100 }).not.toBeNull()
    return read(id)
  }

  it.for(KILLS)('deletes each trace and counts it once (%d done)', async (share) => {
    const [{ id: doomed }, { id: kept }] = [await aProject(), await aProject(3)]
    const { job } = await ok('POST', '/bulk', { action: 'delete', session: [doomed], expected_total: TRACES })
    expect(await kill(job.id, share)).toMatchObject({ status: 'done', total: TRACES, done: TRACES, failed: 0 })
    expect([await count(doomed), await count(kept)]).toEqual([0, 3])
  })

  it.for(KILLS)('adds each run to a dataset once, and takes all of them out again (%d done)', async (share) => {
    const { id: session } = await aProject()
    const { id: dataset_id } = await ok('POST', '/datasets', { name: `bulk ${project}` })
    const { job } = await ok('POST', '/bulk', { action: 'add_to_dataset', session: [session], dataset_id })
    expect(await kill(job.id, share)).toMatchObject({ status: 'done', total: TRACES, done: TRACES, failed: 0 })
    expect((await ok('GET', `/datasets/${dataset_id}`)).example_count).toBe(TRACES)

    const undo = await ok('POST', `/jobs/${job.id}/undo`)
    expect(await kill(undo.id, share)).toMatchObject({ status: 'done', total: TRACES, done: TRACES, failed: 0 })
    expect((await ok('GET', `/datasets/${dataset_id}`)).example_count).toBe(0)
  })

  it.for(KILLS)('adds each run to a queue once (%d done)', async (share) => {
    const { id: session } = await aProject()
    const { id: queue_id } = await ok('POST', '/annotation-queues', { name: `bulk ${project}` })
    const { job } = await ok('POST', '/bulk', { action: 'add_to_queue', session: [session], queue_id })
    expect(await kill(job.id, share)).toMatchObject({ status: 'done', total: TRACES, done: TRACES, failed: 0 })
    expect((await ok('GET', `/annotation-queues/${queue_id}/size`)).size).toBe(TRACES)
  })

  it.for(KILLS)('exports each run once (%d done)', async (share) => {
    const { id: session, runs } = await aProject()
    const { job } = await ok('POST', '/bulk', { action: 'export', session: [session], format: 'jsonl' })
    const ended = await kill(job.id, share)
    expect(ended).toMatchObject({ status: 'done', total: TRACES, done: TRACES, failed: 0 })
    const text = await (await fetch(new URL(String(ended.download_url), server.url))).text()
    expect(Buffer.byteLength(text)).toBe(ended.bytes)
    const exported = text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id)
    expect(exported.toSorted()).toEqual(runs.toSorted())
  })

  it.for(KILLS)('prices each run again once, and restores its cost (%d done)', async (share) => {
    const { id: session, runs } = await aProject()
    const [price] = await ok('GET', '/model-price-map').then((all) =>
      all.filter(({ name }: { name: string }) => name === 'counted'),
    )
    const setCost = (cost: number) =>
      ok('PUT', `/model-price-map/${price.id}`, { ...price, prompt_cost: String(cost), completion_cost: String(cost) })
    const sum = async () => {
      let total = 0
      for (let at = 0; at < runs.length; at += 100) {
        const query = { id: runs.slice(at, at + 100), select: ['total_cost'], limit: 100 }
        for (const run of (await ok('POST', '/runs/query', query)).runs) total += Number(run.total_cost)
      }
      return total
    }
    const perRun = TOKENS.prompt + TOKENS.completion
    // A read waits until they are stored, with their price.
    expect(await count(session)).toBe(TRACES)
    await setCost(RAISED)
    const { job } = await ok('POST', '/model-price-map/reprice', { session: [session] })
    const ended = await kill(job.id, share)
    expect(ended).toMatchObject({ status: 'done', total: TRACES, done: TRACES, failed: 0, costs: { changed: TRACES } })
    expect(await sum()).toBeCloseTo(TRACES * perRun * RAISED)

    const undo = await ok('POST', `/jobs/${job.id}/undo`)
    expect(await kill(undo.id, share)).toMatchObject({ status: 'done', failed: 0 })
    expect(await sum()).toBeCloseTo(TRACES * perRun * PRICE)
    await setCost(PRICE)
  })
})
