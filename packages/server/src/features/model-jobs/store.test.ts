import { uuid7 } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCaches } from '../../deps.ts'
import type { Analytics } from '../../storage/analytics/port.ts'
import type { Relational } from '../../storage/relational/port.ts'
import { type ModelJobRow, modelJobs } from '../../storage/relational/tables/model-jobs.ts'
import { everyRelationalEngine } from '../../testing/relational-engines.ts'
import { endingExperiments } from '../playground/variant-jobs.ts'
import { leaveJob } from './change-job.ts'
import { keepCall } from './record-call.ts'
import {
  changeState,
  endLease,
  markRecorded,
  renewLease,
  selectForsaken,
  selectJob,
  selectUnrecorded,
  takeLease,
} from './store.ts'

const END = { state: 'COMPLETED', reason: null, ended_at: '2026-01-01T00:00:00.000Z' } as const

describe.each(everyRelationalEngine)('the store of model jobs on %s', (_engine, open) => {
  let relational: Relational
  beforeAll(async () => {
    relational = await open()
    // Jobs here have neither workspaces nor experiments.
    await relational.runScript(`alter table playground_jobs drop constraint playground_jobs_tenant_id_fkey`)
  })
  afterAll(() => relational.close())

  const aJob = async (more: Partial<ModelJobRow> = {}) => {
    const key = { kind: 'variants' as const, tenantId: uuid7(), id: uuid7() }
    await relational.db.insert(modelJobs).values({
      id: key.id,
      tenant_id: key.tenantId,
      kind: key.kind,
      name: 'job',
      state: 'RUNNING',
      reason: null,
      dataset_id: uuid7(),
      dataset_version: new Date(),
      example_ids: [uuid7()],
      request: '{}',
      summary: JSON.stringify({ variants: [], repeats: 1, concurrency: 1, evaluators: [] }),
      total: 1,
      max_cost_usd: null,
      max_seconds: null,
      active_ms: 0,
      lease_holder: null,
      lease_until: null,
      created_at: '2026-01-01T00:00:00.000Z',
      created_by_name: null,
      ended_at: null,
      ...more,
    })
    return key
  }
  const expire = (id: string) =>
    relational.db.execute(sql`update playground_jobs set lease_until = now() - interval '1 second' where id = ${id}`)
  const aCall = ({ tenantId, id }: { readonly tenantId: string; readonly id: string }) => ({
    job_id: id,
    tenant_id: tenantId,
    number: 0,
    variant: 0,
    run_id: uuid7(),
    cost: 0.5,
    problem: null,
  })
  const deps = () => ({ relational, log: pino({ level: 'silent' }) })
  const { signal } = new AbortController()

  it('does not end a job for a process whose lease another one has taken', async () => {
    const key = await aJob()
    const [first, second] = [
      { ...key, holder: uuid7() },
      { ...key, holder: uuid7() },
    ]
    expect(await takeLease(relational, first)).toBeDefined()
    await expire(key.id)
    expect(await takeLease(relational, second)).toBeDefined()
    expect(await renewLease(relational.db, first, 1)).toBeUndefined()
    expect(await endLease(relational.db, first, 99, END)).toBeUndefined()
    expect(await selectJob(relational.db, key)).toMatchObject({
      state: 'RUNNING',
      lease_holder: second.holder,
      active_ms: 0,
    })
    expect(await endLease(relational.db, second, 7, END)).toMatchObject({ state: 'COMPLETED', active_ms: 7 })
    expect(await selectJob(relational.db, key)).toMatchObject({ lease_holder: null })
  })

  it('gives a paused job back without a change of its state', async () => {
    const key = await aJob()
    const lease = { ...key, holder: uuid7() }
    await takeLease(relational, lease)
    await changeState(relational.db, key, ['RUNNING'], { state: 'PAUSED' })
    expect(await endLease(relational.db, lease, 5, END)).toBeUndefined()
    expect(await selectJob(relational.db, key)).toMatchObject({
      state: 'PAUSED',
      lease_holder: null,
      active_ms: 5,
    })
  })

  it('keeps the first answer of a call, and tells the second that it was not kept', async () => {
    const key = await aJob()
    const call = aCall(key)
    expect(await keepCall(deps(), call, { run: { id: 'first' } }, signal)).toMatchObject({ run_id: call.run_id })
    expect(await keepCall(deps(), { ...call, cost: 9 }, { run: { id: 'second' } }, signal)).toBeUndefined()
    const [kept] = await selectUnrecorded(relational.db, key, 10)
    expect(kept).toMatchObject({ cost: 0.5, answer: '{"run":{"id":"first"}}' })
  })

  it('keeps an answer although the database fails for a moment', async () => {
    const key = await aJob()
    let failures = 2
    const insert = (...table: Parameters<typeof relational.db.insert>) => {
      if (failures-- > 0) throw new Error('the connection was lost')
      return relational.db.insert(...table)
    }
    const db = Object.assign(Object.create(relational.db), { insert })
    const given = { ...deps(), relational: { ...relational, db } }
    expect(await keepCall(given, aCall(key), { run: {} }, signal, 1)).toBeDefined()
    expect(await selectUnrecorded(relational.db, key, 10)).toHaveLength(1)
  })

  it('leaves the answers of a job that was paused for a reason until it is resumed', async () => {
    const key = await aJob({ state: 'PAUSED', reason: 'A limit is reached.' })
    const lease = { ...key, holder: uuid7() }
    await keepCall(deps(), aCall(key), { run: {} }, signal)
    expect((await selectForsaken(relational)).some(({ id }) => id === key.id)).toBe(false)
    expect(await takeLease(relational, lease)).toBeUndefined()
    await changeState(relational.db, key, ['PAUSED'], { state: 'RUNNING', reason: null })
    expect(await takeLease(relational, lease)).toMatchObject({ state: 'RUNNING' })
  })

  it.each(['STOPPED', 'PAUSED', 'ERROR'] as const)('finds a job that is %s while answers wait', async (state) => {
    const key = await aJob({ state })
    const lease = { ...key, holder: uuid7() }
    const isFound = async () => (await selectForsaken(relational)).some(({ id }) => id === key.id)
    expect([await isFound(), await takeLease(relational, lease)]).toEqual([false, undefined])
    await keepCall(deps(), aCall(key), { run: {} }, signal)
    expect(await isFound()).toBe(true)
    expect(await takeLease(relational, lease)).toMatchObject({ state })
    await markRecorded(relational.db, { ...key, number: 0 }, { error: null, cost: null })
    await endLease(relational.db, lease, 0, undefined)
    expect(await isFound()).toBe(false)
  })

  it('ends a job together with its experiments, or not at all', async () => {
    const summary = { variants: [{ experiment_id: uuid7() }], repeats: 1, concurrency: 1, evaluators: [] }
    const key = await aJob({ summary: JSON.stringify(summary) })
    const lease = { ...key, holder: uuid7() }
    await takeLease(relational, lease)
    let isBroken = true
    const clock = () => {
      if (isBroken) throw new Error('killed')
      return Date.now()
    }
    const ends = endingExperiments({ relational, clock, ids: uuid7, caches: createCaches({} as Analytics) })
    const kind = { notFound: '', open: () => expect.unreachable(), ...ends }
    const given = { relational, kinds: new Map([['variants' as const, kind]]) }
    await expect(leaveJob(given, lease, 1, END)).rejects.toThrow('killed')
    expect(await selectJob(relational.db, key)).toMatchObject({
      state: 'RUNNING',
      lease_holder: lease.holder,
    })
    isBroken = false
    // The experiment was deleted, which the end of the job survives.
    expect(await leaveJob(given, lease, 1, END)).toMatchObject({ state: 'COMPLETED' })
  })
})
