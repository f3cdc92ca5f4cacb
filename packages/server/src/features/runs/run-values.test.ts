import { contract, RUN_VALUE_CHARS, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { readValues } from './query-runs.ts'

const { runValues } = contract
const id = uuid7()
const BIG = '12345678901234567890'
let app: StartedApp
beforeAll(async () => {
  app = await startApp()
  const start = new Date().toISOString()
  const run = {
    ...{ id, trace_id: id, name: 'a', run_type: 'llm', start_time: start, session_name: 'values' },
    dotted_order: `${start.replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${id}`,
    inputs: {
      question: 'Why "so"?\n',
      n: 'BIG',
      deep: { list: [{ text: 'first' }, { text: 'second' }] },
      long: '"'.repeat(5_000),
      'odd.key': true,
      nothing: null,
    },
    extra: { metadata: { env: 'prod' } },
  }
  const body = JSON.stringify({ post: [run] }).replace('"BIG"', BIG)
  const answer = await app.fetch('/runs/batch', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  expect(answer.status).toBe(202)
})
afterAll(() => app.close())

async function valuesAt(...paths: unknown[]) {
  const { body, status, text } = await app.call(runValues.query, { body: { id: [id], paths } })
  expect(status, text).toBe(200)
  return body.runs[0]!.values
}

describe('single values of runs', () => {
  it('are strings, or JSON text for other values', async () => {
    const found = await valuesAt(
      ['inputs', 'question'],
      ['inputs', 'n'],
      ['inputs', 'deep', 'list', 1, 'text'],
      ['inputs', 'deep', 'list', 0],
      ['inputs', 'odd.key'],
      ['extra', 'metadata', 'env'],
    )
    expect(found.map((value) => value?.text)).toEqual([
      'Why "so"?\n',
      BIG,
      'second',
      '{"text":"first"}',
      'true',
      'prod',
    ])
    expect(found.every((value) => value?.is_cut === false)).toBe(true)
  })

  it('are null for missing paths', async () => {
    const nowhere = [
      ['inputs', 'nothing'],
      ['inputs', 'no'],
      ['inputs', 'deep', 'list', 2],
      ['outputs', 'a'],
      ['outputs'],
    ]
    expect(await valuesAt(...nowhere)).toEqual([null, null, null, null, null])
  })

  it('are marked when they are truncated, and truncated between characters', async () => {
    expect(await valuesAt(['inputs', 'long'])).toEqual([{ text: '"'.repeat(RUN_VALUE_CHARS), is_cut: true }])
    expect((await valuesAt(['inputs']))[0]).toMatchObject({ is_cut: true })
  })

  it('belong to one workspace', async () => {
    expect(await readValues(app.deps, uuid7(), { id: [id], paths: [['inputs', 'question']] })).toEqual({ runs: [] })
  })

  it.each([
    [{ id: [], paths: [] }],
    [{ id: ['x'], paths: [] }],
    [{ id: [id], paths: [[]] }],
    [{ id: [id], paths: [['events']] }],
    [{ id: [id], paths: [['inputs', -1]] }],
    [{ id: [id], paths: [['inputs', 'a\0']] }],
  ])('reject %j', async (body) => {
    expect((await app.call(runValues.query, { body })).status).toBe(400)
  })

  it('accept keys that look like SQL', async () => {
    expect(await valuesAt(['inputs', "x') or 1 = 1 --"])).toEqual([null])
  })
})
