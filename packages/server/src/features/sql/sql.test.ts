import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../storage/analytics/sql.ts'
import { columns, text } from '../../storage/rows.ts'
import { aTrace } from '../../testing/a-trace.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { FUNCTION_NAMES } from './functions.ts'

let app: StartedApp
let projectId: string
let root: string
let times: readonly string[]
beforeAll(async () => {
  app = await startApp()
  const project = `sql-${uuid7()}`
  const first = aTrace({ project, thread: 'support', ageMs: 60_000 })
  const second = aTrace({ project, ageMs: 120_000, error: 'it broke' })
  await app.call(contract.runs.batch, { body: { post: [...first.post, ...second.post] } })
  root = first.root
  times = first.times
  const feedback = { run_id: root, trace_id: root, key: 'correct', score: 0.5, comment: 'half' }
  await app.call(contract.feedback.create, { body: feedback })
  projectId = (await app.call(contract.runs.read, { params: { run_id: root } })).body.session_id
})
afterAll(() => app.close())

const RECENT = 'start_time >= now() - interval 1 day'
const ask = async (query: string, project_ids = [projectId]) =>
  app.call(contract.sql.query, { body: { project_ids, query } })

async function rowsOf(query: string) {
  const { status, body, text } = await ask(query)
  expect(text, query).toContain('"columns"')
  expect(status).toBe(200)
  return body.rows
}

async function readError(query: string): Promise<string> {
  const { status, text } = await ask(query)
  expect(status, `${query} → ${text}`).toBe(400)
  return JSON.parse(text).detail
}

