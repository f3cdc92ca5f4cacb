import { describe, expect, it } from 'vitest'
import {
  FILTER_LIMITS,
  FILTER_OPERATORS,
  type Filter,
  FilterError,
  type FilterLimits,
  PUBLIC_FILTER_LIMITS,
  parseFilter,
  printFilter,
} from './index.ts'

function problemOf(text: string): FilterError {
  try {
    parseFilter(text)
  } catch (error) {
    if (error instanceof FilterError) return error
    throw error
  }
  throw new Error(`${text} was read`)
}

describe('reading a filter', () => {
  it.each<[string, Filter]>([
    ['eq(name, "my_chain")', { op: 'eq', field: 'name', value: 'my_chain' }],
    ["eq(run_type, 'LLM')", { op: 'eq', field: 'run_type', value: 'llm' }],
    ['gt(latency, "1500ms")', { op: 'gt', field: 'latency', value: 1.5 }],
    ['gt(latency, "2m")', { op: 'gt', field: 'latency', value: 120 }],
    ['gte(latency, 2.5)', { op: 'gte', field: 'latency', value: 2.5 }],
    ['gt(total_cost, "0.01")', { op: 'gt', field: 'total_cost', value: 0.01 }],
    ['eq(feedback_score, true)', { op: 'eq', field: 'feedback_score', value: 1 }],
    ['eq(is_root, True)', { op: 'eq', field: 'is_root', value: true }],
    ['neq(error, None)', { op: 'neq', field: 'error', value: null }],
    ['gt(start_time, 2023-07-15T12:34:56Z)', { op: 'gt', field: 'start_time', value: '2023-07-15T12:34:56.000000Z' }],
    ['lt(start_time, 2023-07-15)', { op: 'lt', field: 'start_time', value: '2023-07-15T00:00:00.000000Z' }],
    ['in(name, ["a", "b"])', { op: 'in', field: 'name', value: ['a', 'b'] }],
    ['in(name, "a")', { op: 'in', field: 'name', value: ['a'] }],
    ['eq(metadata.user_id, 7)', { op: 'eq', field: 'metadata.user_id', value: 7 }],
    ['exists(metadata, "k")', { op: 'exists', field: 'metadata', value: 'k' }],
    ['exists(end_time)', { op: 'neq', field: 'end_time', value: null }],
    ['search("two words")', { op: 'search', value: 'two words' }],
    [`has(metadata, '{"a": "b"}')`, { op: 'has', field: 'metadata', value: '{"a": "b"}' }],
    [`eq(name, 'it\\'s "so" \\\\ C:\\x')`, { op: 'eq', field: 'name', value: `it's "so" \\ C:\\x` }],
    ['eq(name, "caf\\u00e9\\n")', { op: 'eq', field: 'name', value: 'café\n' }],
    [
      '\n and (\n not ( eq(name,"x") )\t)',
      { op: 'and', args: [{ op: 'not', args: [{ op: 'eq', field: 'name', value: 'x' }] }] },
    ],
  ])('%s', (text, filter) => {
    expect(parseFilter(text)).toEqual(filter)
  })

  it('takes clauses side by side as one and', () => {
    expect(parseFilter('eq(name, "a"), eq(status, "error")')).toEqual(
      parseFilter('and(eq(name, "a"), eq(status, "error"))'),
    )
  })

  it.each(['', '  \n '])('takes a blank text as no filter', (text) => {
    expect(parseFilter(text)).toBeUndefined()
  })

  it.each([
    ['eq("name", "x")', 3, 'without quotes'],
    ['eq(name, x)', 9, 'quotes: "x"'],
    ['eq(nam, "x")', 3, '"nam" is no field'],
    ['eq(name, "x"', 12, 'the end of the filter'],
    ['eq(name, "x"))', 13, 'expected the end'],
    ['eq(name, "x', 9, 'no closing quote'],
    ['eq(name, "x",)', 13, 'another argument'],
    ['eq(name,, "x")', 8, 'expected a field, a value or a call'],
    ['eq(name)', 0, 'takes a field and a value'],
    ['and()', 0, 'one filter or more'],
    ['not(eq(name, "a"), eq(name, "b"))', 0, 'one filter'],
    ['and(name)', 4, 'takes calls'],
    ['equals(name, "x")', 0, 'no operator'],
    ['name', 0, 'expected a call'],
    ['gt(name, "x")', 0, 'does not compare name'],
    ['gt(start_time, "soon")', 15, 'expected a time'],
    ['gt(latency, "5 weeks")', 12, 'expected seconds'],
    ['gt(total_tokens, "many")', 17, 'expected a number'],
    ['gt(total_tokens, null)', 17, 'null'],
    ['eq(id, "x")', 7, 'expected a UUID'],
    ['eq(name, "x") eq(name, "y")', 14, 'expected the end'],
    ['eq(name, "x"),', 14, 'another call'],
    ['eq(name, $)', 9, 'begins nothing'],
    ['eq(name, "\\x")', 9, 'backslash'],
    ['eq(name, ["a"])', 9, 'single value'],
    ['eq(metadata., "a")', 11, 'begins nothing'],
    ['eq(secrets.key, "a")', 3, 'no field'],
    ['eq(__proto__, "a")', 3, 'no field'],
    ['constructor(name, "a")', 0, 'no operator'],
  ])('%s is refused at its place', (text, position, reason) => {
    const problem = problemOf(text)
    expect(problem.message).toContain(reason)
    expect(problem.position).toBe(position)
  })

  it('refuses a number that is larger than any number', () => {
    for (const text of ['1e309', '-1e309', '9'.repeat(400)]) {
      for (const field of ['latency', 'total_cost', 'feedback_score', 'metadata.x', 'metadata_value', 'start_time']) {
        expect(problemOf(`gt(${field}, ${text})`).message).toContain('is too large: numbers go up to 1.79')
      }
    }
    expect(problemOf(`gt(latency, "${'9'.repeat(400)}")`).message).toContain('expected seconds')
    expect(parseFilter('gt(latency, 9007199254740993)')).toMatchObject({ value: 9007199254740992 })
  })

  it('keeps the digits of a number, as text, where no float is needed', () => {
    const read = (text: string) => (parseFilter(text) as { value: unknown }).value
    for (const field of ['metadata.order', 'metadata_value', 'thread_id', 'name']) {
      expect(read(`eq(${field}, 107505301260286111)`)).toBe('107505301260286111')
      expect(read(`eq(${field}, -107505301260286111)`)).toBe('-107505301260286111')
    }
    expect(read('in(metadata.order, [107505301260286111, 9007199254740991])')).toEqual([
      '107505301260286111',
      9007199254740991,
    ])
    expect(read('eq(name, 1.50)')).toBe('1.50')
    expect(read('eq(metadata.order, 1.50)')).toBe(1.5)
    expect(read('eq(metadata.order, 1e20)')).toBe(1e20)
  })
})

