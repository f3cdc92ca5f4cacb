import { FilterError, parseFilter, printFilter } from '@touchstone/contract/filter'
import { describe, expect, it } from 'vitest'
import {
  addClauses,
  type Chip,
  describeCondition,
  describeFilter,
  parseChips,
  replaceChip,
  toClause,
  toDraft,
  toFilter,
} from './chips.ts'
import { applyChoice, fieldChoices, findCompletion } from './complete.ts'
import { fromCondition, toCondition } from './condition.ts'
import { parseQuickFilter } from './quick.ts'

function chips(text: string): Chip[] {
  const found = parseChips('run', text)
  if (found instanceof FilterError) throw found
  return found
}
const words = (text: string) => chips(text).map((chip) => (chip.filter ? describeFilter(chip.filter) : chip.text))
const typed = (text: string) =>
  addClauses(
    undefined,
    parseQuickFilter(text).map(({ clause }) => clause),
  )

describe('chips', () => {
  it('show a key and its value as one', () => {
    expect(
      words(
        'and(eq(run_type, "llm"), eq(metadata_key, "env"), eq(metadata_value, "prod"), and(eq(feedback_key, "score"), lt(feedback_score, 0.5)))',
      ),
    ).toEqual(['type is llm', 'metadata env is prod', 'feedback score < 0.5'])
    expect(chips('and(eq(input_key, "q"), search(input_value, "refund"))')).toHaveLength(1)
  })

  it('start a new pair at the next key, wherever its value is', () => {
    expect(
      words(
        'and(eq(metadata_key, "a"), eq(name, "x"), eq(metadata_value, 1), eq(metadata_key, "b"), eq(metadata_value, "1"))',
      ),
    ).toEqual(['metadata a is 1', 'name is x', 'metadata b is "1"'])
  })

  it('contain nested groups and unknown fields', () => {
    expect(words('and(or(eq(name, "a"), not(and(eq(name, "b"), gt(latency, "5s")))), fuzzy(name,"x"))')).toEqual([
      'name is a or not (name is b and latency > 5s)',
      'fuzzy(name,"x")',
    ])
  })

  it('are removed and replaced without changing other chips', () => {
    const text = 'and(eq(metadata_key, "a"), eq(name, "x"), eq(metadata_value, 1), fuzzy(name,"x"))'
    const [pair, name, custom] = chips(text)
    expect(replaceChip(text, pair!, [])).toBe('and(eq(name, "x"), fuzzy(name,"x"))')
    expect(replaceChip(text, name!, [toClause(parseFilter('eq(name, "y")')!)])).toBe(
      'and(eq(metadata_key, "a"), eq(name, "y"), eq(metadata_value, 1), fuzzy(name,"x"))',
    )
    expect(replaceChip(text, custom!, [])).toBe('and(eq(metadata_key, "a"), eq(name, "x"), eq(metadata_value, 1))')
    expect(replaceChip('eq(name, "x")', chips('eq(name, "x")')[0]!, [])).toBeUndefined()
  })

  it('never add a new condition to an existing entry', () => {
    const first = addClauses(undefined, [toClause(parseFilter('and(eq(metadata_key, "a"), eq(metadata_value, 1))')!)])
    const both = addClauses(first, [toClause(parseFilter('eq(metadata_value, 2)')!)])
    expect(both).toBe('and(eq(metadata_key, "a"), eq(metadata_value, 1), and(eq(metadata_value, 2)))')
    expect(words(both!)).toEqual(['metadata a is 1', 'metadata_value is 2'])
  })
})

describe('a chip', () => {
  it.each([
    ['search(outputs, "refund")', 'output contains refund'],
    ['not(search(inputs, "two words"))', 'not input contains two words'],
    ['like(outputs, "%a%")', 'output JSON matches %a%'],
  ])('prints %s as %s', (text, chip) => expect(words(text)).toEqual([chip]))
})

