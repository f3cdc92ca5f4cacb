import { contract, printFilter, RUN_FILTER_FIELDS, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { literal } from '../../../storage/analytics/sql.ts'
import { COUNT_ROW } from '../../../storage/rows.ts'
import { isFull } from '../../../testing/rounds.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'
import { randomFilter } from './testing/random-filter.ts'
import { createRandom, randomRuns } from './testing/random-runs.ts'

/** Texts that would end a string, a statement, a parameter or a pattern, if they were ever pasted. */
const HOSTILE = [
  `'`,
  `''`,
  `' or 1=1 --`,
  `'; drop table runs; --`,
  `') or (1=1`,
  `"`,
  `\\`,
  `\\'`,
  `\\\\' or 1 = 1 --`,
  '`runs`',
  '{p0:String}',
  '{p0}',
  '%',
  '_',
  '/* x */',
  '-- x',
  '\u0000',
  'a\u0000b',
  '\n',
  '\t\\N',
  '\u2028',
  '😀',
  '\ud800',
  'x'.repeat(100_000),
  `unhex('41')`,
  '__proto__',
  'constructor',
  '[*]',
  '(?:.*)*$',
  '$.a[*]',
  '%'.repeat(2_000),
]

const TEMPLATES: readonly ((quoted: string) => string)[] = [
  (text) => `eq(name, ${text})`,
  (text) => `in(name, [${text}, ${text}])`,
  (text) => `like(name, ${text})`,
  (text) => `search(name, ${text})`,
  (text) => `search(${text})`,
  (text) => `has(tags, ${text})`,
  (text) => `like(tags, ${text})`,
  (text) => `has(metadata, ${text})`,
  (text) => `exists(metadata, ${text})`,
  (text) => `and(eq(metadata_key, ${text}), eq(metadata_value, ${text}))`,
  (text) => `and(eq(input_key, ${text}), like(input_value, ${text}))`,
  (text) => `and(neq(output_key, ${text}), gt(output_value, ${text}))`,
  (text) => `and(eq(feedback_key, ${text}), eq(feedback_value, ${text}), like(feedback_comment, ${text}))`,
  (text) => `like(inputs, ${text})`,
  (text) => `eq(metadata.user_id, ${text})`,
  (text) => `eq(error, ${text})`,
]

/** Damaged filters, the same in each run. */
const DAMAGED = isFull ? 1_000 : 400

let app: StartedApp
/** All runs in the store, those of other test files of this process included. */
let storedRuns: number
const random = createRandom(7)
const texts = HOSTILE.filter((text) => text.isWellFormed())

beforeAll(async () => {
  app = await startApp()
  const post = texts.map((text) => ({
    id: uuid7(),
    name: 'hostile',
    run_type: 'chain',
    start_time: new Date().toISOString(),
    inputs: { [text]: text, list: [{ [text]: [text] }] },
    outputs: { text },
    tags: [text],
    extra: { metadata: { [text]: text, nested: { [text]: text } } },
    session_name: 'hostile',
  }))
  const { body } = await app.call(contract.runs.batch, {
    body: { post: post.map((run) => ({ ...run, trace_id: run.id, dotted_order: `20250101T000000000000Z${run.id}` })) },
  })
  expect(body.errors ?? []).toEqual([])
  storedRuns = await countRuns()
  expect(storedRuns).toBeGreaterThanOrEqual(texts.length)
})
afterAll(() => app.close())

const ask = (filter: string) =>
  app.call(contract.runs.query, { body: { filter, select: ['tags'], skip_pagination: true } })

async function countRuns(): Promise<number> {
  const [row] = await app.deps.analytics.query(literal('select count() as n from runs final'), COUNT_ROW)
  return row?.n ?? 0
}

describe('a hostile text in a filter', () => {
  it.each(HOSTILE.map((text) => [text.slice(0, 30), text]))('%j is treated as a value', async (_, text) => {
    for (const template of TEMPLATES) {
      const filter = template(JSON.stringify(text))
      const { status, text: body } = await ask(filter)
      expect(status, `${filter.slice(0, 200)}: ${body.slice(0, 300)}`).toBe(200)
    }
    expect(await countRuns()).toBe(storedRuns)
  })

  it.each(texts.map((text) => [text.slice(0, 30), text]))(
    '%j finds the run that has it, and no other',
    async (_, text) => {
      const quoted = JSON.stringify(text)
      for (const filter of [
        `has(tags, ${quoted})`,
        `eq(metadata_value, ${quoted})`,
        `and(eq(metadata_key, ${quoted}), eq(metadata_value, ${quoted}))`,
        `and(eq(input_key, ${quoted}), eq(input_value, ${quoted}))`,
        `eq(outputs.text, ${quoted})`,
        `has(metadata, ${JSON.stringify(JSON.stringify({ [text]: text }))})`,
      ]) {
        const { body } = await ask(filter)
        expect(
          body.runs.map(({ tags }) => tags),
          filter.slice(0, 200),
        ).toEqual([[text]])
      }
    },
  )

  it('is rejected as a field or an operator', async () => {
    for (const text of HOSTILE) {
      for (const filter of [
        `eq(${text}, "x")`,
        `${text}(name, "x")`,
        `eq(metadata.${text}.x y, "x")`,
        `eq(name, ${text}`,
      ]) {
        const { status } = await ask(filter)
        expect(status, filter.slice(0, 200)).toBe(400)
      }
    }
  })
})

it('a randomly damaged filter is accepted or rejected without a server error', {
  timeout: 120_000,
}, async () => {
  const runs = randomRuns(random, 20)
  const scraps = [
    '"',
    "'",
    '\\',
    '(',
    ')',
    '[',
    ']',
    ',',
    'null',
    'and(',
    'not(',
    '-1e999',
    '\u0000',
    '%',
    '2025-01-01',
    ...Object.keys(RUN_FILTER_FIELDS),
  ]
  for (let count = 0; count < DAMAGED; count++) {
    let filter = printFilter(randomFilter(random, runs))
    for (let cuts = random.below(3); cuts >= 0; cuts--) {
      const at = random.below(filter.length)
      filter =
        filter.slice(0, at) + (random.chance(0.5) ? random.pick(scraps) : '') + filter.slice(at + random.below(4))
    }
    const { status, text } = await ask(filter)
    expect([200, 400], `${filter}: ${text.slice(0, 300)}`).toContain(status)
  }
  expect(await countRuns()).toBe(storedRuns)
})