describe('a SQL statement', () => {
  it('returns columns with types, rows as arrays, and the number of rows', async () => {
    const { body, headers } = await ask(
      `select id, name, is_root, start_time, toDate(start_time) as day, total_tokens, total_cost, tags, metadata, null as nothing, 1 / 0 as endless
       from runs where ${RECENT} order by start_time desc, id desc`,
    )
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(body.columns.map(({ data_type }) => data_type)).toEqual([
      ...['uuid', 'string', 'boolean', 'timestamp', 'date', 'integer', 'float', 'list', 'object', 'null', 'float'],
    ])
    expect(body.columns[0]).toEqual({ name: 'id', data_type: 'uuid' })
    expect(body.rows[1]).toEqual([
      ...[root, 'answer', true, times[0], times[0]!.slice(0, 10), null, null, ['prod']],
      ...[{ thread_id: 'support', big: '1' }, null, 'inf'],
    ])
    expect(body.rows[0]!.slice(5, 7)).toEqual([30, 0.75])
    expect(body).toMatchObject({ row_count: 4, is_truncated: false, truncation_reason: null, warnings: [] })
    expect(body.execution_time_ms).toBeGreaterThanOrEqual(0)
  })

  it('is served at /v2/sql/query and /api/v2/sql/query', async () => {
    const body = JSON.stringify({ project_ids: [projectId], query: 'select 1' })
    for (const path of ['/v2/sql/query', '/api/v2/sql/query']) {
      const answer = await app.fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      expect(await answer.json()).toMatchObject({ rows: [[1]] })
    }
  })

  it('supports groups, joins, subqueries, unions and window functions', async () => {
    expect(
      await rowsOf(`select run_type, count(*) n, round(sum(total_cost), 2), quantile(0.5)(latency_seconds), countIf(status = 'error')
                    from runs where ${RECENT} group by 1 order by 1`),
    ).toEqual([
      ['chain', 2, null, 2, 1],
      ['llm', 2, 1.5, 1, 0],
    ])
    expect(
      await rowsOf(`select r.name, f.key, f.score, f.comment from runs as r join feedback as f on f.run_id = r.id
                    where r.${RECENT}`),
    ).toEqual([['answer', 'correct', 0.5, 'half']])
    expect(
      await rowsOf(`with failed as (select trace_id from runs where ${RECENT} and error is not null)
                    select name, trace_id in (select trace_id from failed) as is_failed from runs
                    where ${RECENT} and is_root order by start_time`),
    ).toEqual([
      ['answer', 1],
      ['answer', 0],
    ])
    expect(await rowsOf('select 1 as a union all select 2 order by a desc limit 1')).toEqual([[2]])
    expect(await rowsOf('(select 1 as a union all select 1) except select 2')).toEqual([[1]])
    expect(
      await rowsOf(`select row_number() over (partition by run_type order by start_time rows between unbounded preceding and current row)
                    from runs where ${RECENT} order by 1`),
    ).toEqual([[1], [1], [2], [2]])
  })

  it('supports all forms of literals', async () => {
    expect(
      await rowsOf(String.raw`select 'it''s', 'a\'b', '\d', "x y" || 'z', cast('3' as int) + '4'::float, [1, 2][1],
        arrayMap(x -> x * 2, [1, 2]), case when 1 = 1 then 'yes' else 'no' end, 3 between 1 and 5, 'abc' ilike 'A%',
        2 not in (1, 3), extract(year from timestamp '2026-01-02T03:04:05Z'), date '2026-01-02' + interval '1 day',
        not true, -(-1), 1e3, coalesce(null, 2), exists (select 1) /* a -- comment */ -- another
        from (select 'xy' as "x y");`),
    ).toEqual([["it's", "a'b", '\\d', 'xyz', 7, 1, [2, 4], 'yes', 1, 1, 1, 2026, '2026-01-03', false, 1, 1000, 2, 1]])
  })

  it('compares times with ISO 8601 texts in any zone', async () => {
    const at = times[0]!
    const elsewhere = `${new Date(Date.parse(at) + 2 * 3_600_000).toISOString().slice(0, -1)}+02:00`
    expect(await rowsOf(`select count() from runs where start_time >= '${at}' and is_root`)).toEqual([[1]])
    expect(await rowsOf(`select count() from runs where '${elsewhere}' <= start_time and is_root`)).toEqual([[1]])
    expect(await rowsOf(`select count() from runs where start_time between '${at}' and '2100-01-01'`)).toEqual([[2]])
    expect(await rowsOf(`select count() from runs where start_time = '${at}'`)).toEqual([[1]])
  })

  it('requires a lower bound of start_time for each read of runs', async () => {
    for (const query of [
      'select count() from runs',
      "select count() from runs where name = 'a' or start_time > '2026-01-01'",
      "select count() from runs where start_time < '2100-01-01'",
      'select count() from runs where start_time >= end_time',
      'select count() from runs where not (start_time >= now())',
      `select count() from runs a join runs b on a.id = b.id where a.${RECENT}`,
      `select count() from runs where ${RECENT} and id in (select id from runs)`,
      `select count() from runs where ${RECENT} union all select count() from runs`,
      `select count() from runs a right join runs b on a.id = b.id and b.${RECENT} where a.${RECENT}`,
    ])
      expect(await readError(query), query).toContain('lower bound')
    const both = `select count() from runs a left join runs b on a.id = b.id and b.${RECENT} where a.${RECENT}`
    expect(await rowsOf(both)).toEqual([[4]])
  })

  it('truncates the result after 1,000 rows and before 10 MB', async () => {
    const numbers = Array.from({ length: 40 }, (_, at) => at).join(',')
    const many = `select a, b from (select arrayJoin([${numbers}]) as a) x cross join (select arrayJoin([${numbers}]) as b) y`
    const rows = await ask(many)
    expect(rows.body).toMatchObject({ row_count: 1000, is_truncated: true, truncation_reason: 'row_limit' })
    expect((await ask(`${many} limit 1000`)).body).toMatchObject({ row_count: 1000, is_truncated: false })

    const tenTimes = (text: string) => `concat(${Array(10).fill(text).join(', ')})`
    const long = `select s from (select ${tenTimes('t')} as s from (select ${tenTimes("'0123456789'")} as t)) q`
    const wide = `select ${tenTimes('s')} as w from (${long}) q cross join (${many}) n`
    const bytes = await ask(wide.replace(tenTimes('s'), tenTimes(tenTimes('s'))))
    expect(bytes.body).toMatchObject({ is_truncated: true, truncation_reason: 'size_limit' })
    expect(bytes.body.row_count).toBeGreaterThan(0)
    expect(bytes.text.length).toBeLessThan(10_100_000)
  })

  it('is stopped after the time limit, and the next one runs immediately', async () => {
    const limited = await startApp({ relational: app.deps.relational, config: { maxQuerySeconds: 1 } })
    const hundred = `(select arrayJoin([${Array.from({ length: 300 }, (_, at) => at).join(',')}]) as n)`
    const from = `${hundred} a cross join ${hundred} b cross join ${hundred} c cross join ${hundred} d`
    const query = `select max(cityHash64(a.n, b.n, c.n, d.n)) from ${from}`
    const slow = await limited.call(contract.sql.query, { body: { project_ids: [projectId], query } })
    expect(slow.status).toBe(400)
    expect(JSON.parse(slow.text).detail).toContain('took longer than 1 seconds')
    expect(await rowsOf('select 1')).toEqual([[1]])
    await limited.close()
  })

  it('fails with a message that names the mistake', async () => {
    expect(await readError(`select no_such from runs where ${RECENT}`)).toContain(
      'no column no_such; runs has id, trace_id',
    )
    expect(await readError('select sleep(3)')).toBe('SQL: the function sleep is not available.')
    expect(await readError('select 1 from traces')).toBe(
      'SQL: the table traces is not available; use runs or feedback.',
    )
    expect(await readError('select 1 from system.one')).toContain('system.one')
    expect(await readError('select 1 from numbers(10)')).toContain('table function numbers')
    expect(await readError('drop table runs')).toContain('one SELECT')
    expect(await readError('select 1; select 2')).toContain('only one statement')
    expect(await readError('select 1 settings max_threads = 1')).toContain('"settings"')
    expect(await readError("select 'open")).toContain('no end')
    expect(await readError('select (1')).toContain('end of the statement')
    expect(await readError("select toInt64('x')")).toMatch(/Cannot parse string 'x' as Int64/)
    expect(await readError('select count() having name')).not.toContain('tenant')
    const unknown = await ask('select 1', [uuid7()])
    expect(unknown.status).toBe(404)
    expect((await ask('select 1', [])).status).toBe(400)
  })

  it('supports only functions that the engine has', async () => {
    const rows = await app.deps.analytics.query(sql`select name from system.functions`, columns({ name: text }))
    const known = new Set(rows.flatMap(({ name }) => [name, `${name}If`]))
    expect(FUNCTION_NAMES.filter((name) => !known.has(name) && !known.has(name.toUpperCase()))).toEqual([])
  })
})
