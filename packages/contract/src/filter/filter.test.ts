import { describe, expect, it } from 'vitest'
import { FILTER_OPERATORS, type Filter, FilterError, parseFilter, printFilter } from './index.ts'

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

  it('refuses endless nesting', () => {
    const nested = (depth: number) => `${'not('.repeat(depth)}eq(name, "x")${')'.repeat(depth)}`
    expect(parseFilter(nested(99))).toBeDefined()
    expect(problemOf(nested(100_000)).message).toContain('nested deeper than 100')
  })

  it('reads a long text in time that grows with it', () => {
    const clause = 'eq(name, "x")'
    const filter = parseFilter(`or(${Array.from({ length: 20_000 }, () => clause).join(',')})`)
    expect(filter).toMatchObject({ op: 'or' })
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
