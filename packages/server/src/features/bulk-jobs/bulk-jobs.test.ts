import { type BulkJobDetail, contract, microsOf, type Route, timeOfEpochMs, uuid7 } from '@touchstone/contract'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Relational } from '../../storage/relational/port.ts'
import { type AWorkspace, aWorkspace } from '../../testing/a-workspace.ts'
import { withDeadlyRows } from '../../testing/deadly-work.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'
import { type CallInput, type StartedApp, startApp } from '../../testing/start-app.ts'
import { selectParts } from './export-file.ts'

const { bulkJobs, runs, datasets, examples, annotationQueues } = contract
const SOON = { timeout: 20_000 }

describe.each(relationalEngines(import.meta.filename))('bulk jobs over runs on %s', (_engine, open) => {
  let relational: Relational
  let app: StartedApp
  let acme: AWorkspace
  let other: AWorkspace
  beforeAll(async () => {
    relational = await open()
    app = await startApp({ relational })
    acme = await aWorkspace(app, 'acme')
    other = await aWorkspace(app, 'other')
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
  })

  const call = <Of extends Route>(route: Of, input: CallInput = {}, as = acme) =>
    app.call(route, { ...input, headers: as.headers })

  let sent = 0
  /** Traces of a root and a child each, a second apart, oldest first. */
  async function aProject(traces: number, inputs: (n: number) => unknown = (n) => ({ n })) {
    const name = `bulk ${++sent}`
    const post = Array.from({ length: traces }, (_, n) => {
      const start = Date.now() - (traces - n) * 1000
      const time = timeOfEpochMs(start)
      const stamp = time.replaceAll(/[-:.]/g, '')
      const [root, child] = [uuid7(), uuid7()]
      const common = { trace_id: root, session_name: name, start_time: time, end_time: timeOfEpochMs(start + 10) }
      const rootRun = { ...common, id: root, name: 'root', run_type: 'chain', dotted_order: stamp + root }
      const order = `${stamp}${root}.${stamp}${child}`
      const childRun = {
        ...common,
        id: child,
        name: 'child',
        run_type: 'llm',
        parent_run_id: root,
        dotted_order: order,
      }
      return [
        { ...rootRun, inputs: inputs(n), outputs: { n } },
        { ...childRun, inputs: {}, outputs: {} },
      ]
    }).flat()
    const batches = Array.from({ length: Math.ceil(post.length / 500) }, (_, at) =>
      post.slice(at * 500, at * 500 + 500),
    )
    for (const batch of batches) expect((await call(runs.batch, { body: { post: batch } })).status).toBe(202)
    const { body } = await call(contract.projects.list, { query: { name } })
    return { id: body[0]!.id, roots: post.filter((run) => run.name === 'root').map(({ id }) => id) }
  }
  const start = (body: object, as = acme) => call(bulkJobs.start, { body }, as)
  async function finished(id: string): Promise<BulkJobDetail> {
    const read = async () => (await call(bulkJobs.read, { params: { job_id: id } })).body
    await expect.poll(async () => (await read()).ended_at, SOON).not.toBeNull()
    return read()
  }
  async function run(body: object): Promise<BulkJobDetail> {
    const answer = await start(body)
    expect(answer.status, answer.text).toBe(200)
    return finished(answer.body.job!.id)
  }
  const countOf = async (session: string) =>
    (await start({ action: 'export', session: [session], dry_run: true })).body.runs
  async function aDataset(more: object = {}) {
    return (await call(datasets.create, { body: { name: `bulk ${uuid7()}`, ...more } })).body.id
  }
  const examplesOf = async (dataset: string) =>
    (await call(examples.list, { query: { dataset, limit: '100' } })).body as {
      source_run_id: string
      inputs: unknown
      outputs: unknown
    }[]

  it('count runs and return a sample in a dry run', async () => {
    const project = await aProject(12)
    const all = await start({ action: 'delete', session: [project.id], dry_run: true })
    expect(all.body).toMatchObject({ runs: 24, traces: 12, job: null })
    expect(all.body.sample).toHaveLength(5)
    const body = { action: 'delete', session: project.id, is_root: true, filter: 'eq(name, "root")', dry_run: true }
    const roots = (await start(body)).body
    expect(roots).toMatchObject({ runs: 12, traces: 12 })
    expect(roots.sample.map(({ id }) => id)).toEqual(project.roots.slice(-5).toReversed())
    expect(await countOf(project.id)).toBe(24)
  })

  it('skip runs that started after the count, and reject more runs than expected', async () => {
    const project = await aProject(3)
    const { body } = await start({ action: 'delete', session: project.id, is_root: true, dry_run: true })
    const late = await aProject(1)
    const promise = { action: 'delete', session: [project.id, late.id], is_root: true, expected_total: 3 }
    expect(await start(promise)).toMatchObject({ status: 409 })
    const done = await run({ ...promise, session: [project.id], as_of: body.as_of })
    expect(done).toMatchObject({ status: 'done', total: 3, done: 3, failed: 0 })
    expect([await countOf(project.id), await countOf(late.id)]).toEqual([0, 2])
  })

  it('delete all matching traces and no others', async () => {
    const project = await aProject(620)
    const [kept] = project.roots
    const done = await run({
      action: 'delete',
      session: [project.id],
      filter: `and(eq(name, "child"), neq(trace_id, "${kept}"))`,
    })
    expect(done).toMatchObject({ status: 'done', total: 619, done: 619, error: null })
    expect(await countOf(project.id)).toBe(2)
  }, 60_000)

  it('count each deleted trace, also of a page whose progress was not stored', async () => {
    const project = await aProject(520)
    // A sequence keeps its value when the transaction is rolled back.
    await relational.runScript(`
      create sequence stored_pages;
      create function fail_once() returns trigger language plpgsql as $$
      begin
        if nextval('stored_pages') = 1 then raise exception 'the process dies'; end if;
        return new;
      end $$;
      create trigger fail_once before update on bulk_jobs for each row when (new.done > old.done) execute function fail_once()`)
    const done = await run({ action: 'delete', session: [project.id], is_root: true })
    await relational.runScript('drop trigger fail_once on bulk_jobs')
    expect(done).toMatchObject({ status: 'done', total: 520, done: 520, failed: 0 })
    expect(await countOf(project.id)).toBe(0)
  }, 60_000)

  it('create examples of runs, report rejected runs, and are undone', async () => {
    const project = await aProject(7, (n) => (n === 3 ? { n: 'three' } : { n }))
    const dataset = await aDataset({
      inputs_schema_definition: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    })
    const done = await run({
      action: 'add_to_dataset',
      session: [project.id],
      is_root: true,
      dataset_id: dataset,
      split: 'test',
    })
    expect(done).toMatchObject({ status: 'done', total: 7, done: 7, failed: 1, can_undo: true, dataset_id: dataset })
    expect(done.failures).toEqual([{ item_id: project.roots[3], message: expect.stringContaining('integer') }])
    const made = await examplesOf(dataset)
    expect(made.map(({ source_run_id }) => source_run_id).toSorted()).toEqual(
      project.roots.filter((_, n) => n !== 3).toSorted(),
    )

    const undone = await call(bulkJobs.undo, { params: { job_id: done.id } })
    expect(undone.body).toMatchObject({ action: 'undo', total: 6 })
    expect(await finished(undone.body.id)).toMatchObject({ status: 'done', done: 6 })
    expect(await examplesOf(dataset)).toEqual([])
    expect((await call(bulkJobs.undo, { params: { job_id: done.id } })).status).toBe(409)
    expect(await finished(done.id)).toMatchObject({ can_undo: false })
  })

  it('create examples with the selected keys of the runs', async () => {
    const project = await aProject(2, (n) => ({ b: { z: 1, y: [n] }, a: n, ...(n === 0 && { c: 1 }) }))
    const dataset = await aDataset({})
    const request = { action: 'add_to_dataset', session: [project.id], is_root: true, dataset_id: dataset }
    const counted = (await start({ ...request, dry_run: true })).body
    expect(counted.sample.map(({ input_keys, output_keys }) => [input_keys, output_keys])).toEqual([
      [['b', 'a'], ['n']],
      [['b', 'a', 'c'], ['n']],
    ])
    expect(await run({ ...request, input_keys: ['c', 'b', 'gone'], output_keys: [] })).toMatchObject({
      done: 2,
      failed: 0,
    })
    const made = await examplesOf(dataset)
    const of = (n: number) => made.find(({ source_run_id }) => source_run_id === project.roots[n])
    expect(JSON.stringify(of(0)!.inputs)).toBe('{"b":{"z":1,"y":[0]},"c":1}')
    expect(JSON.stringify(of(1)!.inputs)).toBe('{"b":{"z":1,"y":[1]}}')
    expect(of(0)!.outputs).toEqual({})
  })

  it('add runs to a queue', async () => {
    const project = await aProject(5)
    const queue = (await call(annotationQueues.create, { body: { name: `bulk ${uuid7()}` } })).body
    const id = project.roots.slice(1, 4)
    const done = await run({ action: 'add_to_queue', id, queue_id: queue.id })
    expect(done).toMatchObject({ status: 'done', total: 3, done: 3 })
    const size = await call(annotationQueues.size, { params: { queue_id: queue.id } })
    expect(size.body.size).toBe(3)
  })

  it.each(['jsonl', 'csv', 'parquet'] as const)('export runs as %s with exact numbers', async (format) => {
    const project = await aProject(130, (n) => ({ text: `line "${n}",\nnext`, emoji: '😀' }))
    const select = ['id', 'name', 'inputs', 'total_tokens', 'error']
    const done = await run({ action: 'export', session: [project.id], is_root: true, format, select })
    expect(done).toMatchObject({ status: 'done', total: 130, done: 130, format })
    const answer = await app.fetch(done.download_url!)
    expect(answer.headers.get('content-disposition')).toMatch(
      new RegExp(`^attachment; filename="runs-[\\d-]+\\.${format}"$`),
    )
    const bytes = await answer.arrayBuffer()
    expect(bytes.byteLength).toBe(done.bytes)
    const newestFirst = project.roots.toReversed()
    if (format === 'jsonl') {
      const lines = Buffer.from(bytes)
        .toString('utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(lines.map(({ id }) => id)).toEqual(newestFirst)
      expect(lines[0]).toEqual({
        id: newestFirst[0],
        name: 'root',
        inputs: { text: 'line "129",\nnext', emoji: '😀' },
        total_tokens: 0,
        error: null,
      })
    }
    if (format === 'csv') {
      const { parse } = await import('csv-parse/sync')
      const rows = parse(Buffer.from(bytes), { columns: true }) as Record<string, string>[]
      expect(rows.map(({ id }) => id)).toEqual(newestFirst)
      expect(JSON.parse(rows[0]!.inputs!)).toEqual({ text: 'line "129",\nnext', emoji: '😀' })
      expect(rows[0]!.error).toBe('')
    }
    if (format === 'parquet') {
      const rows = await parquetReadObjects({ file: bytes })
      expect(rows.map(({ id }) => id)).toEqual(newestFirst)
      expect(rows[0]).toMatchObject({ name: 'root', total_tokens: 0n, error: null })
      expect(JSON.parse(rows[0]!.inputs as string)).toEqual({ text: 'line "129",\nnext', emoji: '😀' })
    }
    expect((await app.fetch(`${done.download_url}x`)).status).toBe(404)
  })

  it('export Parquet with times as timestamps and costs as decimals', async () => {
    const id = uuid7()
    const [start_time, end_time] = ['2026-02-03T04:05:06.000007Z', '2026-02-03T04:05:07.500000Z']
    const usage_metadata = { input_tokens: 3, output_tokens: 1, total_tokens: 4, total_cost: 1234.000000005 }
    const post = [
      { id, trace_id: id, name: 'priced', run_type: 'llm', start_time, end_time, outputs: { usage_metadata } },
      { id: uuid7(), name: 'running', run_type: 'chain', start_time },
    ].map((one) => ({ session_name: 'typed columns', inputs: {}, ...one }))
    await call(contract.runs.batch, { body: { post } })
    const session = [(await call(contract.projects.list, { query: { name: 'typed columns' } })).body[0]!.id]
    const done = await run({ action: 'export', session, format: 'parquet' })
    const file = await (await app.fetch(done.download_url!)).arrayBuffer()
    const types = new Map(parquetMetadata(file).schema.map((element) => [element.name, element]))
    expect(types.get('start_time')?.logical_type).toEqual({ type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' })
    expect(types.get('total_cost')).toMatchObject({ converted_type: 'DECIMAL', precision: 38, scale: 18 })
    // The values as they are stored; the reader would convert them to a Date and a number.
    const raw = { timestampFromMicroseconds: (micros: bigint) => micros }
    const rows = await parquetReadObjects({ file, parsers: raw })
    const [priced, running] = ['priced', 'running'].map((name) => rows.find((row) => row.name === name)!)
    expect(priced).toMatchObject({ start_time: microsOf(start_time!), end_time: microsOf(end_time!) })
    expect(priced!.total_cost).toBeCloseTo(1234.000000005, 9)
    expect(running).toMatchObject({ end_time: null, total_cost: null })
    const selected = await run({ action: 'export', session, format: 'parquet', select: ['name', 'reported_cost'] })
    const { schema } = parquetMetadata(await (await app.fetch(selected.download_url!)).arrayBuffer())
    expect(schema.at(-1)).toMatchObject({ name: 'reported_cost', converted_type: 'DECIMAL', precision: 38, scale: 18 })
  })

  it.each(['jsonl', 'parquet'] as const)('export %s in parts, which another process downloads', async (format) => {
    const project = await aProject(130, (n) => ({ n, filler: 'x'.repeat(50_000) }))
    const select = ['id', 'inputs']
    const done = await run({ action: 'export', session: [project.id], is_root: true, format, select })
    const parts = await selectParts(relational.db, done.id)
    expect(parts.length).toBeGreaterThan(format === 'jsonl' ? 1 : 0)
    const { blobs } = app.deps
    const other = await startApp({ relational, blobs, config: { roles: ['api'] } })
    const bytes = await (await other.fetch(done.download_url!)).arrayBuffer()
    await other.close()
    expect(bytes.byteLength).toBe(done.bytes)
    const found =
      format === 'parquet'
        ? await parquetReadObjects({ file: bytes })
        : Buffer.from(bytes)
            .toString()
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line))
    expect(found.map(({ id }) => id)).toEqual(project.roots.toReversed())
  })

  it('are cancelled and stop', async () => {
    const project = await aProject(3)
    const { body } = await start({ action: 'export', session: [project.id] })
    const cancelled = await call(bulkJobs.cancel, { params: { job_id: body.job!.id } })
    expect(['cancelled', 'done']).toContain(cancelled.body.status)
    expect((await finished(body.job!.id)).status).toBe(cancelled.body.status)
  })

  it('continue after a restart of the server', async () => {
    const project = await aProject(3)
    // Its worker may still look for jobs after the one of the test before.
    await app.close()
    const front = await startApp({ relational, config: { roles: ['api'] } })
    const body = { action: 'delete', session: [project.id] }
    const taken = await front.call(bulkJobs.start, { body, headers: acme.headers })
    const params = { job_id: taken.body.job!.id }
    const waiting = await front.call(bulkJobs.read, { params, headers: acme.headers })
    expect(waiting.body.status).toBe('waiting')
    await front.close()
    app = await startApp({ relational })
    expect(await finished(params.job_id)).toMatchObject({ status: 'done', done: 3 })
  })

  it('fail with a message when their target was deleted', async () => {
    const project = await aProject(2)
    const dataset = await aDataset()
    const { body } = await start({ action: 'add_to_dataset', session: [project.id], dataset_id: dataset })
    await call(datasets.delete, { params: { dataset_id: dataset } })
    const ended = await finished(body.job!.id)
    expect(['done', 'failed']).toContain(ended.status)
    if (ended.status === 'failed') expect(ended.error).toContain('not found')
  })

  it.each([
    { action: 'delete' },
    { action: 'delete', filter: 'eq(name, "x")' },
    { action: 'rename', session: uuid7() },
    { action: 'add_to_dataset', session: uuid7() },
    { action: 'add_to_queue', session: uuid7() },
    { action: 'export', session: uuid7(), format: 'xls' },
    { action: 'export', session: uuid7(), select: ['constructor'] },
    { action: 'export', session: uuid7(), filter: 'eq(' },
    { action: 'export', id: ['x'] },
  ])('are rejected for %j', async (body) => {
    expect((await start(body)).status).toBe(400)
  })

  it('fail with the reason when the process died twice while they ran', async () => {
    const project = await aProject(1)
    const body = { action: 'delete', session: [project.id] }
    const job = await withDeadlyRows(relational, { table: 'bulk_jobs', queue: 'bulk-job' }, () => run(body))
    const error = 'The server stopped unexpectedly twice while this job was running. Start it again to try again.'
    expect(job).toMatchObject({ status: 'failed', error, done: 0 })
    expect(await countOf(project.id)).toBe(2)
    expect(await run(body)).toMatchObject({ status: 'done', error: null, done: 1 })
  })

  it('belong to one workspace, also their runs, datasets and queues', async () => {
    const project = await aProject(1)
    const mine = await run({ action: 'export', session: [project.id] })
    expect((await start({ action: 'delete', session: [project.id] }, other)).body).toMatchObject({ runs: 0, traces: 0 })
    expect((await start({ action: 'delete', id: project.roots }, other)).body.runs).toBe(0)
    expect(await countOf(project.id)).toBe(2)
    const params = { job_id: mine.id }
    expect((await call(bulkJobs.list, {}, other)).body.jobs.map(({ id }) => id)).not.toContain(mine.id)
    for (const route of [bulkJobs.read, bulkJobs.cancel, bulkJobs.undo]) {
      expect((await call(route, { params }, other)).status).toBe(404)
    }
    const dataset_id = await aDataset()
    expect((await start({ action: 'add_to_dataset', session: [project.id], dataset_id }, other)).status).toBe(404)
  })
})
