import { contract, type RunErrorsQuery, type RunStats, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

let app: StartedApp
let session: string[]
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const MINUTE = 60_000
const FIRST = Date.parse('2026-03-01T10:00:00Z')
const at = (minute: number) => new Date(FIRST + minute * MINUTE).toISOString()
const traceback = (message: string) =>
  `Traceback (most recent call last):\n  File "/srv/tools.py", line 41, in issue_refund\n    raise\n${message}\n`

async function sendRuns(runs: readonly { error?: string; minute: number }[]): Promise<string[]> {
  const sent = runs.map(({ minute, ...run }) => {
    const id = uuid7()
    const start_time = at(minute)
    const times = { start_time, end_time: start_time }
    return { id, name: 'issue_refund', run_type: 'tool', session_name: 'failing', inputs: {}, ...times, ...run }
  })
  const { status, text } = await app.call(contract.runs.batch, { body: { post: sent } })
  expect(status, text).toBe(202)
  return sent.map(({ id }) => id)
}

const ask = async (body: Partial<RunErrorsQuery>) => (await app.call(contract.runErrors.query, { body })).body

describe('the errors of a project', () => {
  let ids: string[]
  beforeAll(async () => {
    ids = await sendRuns([
      { error: traceback('RefundError: 409 order 8812 is already refunded'), minute: 0 },
      { error: traceback('RefundError: 409 order 9120 is already refunded'), minute: 50 },
      { error: 'RefundError: 409 order 7 is already refunded', minute: 20 },
      { error: 'RefundError: 503 order 7 is not available', minute: 30 },
      { minute: 40 },
    ])
    session = [(await app.call(contract.projects.list, { query: { name: 'failing' } })).body[0]!.id]
  })

  it('are grouped by type and message without ids, and each group has its first, last and latest run', async () => {
    const { total, groups } = await ask({ session })
    expect(total).toBe(2)
    expect(groups[0]).toEqual({
      message: 'RefundError: 409 order # is already refunded',
      run_count: 3,
      trace_count: 3,
      first_seen: '2026-03-01T10:00:00.000000Z',
      last_seen: '2026-03-01T10:50:00.000000Z',
      query: 'eq(error_group, "RefundError: 409 order # is already refunded")',
      latest: {
        id: ids[1],
        trace_id: ids[1],
        session_id: session[0],
        name: 'issue_refund',
        error: 'RefundError: 409 order 9120 is already refunded',
      },
    })
    expect(groups[1]).toMatchObject({ message: 'RefundError: 503 order # is not available', run_count: 1 })
  })

  it('are found by the filter of their group', async () => {
    for (const { query, run_count } of (await ask({ session })).groups) {
      const { body } = await app.call(contract.runStats.stats, {
        body: { session, filter: query, select: ['run_count'] },
      })
      expect((body as RunStats).run_count).toBe(run_count)
    }
  })

  it('are those of the range and of the filter only', async () => {
    const { groups } = await ask({ session, start_time: at(10), end_time: at(45) })
    expect(groups.map(({ run_count, first_seen, last_seen }) => [run_count, first_seen, last_seen])).toEqual([
      [1, '2026-03-01T10:30:00.000000Z', '2026-03-01T10:30:00.000000Z'],
      [1, '2026-03-01T10:20:00.000000Z', '2026-03-01T10:20:00.000000Z'],
    ])
    expect((await ask({ session, filter: 'search(error, "503")' })).total).toBe(1)
    expect(await ask({ session, filter: 'eq(name, "other")' })).toEqual({ total: 0, groups: [] })
  })

  it('count all groups, however many are asked for', async () => {
    const { total, groups } = await ask({ session, limit: 1 })
    expect([total, groups.length]).toEqual([2, 1])
  })

  it('show their message in lists and in the run tree', async () => {
    const line = 'RefundError: 409 order 8812 is already refunded'
    const select = ['id', 'error_preview']
    const { body } = await app.call(contract.runs.query, { body: { session, id: [ids[0]!], select } })
    expect(body.runs[0]).toMatchObject({ error_preview: line })
    const tree = await app.call(contract.traces.runs, { params: { trace_id: ids[0]! } })
    expect(tree.body.runs[0]).toMatchObject({ error_preview: line })
  })
})
