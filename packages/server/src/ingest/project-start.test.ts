import { randomBytes } from 'node:crypto'
import { contract, timeOfEpochMs, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Relational } from '../storage/relational/port.ts'
import { projects as projectTable } from '../storage/relational/tables/projects.ts'
import { aRequest } from '../testing/otlp-request.ts'
import { relationalEngines } from '../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../testing/start-app.ts'

const ago = (ms: number) => timeOfEpochMs(Date.now() - ms)

describe.each(relationalEngines(import.meta.filename))('the start of a project on %s', (_name, open) => {
  let relational: Relational
  let app: StartedApp
  let other: StartedApp
  beforeAll(async () => {
    relational = await open()
    app = await startApp({ relational })
    other = await startApp({ relational })
  })
  afterAll(async () => {
    await app.close()
    await other.close()
    await relational.close()
  })

  const { projects, runs } = contract
  async function record(fields: object, by = app) {
    const id = uuid7()
    const { status } = await by.call(runs.create, {
      body: { id, trace_id: id, name: 'step', run_type: 'chain', ...fields },
    })
    expect(status).toBe(202)
    return id
  }
  const read = async (name: string) => (await other.call(projects.list, { query: { name } })).body[0]!
  const startOf = async (name: string) => (await read(name)).start_time

  it('is that of its first run, so that a query from the start on finds the run', async () => {
    const start_time = ago(1_000)
    const id = await record({ session_name: 'by its first run', start_time })
    const project = await read('by its first run')
    expect(project.start_time).toBe(start_time)
    const body = JSON.stringify({ project_ids: [project.id], min_start_time: project.start_time, selects: ['ID'] })
    const headers = { 'content-type': 'application/json' }
    const found = await app.fetch('/api/v2/runs/query', { method: 'POST', headers, body })
    expect(await found.json()).toMatchObject({ items: [{ id }] })
  })

  it('is the time of its creation when the clock of the client is ahead', async () => {
    const before = timeOfEpochMs(Date.now())
    await record({ session_name: 'ahead', start_time: ago(-3_600_000) })
    const start = await startOf('ahead')
    expect(start >= before && start <= timeOfEpochMs(Date.now())).toBe(true)
  })

  it('moves back for late runs, by name and by id, and never forward', async () => {
    const [first, late, later] = [ago(1_000), ago(60_000), ago(7_200_000)]
    await record({ session_name: 'late runs', start_time: first })
    await record({ session_name: 'late runs', start_time: late })
    expect(await startOf('late runs')).toBe(late)
    await record({ session_name: 'late runs', start_time: first })
    expect(await startOf('late runs')).toBe(late)
    await record({ session_id: (await read('late runs')).id, start_time: later })
    expect(await startOf('late runs')).toBe(later)
  })

  it('moves back for the earliest run of a batch', async () => {
    const start_time = ago(50_000)
    const run = { name: 'step', run_type: 'chain', session_name: 'a batch' }
    const post = [ago(2_000), start_time, ago(1_000)].map((start_time) => ({ ...run, id: uuid7(), start_time }))
    await app.call(runs.batch, { body: { post: post.map((one) => ({ ...one, trace_id: one.id })) } })
    expect(await startOf('a batch')).toBe(start_time)
  })

  it('moves back for a project that was created with a start', async () => {
    await app.call(projects.create, { body: { name: 'given a start', start_time: ago(1_000) } })
    const start_time = ago(5_000)
    await record({ session_name: 'given a start', start_time })
    expect(await startOf('given a start')).toBe(start_time)
    const created = ago(600_000)
    await app.call(projects.create, { body: { name: 'started before', start_time: created } })
    await record({ session_name: 'started before', start_time })
    expect(await startOf('started before')).toBe(created)
  })

  it('moves back for runs of several processes, whichever of them created the project', async () => {
    const starts = [ago(1_000), ago(3_000), ago(2_000), ago(5_000), ago(4_000)]
    for (const [at, start_time] of starts.entries())
      await record({ session_name: 'two processes', start_time }, at % 2 === 0 ? app : other)
    expect(await startOf('two processes')).toBe(starts[3])
    const earliest = ago(90_000)
    await Promise.all(
      [ago(80_000), earliest, ago(70_000), ago(85_000)].map((start_time, at) =>
        record({ session_name: 'two processes', start_time }, at % 2 === 0 ? app : other),
      ),
    )
    expect(await startOf('two processes')).toBe(earliest)
  })

  it('follows a run of any time that a run can have', async () => {
    await record({ session_name: 'no clock', start_time: '1970-01-01T00:00:00.000000Z' })
    expect(await startOf('no clock')).toBe('1970-01-01T00:00:00.000000Z')
  })

  it('moves back for spans', async () => {
    const startMs = Date.now() - 30_000
    const span = {
      traceId: randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      name: 'step',
      startTimeUnixNano: `${startMs}000000`,
      endTimeUnixNano: `${startMs + 5}000000`,
    }
    const headers = { 'content-type': 'application/json', 'langsmith-project': 'of spans' }
    const body = JSON.stringify(aRequest([span]))
    expect((await app.fetch('/otel/v1/traces', { method: 'POST', headers, body })).status).toBe(200)
    expect(await startOf('of spans')).toBe(timeOfEpochMs(startMs))
  })

  it('does not move for runs that are refused, and for updates that name no project', async () => {
    const start_time = ago(1_000)
    const id = await record({ session_name: 'refused', start_time })
    const refused = { id: 'nope', name: 'step', run_type: 'chain', session_name: 'refused', start_time: ago(60_000) }
    expect((await app.call(runs.create, { body: refused })).status).toBe(400)
    expect(await startOf('refused')).toBe(start_time)
    const before = await startOf('default')
    await app.call(runs.update, { params: { run_id: id }, body: { start_time: ago(86_400_000) } })
    expect(await startOf('default')).toBe(before)
  })

  it('is written once for requests whose runs start after it', async () => {
    const writes: string[] = []
    const update = relational.db.update.bind(relational.db)
    const first = ago(10_000)
    await record({ session_name: 'quiet', start_time: first })
    const { id } = await read('quiet')
    // Other work of the server writes other tables meanwhile.
    relational.db.update = ((table: typeof projectTable) => {
      if (table === projectTable) writes.push('update')
      return update(table)
    }) as never
    try {
      for (const by of [{ session_name: 'quiet' }, { session_id: id }])
        for (const start_time of [first, ago(1_000), ago(0)]) await record({ ...by, start_time })
      expect(writes).toEqual([])
      await record({ session_name: 'quiet', start_time: ago(20_000) })
      expect(writes).toEqual(['update'])
    } finally {
      relational.db.update = update
    }
  })
})