describe('a filter that is too large', () => {
  const nested = (depth: number) => `${'not('.repeat(depth)}eq(name, "x")${')'.repeat(depth)}`
  const list = (length: number) => `in(name, [${Array(length).fill('"x"').join(',')}])`
  const clauses = (length: number) => `or(${Array(length).fill('eq(name, "x")').join(',')})`
  const long = (length: number) => `eq(name, "${'x'.repeat(length - 12)}")`

  it.each<[string, keyof FilterLimits, (size: number) => string, number]>([
    ['levels of nesting', 'depth', nested, 1],
    ['values in lists', 'values', list, 0],
    ['clauses', 'clauses', clauses, 1],
    ['characters', 'length', long, 0],
  ])('is refused with the number of its %s and the limit', (name, limit, make, others) => {
    for (const limits of [FILTER_LIMITS, PUBLIC_FILTER_LIMITS]) {
      const most = limits[limit]
      expect(parseFilter(make(most - others), undefined, limits)).toBeDefined()
      const tooLarge = () => parseFilter(make(most - others + 1), undefined, limits)
      expect(tooLarge).toThrow(`found ${most + 1} ${name}, at most ${most} are allowed`)
    }
  })

  it('counts the values of all lists together', () => {
    const half = FILTER_LIMITS.values / 2
    expect(parseFilter(`and(${list(half)}, ${list(half)})`)).toBeDefined()
    expect(problemOf(`and(${list(half)}, ${list(half + 1)})`).message).toContain('5001 values in lists')
  })

  it.each<[string, string]>([
    ['brackets', '('.repeat(1_000_000)],
    ['nested calls', 'not('.repeat(100_000)],
    ['nested lists', `in(name, ${'['.repeat(400_000)}`],
    ['commas', ','.repeat(400_000)],
    ['empty arguments', `and(${'a,'.repeat(200_000)}`],
    ['spaces', ' '.repeat(400_000)],
    ['a string of escapes', `eq(name, "${'\\\\'.repeat(200_000)}")`],
    ['a string that is never closed', `eq(name, "${'x\\"'.repeat(100_000)}`],
    ['a long name', 'a.'.repeat(200_000)],
    ['a long number', '1'.repeat(400_000)],
    ['a long duration', `gt(latency, "1${' '.repeat(400_000)}x")`],
    ['a long time', `gt(start_time, 2025-01-01T00:00${':'.repeat(400_000)})`],
  ])('of %s is read or refused quickly, in a short message', (_, text) => {
    const before = process.cpuUsage()
    try {
      parseFilter(text)
    } catch (error) {
      expect(error).toBeInstanceOf(FilterError)
      expect((error as FilterError).message.length).toBeLessThan(1_000)
    }
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000)
  })
})

describe('printing a filter', () => {
  it.each(FILTER_OPERATORS.flatMap(({ examples }) => examples))('%s comes back the same', (text) => {
    const filter = parseFilter(text)!
    expect(parseFilter(printFilter(filter))).toEqual(filter)
  })

  it.each(['"', "'", '\\', '\n', '"), or(eq(name, "', '\u2028', '😀', '\\u0000', '%', ']', 'é'])(
    'keeps %j inside its quotes',
    (text) => {
      const filter: Filter = { op: 'and', args: [{ op: 'in', field: 'name', value: [text, `x${text}`] }] }
      expect(parseFilter(printFilter(filter))).toEqual(filter)
    },
  )
})
