import { describe, expect, it } from 'vitest'
import { findTyped, moveActive, needsSearch, type SelectOption, searchOptions } from './select.ts'

const toOptions = (...labels: string[]): SelectOption[] => labels.map((label) => ({ value: label, label }))
const FIELDS = toOptions('name', 'type', 'prompt tokens', 'tokens', 'thread')

describe('search the options of a select', () => {
  it('is offered for long lists', () => {
    expect(needsSearch(FIELDS)).toBe(false)
    expect(needsSearch([...FIELDS, ...FIELDS])).toBe(true)
  })

  it('finds options that contain all words, those that start with the search first', () => {
    const find = (search: string) => searchOptions(FIELDS, search).map(({ label }) => label)
    expect(find('')).toHaveLength(5)
    expect(find('TOK')).toEqual(['tokens', 'prompt tokens'])
    expect(find('tok pro')).toEqual(['prompt tokens'])
    expect(find('xyz')).toEqual([])
  })

  it('finds options by their group', () => {
    const grouped = [{ value: 'a', label: 'score', group: 'Feedback' }, ...FIELDS]
    expect(searchOptions(grouped, 'feed').map(({ value }) => value)).toEqual(['a'])
  })
})

describe('type letters on a select', () => {
  it('goes to the next option that starts with them', () => {
    expect(findTyped(FIELDS, 't', -1)).toBe(1)
    expect(findTyped(FIELDS, 't', 1)).toBe(3)
    expect(findTyped(FIELDS, 'tt', 3)).toBe(4)
    expect(findTyped(FIELDS, 'ttt', 4)).toBe(1)
    expect(findTyped(FIELDS, 'th', 3)).toBe(4)
    expect(findTyped(FIELDS, 'x', 0)).toBeUndefined()
  })

  it('passes over disabled options', () => {
    const options = [{ value: 'a', label: 'alpha', disabled: true }, ...toOptions('also')]
    expect(findTyped(options, 'a', -1)).toBe(1)
  })
})

describe('move through the options of a select', () => {
  const options = [{ value: 'x', label: 'x', disabled: true }, ...FIELDS]
  it.each([
    ['ArrowDown', -1, 1],
    ['ArrowDown', 2, 3],
    ['ArrowDown', 5, 5],
    ['ArrowUp', 1, 1],
    ['ArrowUp', -1, 5],
    ['Home', 4, 1],
    ['End', 1, 5],
    ['PageDown', 1, 5],
    ['PageUp', 5, 1],
    ['Enter', 1, undefined],
  ])('%s goes from %i to %s', (key, from, to) => {
    expect(moveActive(options, from, key)).toBe(to)
  })

  it('has no active option where none can be chosen', () => {
    expect(moveActive([], -1, 'ArrowDown')).toBe(-1)
  })
})
