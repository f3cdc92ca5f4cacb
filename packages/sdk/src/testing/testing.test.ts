import { type Assertion, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isInTestContext, logFeedback, logOutputs } from './context.ts'
import { hashValue, toExampleId } from './examples.ts'
import { type EvaluatedBy, wrapEvaluator, wrapExpect } from './expect.ts'
import { MATCHERS } from './matchers.ts'
import { formatRecords } from './report.ts'
import type { TestArgs } from './types.ts'
import { generateWrapperFromJestlikeMethods } from './wrap.ts'

const DATASET = '11111111-1111-4111-8111-111111111111'

describe('the id of an example', () => {
  // Computed with the public package, whose suites share their datasets with ours.
  it.each([
    [{}, {}, '2c540db3-8ce3-5608-af24-844ba866f938'],
    [{ n: [1, { a: true, b: null }], q: 'é' }, { a: 'x' }, 'c8031db2-421a-518d-bd59-ab7c72d14a04'],
    [{ q: 1 }, undefined, '27767f87-e73d-5a7b-9088-130d83ad25fe'],
  ])('of %j and %j is made of the contents alone', (inputs, outputs, id) => {
    expect(toExampleId(DATASET, inputs, outputs)).toBe(id)
  })

  it('refuses what has no bottom', () => {
    const loop: Record<string, unknown> = {}
    loop.self = loop
    expect(() => hashValue(loop)).toThrow('Object is too deep')
  })
})

