import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAsSent, withoutUnselected } from '../../support/expect-as-sent.ts'
import { aRunHead } from '../../support/raw-ingest.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { type Tap, tapIngest } from '../../support/tap-ingest.ts'
import maximal from '../maximal-run.json' with { type: 'json' }
import { PYTHON_CLIENTS, python, runScript as runScriptAt } from './run-script.ts'

let server: SharedServer
let tap: Tap
beforeAll(async () => {
  if (python === undefined) return
  server = await shareServer()
  tap = await tapIngest(server.url)
})
afterAll(async () => {
  await tap?.close()
  await server?.stop()
})

const aProject = (word: string) => `${word}-${randomBytes(4).toString('hex')}`
const PLAIN = { LANGSMITH_DISABLE_RUN_COMPRESSION: 'true' }
type Fields = Record<string, unknown>
type Tree = { name: string; children: Tree[] }

describe.skipIf(python === undefined).each(PYTHON_CLIENTS)('the public Python client $version', (client) => {
  /** Runs one of the scripts beside this file against the server, through the tap. */
  function runScript<Answer>(script: string, task: object, env: Record<string, string> = {}): Promise<Answer> {
    return runScriptAt(script, task, tap.url, { ...client.env, ...env })
  }

  it.each([
    ['in one request', false, {}],
    ['in two requests', true, {}],
    ['without compression', true, PLAIN],
  ])('gets back every field it sent %s', async (_, apart, env) => {
    const head = aRunHead({ start_time: maximal.start_time.replace('+00:00', 'Z') })
    const { id, trace_id, dotted_order } = head
    const run = { ...maximal, id, trace_id, dotted_order, reference_example_id: randomUUID() }

    const { read, listed } = await runScript<{ read: Fields; listed: Fields }>(
      'every_field',
      { run, apart, project: aProject('fields') },
      env,
    )

    expectAsSent(read, run)
    expectAsSent(listed, withoutUnselected(run))
    expect(read).toMatchObject({ status: 'error', total_tokens: 30, prompt_tokens: 20, completion_tokens: 10 })
    expect(Number(read.prompt_cost)).toBeCloseTo(15 * 2e-6 + 5 * 0.5e-6, 12)
  })

  it('gets integers of 64 bits back exactly', async () => {
    expect(await runScript('big_integers', { project: aProject('integers') })).toEqual({
      listed: [true, true],
      read: [true, true],
    })
  })

  it('records nested, streaming and failing functions as traces of one thread', async () => {
    const { runs, trees, urls } = await runScript<{ runs: Fields[]; trees: Tree[]; urls: string[] }>(
      'traces',
      { project: aProject('traces') },
      PLAIN,
    )

    const leaf = (name: string) => ({ name, children: [] })
    const expected = { name: 'answer', children: ['search', 'write', 'fail', 'by hand'].map(leaf) }
    expect(trees).toEqual([expected, expected, expected])
    expect(runs).toHaveLength(15)
    for (const run of runs) expectAsSent(run, withoutUnselected(tap.sent(run.id as string)))
    for (const write of runs.filter((run) => run.name === 'write')) {
      expect(write).toMatchObject({ outputs: { text: 'An ode to gold' }, status: 'success' })
      expect(write.first_token_time).toBeTruthy()
    }
    for (const fail of runs.filter((run) => run.name === 'fail')) {
      expect(fail.status).toBe('error')
      expect(fail.error).toContain('the assay failed')
    }
    for (const url of urls) expect(url).toMatch(/\/o\/[0-9a-f-]{36}\/projects\/p\/[0-9a-f-]{36}\/r\/[0-9a-f-]{36}/)
    const read = await (await fetch(`${server.url}/runs/${runs.find((run) => run.name === 'answer')!.id}`)).json()
    expect(read).toMatchObject({ thread_id: 'thread-9' })
  })

  it('sends 500 traces from 16 threads in batches packed with zstd', async () => {
    const packedBefore = tap.encodings().filter((encoding) => encoding === 'zstd').length

    const { runs, distinct, first, pairs } = await runScript<{
      runs: number
      distinct: number
      first: number
      pairs: [number, number, number, string][]
    }>('many', { project: aProject('many'), count: 500, limit: 321 })

    expect({ runs, distinct, first }).toEqual({ runs: 1000, distinct: 1000, first: 321 })
    expect(pairs).toEqual(Array.from({ length: 500 }, (_, at) => [at, at, at * at, 'success']))
    expect(tap.encodings().filter((encoding) => encoding === 'zstd').length).toBeGreaterThan(packedBefore)
  })

  it('gets attachments back byte for byte, packed or not', async () => {
    const files = {
      photo: randomBytes(200_000).toString('base64'),
      note: Buffer.from('é\r\n--boundary\r\n\u0000').toString('base64'),
    }

    for (const env of [{}, PLAIN] as Record<string, string>[]) {
      const answer = await runScript<Record<string, unknown>>('attachments', { project: aProject('files'), files }, env)

      const expected = {
        photo: { data: files.photo, mime_type: 'image/png' },
        note: { data: files.note, mime_type: 'text/plain' },
      }
      expect(answer).toEqual({ listed: expected, read: expected })
    }
  })

  it('creates, reads, changes, lists and deletes projects', async () => {
    const project = aProject('project')

    const answer = await runScript<Fields>('projects', { project })

    expect(answer).toMatchObject({
      same: true,
      conflict: true,
      absent: true,
      absent_run: true,
      has: true,
      has_absent: false,
      has_deleted: false,
      listed: [`${project}-2`],
      read: {
        name: `${project}-2`,
        description: 'second',
        extra: { metadata: { team: 'care', stage: 'x' } },
        run_count: 0,
      },
    })
    expect(answer.tenant).toBe((answer.read as Fields).tenant_id)
  })

  it('gives, reads, changes, lists and deletes feedback, in the background and through tokens too', async () => {
    const project = aProject('judged')
    const dotted_order = `${new Date().toISOString().replaceAll(/[-:.]|Z$/g, '')}000Z`

    const found = await runScript<Fields & { stats: Record<string, Fields> }>(
      'feedback',
      { project, dotted_order },
      { ...PLAIN, LANGSMITH_ENDPOINT: `${server.url}/api/v1` },
    )

    const read = { key: 'correctness', score: 1, value: { verdict: 'good' }, comment: 'ok', correction: { answer: 42 } }
    expect(found.read).toMatchObject({ ...read, extra: { weight: 2 }, feedback_source: { type: 'model' } })
    expect(found.updated).toMatchObject({ ...read, score: 0.25, comment: 'less so' })
    expect(found.early).toMatchObject({ key: 'early', score: 1, trace_id: null })
    expect(found.background).toMatchObject({ key: 'background', score: 0.5 })
    expect(found.on_project).toMatchObject({ key: 'overall', run_id: null })
    expect(found.vote).toMatchObject({ score: 1, value: 'up', comment: 'thanks' })
    expect(found.config).toMatchObject({ feedback_config: { type: 'categorical' }, is_lower_score_better: true })
    expect(found).toMatchObject({
      project_stats: { overall: { n: 1, avg: 0.75 } },
      votes: 1,
      tokens: true,
      same: true,
      conflict: true,
      changed: false,
      configs: 1,
      configs_after: 0,
      polite: 'polite',
      listed: ['background', 'correctness', `${project}-tone`, 'vote'],
      by_key: ['background', 'vote'],
      by_source: ['correctness'],
      gone: true,
      many: 150,
    })
    expect(found.stats.vote).toMatchObject({ n: 1, avg: 1, values: { up: 1 }, comments: ['thanks'] })
  })

  it('shares a run, reads it by its token, and closes it', async () => {
    const report = await runScript<Fields & { ids: string[]; listed: Fields[] }>(
      'sharing',
      { project: aProject('shared') },
      PLAIN,
    )

    const [root, child] = report.ids
    const page = `http://localhost/public/${report.token}/r`
    expect(report).toMatchObject({ url: page, again: page, link: page, before: false, after: false })
    expect(report).toMatchObject({ one: [child], hidden: [], hidden_read: true, closed: true })
    expect(report.root).toMatchObject({ id: root, inputs: { of: 'shared' }, outputs: { done: 'shared' } })
    expect(report.listed.map((run) => run.id)).toEqual(report.ids)
    for (const [run, id] of [
      [report.root, root],
      [report.child, child],
      [report.listed[1], child],
    ] as [Fields, string][]) {
      expectAsSent(run, withoutUnselected(tap.sent(id)))
      expect(run.session_id).toBeNull()
    }
  })

  it('gets true statistics of runs, projects and threads, and filters runs', async () => {
    type Report = { turns: string[]; listed: Fields[]; [name: string]: unknown }
    const report = await runScript<Report>('stats', { project: aProject('figures') }, PLAIN)

    const figures = { run_count: 6, total_tokens: 75, error_rate: 1 / 3, latency_p50: 4 }
    expect(report.all).toMatchObject({ run_count: 12, total_tokens: 75, prompt_tokens: 60, error_rate: 1 / 6 })
    expect(report.roots).toMatchObject(figures)
    expect(report.early).toMatchObject({ run_count: 2, total_tokens: 21 })
    expect(report.project).toMatchObject(figures)
    expect(report.listed).toMatchObject([figures])
    expect(report.threads).toEqual([
      ['odd', 3],
      ['even', 3],
    ])
    expect(report.even).toEqual(report.turns.filter((_, turn) => turn % 2 === 0))
    expect(report.filtered).toEqual(report.turns.slice(0, 2).sort())
  })

  it('reads runs, traces and threads through its generated half', async () => {
    const report = await runScript<Fields & { turns: [string, string][] }>('v2', { project: aProject('v2') }, PLAIN)

    const [root, llm] = report.turns[0]!
    const newestFirst = [...report.turns].reverse().map(([id]) => id)
    expect(report.runs).toEqual(
      newestFirst.map((id, at) => ({
        id,
        name: `turn ${2 - at}`,
        status: 'SUCCESS',
        inputs: { question: 2 - at },
        total_tokens: 30,
        total_cost: 0.75,
      })),
    )
    expect(report.run).toEqual({ id: llm, run_type: 'LLM', parent_run_ids: [root] })
    expect(report.url).toContain(`/r/${llm}?trace_id=${root}`)
    expect(report.public).toEqual([
      { id: root, name: 'turn 0' },
      { id: llm, name: 'model' },
    ])
    expect(report.public_run).toMatchObject({ id: llm, outputs: { usage_metadata: { total_tokens: 30 } } })
    expect(report.closed).toBe(404)
    expect(report.traces).toEqual(
      newestFirst.map((id) => ({ root_run: { id }, trace_aggregates: { total_tokens: 30, total_cost: 0.75 } })),
    )
    expect(report.trace).toEqual([{ id: root }, { id: llm }])
    expect(report.threads).toMatchObject([
      { thread_id: report.thread, count: 3, total_tokens: 90, first_trace_id: root },
    ])
    expect(report.thread_traces).toEqual(
      report.turns.map(([trace_id], at) => ({ trace_id, name: `turn ${at}`, op: 1 })),
    )
    expect(report.stats).toEqual({ turns: 3, total_tokens: 90, total_cost: 2.25 })
  })
})