describe('the form of a condition', () => {
  it.each([
    'eq(run_type, "llm")',
    'gt(latency, 0.25)',
    'neq(error, null)',
    'not(has(tags, "dev"))',
    'in(name, ["a", "b, c", "d \\"e\\""])',
    'and(eq(metadata_key, "env"), in(metadata_value, ["a", 1, "1", true]))',
    'not(and(eq(metadata_key, "env"), eq(metadata_value, "prod")))',
    'eq(metadata_key, "env")',
    'and(eq(feedback_key, "user_score"), eq(feedback_score, 0))',
    'and(eq(feedback_key, "tone"), eq(feedback_value, "rude"))',
    'eq(metadata.env, "7")',
    'exists(metadata, "env")',
    'search("two words")',
    'like(inputs, "%refund%")',
    'gte(start_time, "2026-01-01T00:00:00.000000Z")',
    'eq(is_root, true)',
    'eq(name, "")',
  ])('gives %s back', (text) => {
    expect(printFilter(fromCondition(toCondition(parseFilter(text)!)!))).toBe(text)
  })

  it('rejects what is not valid', () => {
    const condition = { ...toCondition(parseFilter('gt(latency, 5)')!)!, value: 'soon' }
    expect(() => fromCondition(condition)).toThrow('expected seconds')
    expect(describeCondition(condition)).toBe('latency > soon')
  })
})

describe('the builder of groups', () => {
  it.each([
    'or(eq(name, "a"), and(eq(metadata_key, "k"), eq(metadata_value, "v"), gt(latency, 5)))',
    'not(or(eq(name, "a"), not(not(eq(name, "b")))))',
    'and(or(eq(name, "a")), not(and(has(tags, "x"), eq(error, null))))',
    'or(and(eq(feedback_key, "k"), lt(feedback_score, 1)), nin(name, ["a", "b"]), neq(first_token_time, null))',
  ])('gives %s back untouched', (text) => {
    const filter = parseFilter(text)!
    expect(printFilter(toFilter(toDraft(filter)))).toBe(printFilter(filter))
  })

  it('changes only the edited line', () => {
    const group = toDraft(parseFilter('or(eq(metadata_key, "k"), eq(name, "a"))')!)
    if (group.kind !== 'group' || group.items[0]?.kind !== 'line') throw new Error('not a group of lines')
    const line = { ...group.items[0], condition: { ...group.items[0].condition, key: 'other' } }
    expect(printFilter(toFilter({ ...group, items: group.items.with(0, line) }))).toBe(
      'or(and(eq(metadata_key, "other")), eq(name, "a"))',
    )
  })
})