describe('a matcher of closeness', () => {
  const embeddings = { embedQuery: (text: string) => [text.length, 1] }
  it.each([
    ['toBeRelativeCloseTo', ['kitten', 'sitten', { threshold: 0.2 }], true],
    ['toBeRelativeCloseTo', ['kitten', 'sitting'], false],
    ['toBeAbsoluteCloseTo', ['kitten', 'sitting'], true],
    ['toBeAbsoluteCloseTo', ['kitten', 'sitting', { threshold: 2 }], false],
    ['toBeSemanticCloseTo', ['abc', 'xyz', { embeddings }], true],
    ['toBeSemanticCloseTo', ['', 'a long text', { embeddings }], false],
    ['toBeSemanticCloseTo', ['', 'x', { embeddings, algorithm: 'dot-product' }], true],
  ] as const)('%s of %j passes: %s', async (name, args, pass) => {
    const outcome = await (
      MATCHERS[name] as (...args: readonly unknown[]) => ReturnType<typeof MATCHERS.toBeAbsoluteCloseTo>
    )(...args)
    expect(outcome.pass).toBe(pass)
    expect(outcome.message()).toMatch(pass ? /not to be \w+ close/ : /" to be \w+ close/)
  })

  it('refuses thresholds and algorithms that mean nothing', async () => {
    await expect(MATCHERS.toBeRelativeCloseTo('a', 'b', { threshold: 2 })).rejects.toThrow('between 0 and 1')
    await expect(MATCHERS.toBeAbsoluteCloseTo('a', 'b', { algorithm: 'x' as never })).rejects.toThrow('Unsupported')
    const options = { embeddings, algorithm: 'x' as never }
    await expect(MATCHERS.toBeSemanticCloseTo('a', 'b', options)).rejects.toThrow('Unsupported algorithm: x')
  })
})

/** As each runner's entry types it. */
const judgedBy = (assertion: unknown) => assertion as EvaluatedBy<Assertion<number>>

/** A runner that collects tests and runs them on demand. `describe` runs immediately. */
function aRunner() {
  const tests: { title: string; run: (context?: unknown) => Promise<void>; how: string }[] = []
  const ends: (() => Promise<void>)[] = []
  const test = (how: string) => (title: string, run: () => Promise<void>) => void tests.push({ title, run, how })
  const methods = {
    describe: Object.assign((_: string, fn: () => unknown) => fn(), { only: (_: string, fn: () => unknown) => fn() }),
    test: Object.assign(test('plain'), {
      skip: test('skip'),
      concurrent: Object.assign(test('concurrent'), { only: test('concurrent only') }),
    }),
    expect,
    afterAll: (end: () => Promise<void>) => void ends.push(end),
  }
  return { ls: generateWrapperFromJestlikeMethods(methods, 'made up'), tests, ends }
}

describe('a suite that is not recorded', () => {
  beforeEach(() => {
    vi.stubEnv('LANGSMITH_TRACING', 'true')
    vi.stubEnv('LANGSMITH_TEST_TRACKING', 'false')
    // A request to a server would fail.
    vi.stubEnv('TOUCHSTONE_ENDPOINT', 'http://127.0.0.1:9')
    vi.spyOn(console, 'warn').mockImplementation(() => {})
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })

  it('runs its tests with what was given, and with what the runner gives', async () => {
    const { ls, tests, ends } = aRunner()
    const seen: (TestArgs & Record<string, unknown>)[] = []
    ls.describe('suite', () => {
      ls.test('one', { inputs: { q: 1 }, split: 'hard', note: 'x' } as never, (args) => {
        expect(isInTestContext()).toBe(true)
        seen.push(args)
        ls.logFeedback({ key: 'k', score: 1 })
        return { a: 1 }
      })
    })
    await tests[0]!.run({ task: 'of the runner' })
    await ends[0]!()

    expect(seen[0]).toMatchObject({
      inputs: { q: 1 },
      referenceOutputs: {},
      note: 'x',
      task: 'of the runner',
      testMetadata: { testTrackingEnabled: false, repetition: 0, split: 'hard', exampleId: undefined },
    })
  })

  it('has a test per repetition and per row, under names that tell them apart', async () => {
    const { ls, tests } = aRunner()
    const seen: unknown[] = []
    const note = ({ inputs, testMetadata }: TestArgs) => void seen.push([inputs.q, testMetadata.repetition])
    // Taken out of their place, for the linter takes them for forgotten ones.
    const { only: describeOnly } = ls.describe
    const { only: concurrentOnly } = ls.test.concurrent
    describeOnly('suite', () => {
      ls.it('twice', { inputs: { q: 1 }, config: { repetitions: 2 } }, note)
      ls.test.each([{ inputs: { q: 2 } }, { inputs: { q: 3 } }])('each', note)
      concurrentOnly.each([{ inputs: { q: 4 } }], { repetitions: 2 })('both', note)
    })
    expect(tests.map(({ title, how }) => `${how}: ${title}`)).toEqual([
      'plain: twice, run 0',
      'plain: twice, run 1',
      'plain: each, item 0',
      'plain: each, item 1',
      'concurrent only: both, item 0, run 0',
      'concurrent only: both, item 0, run 1',
    ])
    for (const { run } of tests) await run()
    expect(seen).toEqual([
      [1, 0],
      [1, 1],
      [2, 0],
      [3, 0],
      [4, 0],
      [4, 1],
    ])
  })

  it('hands what a test throws to the runner as it was', async () => {
    const { ls, tests } = aRunner()
    const thrown = new TypeError('\u001b[31mred\u001b[39m')
    ls.describe('suite', () => ls.test('fails', { inputs: {} }, () => Promise.reject(thrown)))
    await expect(tests[0]!.run()).rejects.toBe(thrown)
  })

  it('warns when outputs are replaced', async () => {
    const { ls, tests } = aRunner()
    ls.describe('suite', () =>
      ls.test('many', { inputs: {} }, () => {
        ls.logOutputs({ a: 1 })
        ls.logOutputs({ a: 2 })
        return 'three'
      }),
    )
    await tests[0]!.run()
    expect(vi.mocked(console.warn).mock.calls.flat()).toEqual([
      expect.stringContaining('New "logOutputs()" call will override'),
      expect.stringContaining('Returned value from test function will override'),
    ])
  })

  it('asserts on what an evaluator thinks', async () => {
    const { ls, tests } = aRunner()
    const seen: unknown[] = []
    const half = (args: unknown) => {
      seen.push(args)
      return { key: 'half', score: 0.5 }
    }
    ls.describe('suite', () => {
      ls.test('judged', { inputs: { q: 1 }, referenceOutputs: { a: 2 } }, async () => {
        const judged = (value: unknown) => judgedBy(ls.expect(value)).evaluatedBy(half)
        await judged('x').toBeGreaterThan(0.4)
        await judged('x').not.toBe(1)
        await judged('x').resolves.toBe(0.5)
        await judged('x').rejects.toBe(0.5)
        await expect(judged('x').toBe(1)).rejects.toThrow('expected 0.5 to be 1')
        ls.expect('x').toBe('x')
      })
    })
    await tests[0]!.run()
    expect(seen).toHaveLength(5)
    expect(seen[0]).toEqual({ inputs: { q: 1 }, referenceOutputs: { a: 2 }, outputs: 'x' })
  })
})

describe('outside a suite', () => {
  it('nothing can be logged or judged', async () => {
    expect(() => logFeedback({ key: 'k', score: 1 })).toThrow('Could not retrieve test context.')
    expect(() => logOutputs({})).toThrow('Could not retrieve test context.')
    await expect(wrapEvaluator(() => ({ key: 'k', score: 1 }))({})).rejects.toThrow('Could not retrieve test context.')
    const { evaluatedBy } = judgedBy(wrapExpect(expect)('x'))
    await expect(evaluatedBy(() => ({ key: 'k', score: 1 })).toBe(1)).rejects.toThrow('test context')
    expect(isInTestContext()).toBe(false)
  })

  it('logging fails outside a suite, and in a suite outside a test', async () => {
    const { ls, tests } = aRunner()
    ls.test('lost', { inputs: {} }, () => {})
    await expect(tests[0]!.run()).rejects.toThrow('Could not retrieve test context.')
    ls.describe('suite', () => expect(() => logOutputs({})).toThrow('Could not retrieve current example.'))
  })

  it('suites do not nest, and missing variants are named', () => {
    const { ls } = aRunner()
    ls.describe('outer', () =>
      expect(() => ls.describe('inner', () => {})).toThrow('nesting an ls.describe block named "inner"'),
    )
    expect(() => ls.describe.skip('x', () => {})).toThrow('"describe.skip" is not supported by your test runner.')
    const { only } = ls.test
    expect(() => only('x', { inputs: {} }, () => {})).toThrow('"test.only" is not supported')
  })
})

describe('the table of a suite', () => {
  const record = (test: string, score: number, status: 'pass' | 'fail' = 'pass') => ({
    suite: 's',
    test,
    status,
    inputs: { q: 'x'.repeat(60) },
    referenceOutputs: {},
    outputs: { a: 1 },
    feedback: [
      { key: 'pass', score: status === 'pass' },
      { key: 'close', score },
    ],
    url: undefined,
  })

  it('has a row per test and a column per key', () => {
    const [head, , first] = formatRecords([record('one', 1 / 3), record('two', 1, 'fail')], false).split('\n')
    expect(head).toMatch(/^Test +Inputs +Reference Outputs +Outputs +Status +close$/)
    expect(first).toMatch(/^one +\{"q":"x+… +\{\} +\{"a":1\} +pass +0.3333$/)
  })

  it('colors failed tests and scores far below the others', () => {
    const rows = [record('a', 1), record('b', 1), record('c', 1), record('d', 0), record('e', 1, 'fail')]
    const lines = formatRecords(rows, true).split('\n').slice(2)
    expect(lines.map((line) => line.slice(2, 4))).toEqual(['32', '32', '32', '33', '31'])
  })
})