describe('quick typing', () => {
  it.each([
    ['type:llm', 'eq(run_type, "llm")'],
    ['latency:>5s', 'gt(latency, 5)'],
    ['latency:<=200ms', 'lte(latency, 0.2)'],
    ['-tag:dev', 'not(has(tags, "dev"))'],
    ['is:error', 'eq(status, "error")'],
    ['-is:root', 'not(eq(is_root, true))'],
    ['"refund"', 'search("refund")'],
    ['refund my order', 'search("refund my order")'],
    ['-"internal error"', 'not(search("internal error"))'],
    ['name:rag_*', 'like(name, "rag_%")'],
    ['-name:x', 'neq(name, "x")'],
    ['name:a,"b c"', 'in(name, ["a", "b c"])'],
    ['error:timeout', 'search(error, "timeout")'],
    ['output:refund', 'search(outputs, "refund")'],
    ['input:"two words"', 'search(inputs, "two words")'],
    ['-output:refund', 'not(search(outputs, "refund"))'],
    ['output:ref*ed', 'like(outputs, "%ref%ed%")'],
    ['output.answer:no', 'and(eq(output_key, "answer"), eq(output_value, "no"))'],
    ['metadata.env:prod', 'and(eq(metadata_key, "env"), eq(metadata_value, "prod"))'],
    ['metadata.n:>5', 'and(eq(metadata_key, "n"), gt(metadata_value, 5))'],
    ['metadata.zip:"007"', 'and(eq(metadata_key, "zip"), eq(metadata_value, "007"))'],
    ['-metadata.env:prod', 'not(and(eq(metadata_key, "env"), eq(metadata_value, "prod")))'],
    ['feedback.user_score:0', 'and(eq(feedback_key, "user_score"), eq(feedback_score, 0))'],
    ['feedback.tone:rude', 'and(eq(feedback_key, "tone"), eq(feedback_value, "rude"))'],
    ['has:feedback', 'neq(feedback_key, null)'],
    ['-has:thread', 'eq(thread_id, null)'],
    ['cost:>0.01 tokens:>1000', 'and(gt(total_cost, 0.01), gt(total_tokens, 1000))'],
    ['http://example.com/a', 'search("http://example.com/a")'],
    ['gt(latency, "5s"), eq(name, "x")', 'and(gt(latency, 5), eq(name, "x"))'],
    [
      'type:llm latency:>5s -tag:dev is:error "refund"',
      'and(eq(run_type, "llm"), gt(latency, 5), not(has(tags, "dev")), eq(status, "error"), search("refund"))',
    ],
  ])('%s', (text, filter) => {
    expect(typed(text)).toBe(filter)
  })

  it('applies conditions to the root and to any run of the trace', () => {
    expect(parseQuickFilter('root.name:agent any.type:tool').map(({ scope, clause }) => [scope, clause.text])).toEqual([
      ['root', 'eq(name, "agent")'],
      ['tree', 'eq(run_type, "tool")'],
    ])
  })

  it.each([
    ['type:llm latency:>soon', 18, 'expected seconds'],
    ['type:llm -latency:soon', 18, 'expected seconds'],
    ['foo:bar', 0, 'Unknown field "foo". To search for this text, type "foo:bar".'],
    ['-outptu:word', 1, 'Unknown field "outptu". Did you mean output or outputs?'],
    ['any.latensy:>1', 4, 'Unknown field "latensy". Did you mean latency?'],
    ['is:purple', 3, 'Unknown state "purple". Use error, success,'],
    ['has:purple', 4, 'Unknown field "purple". Use error, feedback,'],
    ['name:', 5, 'Enter a value after name:'],
    ['type:llm "open', 9, 'closing quote'],
    ['eq(nam, "x")', 3, 'no field'],
    ['metadata:word', 0, 'Did you mean metadata.key?'],
  ])('points at what is wrong with %s', (text, position, reason) => {
    try {
      parseQuickFilter(text)
    } catch (error) {
      expect(error).toBeInstanceOf(FilterError)
      expect((error as FilterError).position).toBe(position)
      expect((error as FilterError).reason).toContain(reason)
      return
    }
    throw new Error(`${text} was read`)
  })
})

describe('completion', () => {
  it('offers fields, keys and values where they belong', () => {
    expect(findCompletion('type:llm la', 11)).toMatchObject({ kind: 'field', from: 9, typed: 'la' })
    expect(fieldChoices('la').map(({ insert }) => insert)).toEqual(['latency:'])
    expect(fieldChoices('outp').map(({ insert }) => insert)).toEqual(['output:', 'output.', 'outputs:'])
    expect(findCompletion('output:re', 9)).toMatchObject({ kind: 'value', subject: 'outputs', typed: 're' })
    expect(findCompletion('-type:l', 7)).toMatchObject({ kind: 'value', subject: 'run_type', typed: 'l', from: 6 })
    expect(findCompletion('metadata.en', 11)).toMatchObject({
      kind: 'key',
      subject: 'metadata_entry',
      typed: 'en',
      from: 9,
    })
    expect(findCompletion('metadata.env:pr', 15)).toMatchObject({
      kind: 'value',
      subject: 'metadata_entry',
      key: 'env',
    })
    expect(findCompletion('name:"two wo', 12)).toMatchObject({ kind: 'value', typed: 'two wo', from: 5 })
  })

  it('inserts a suggestion, quoted if needed', () => {
    const text = 'type:llm name:ra'
    expect(applyChoice(text, findCompletion(text, text.length), 'rag chain')).toEqual({
      text: 'type:llm name:"rag chain"',
      caret: 25,
    })
  })
})
