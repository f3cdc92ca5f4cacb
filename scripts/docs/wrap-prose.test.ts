import { describe, expect, it } from 'vitest'
import { findLongLines, wrapProse } from './wrap-prose.ts'

describe('wrap the prose of Markdown', () => {
  it.each([
    ['a paragraph', 'one two three four five', 'one two three\nfour five'],
    ['a paragraph of several lines', 'one\ntwo three four five', 'one two three\nfour five'],
    ['a list item, with its indent', '- one two three four', '- one two\n  three four'],
    ['a numbered item below an item', '- a\n  1. one two three', '- a\n  1. one two\n     three'],
    ['the items of a list one by one', '- one two three four\n- five', '- one two\n  three four\n- five'],
    ['a text behind a list item', '- one\n\n  two three four five', '- one\n\n  two three\n  four five'],
    ['a link between its words', 'see [one two](three)', 'see [one\ntwo](three)'],
    ['a paragraph that begins with an address', '<http://a.b> is one two', '<http://a.b>\nis one two'],
    ['a line break that must stay', 'one two three four  \nfive', 'one two three\nfour  \nfive'],
  ])('breaks %s', (_, text, wrapped) => {
    expect(wrapProse(text, 14)).toBe(wrapped)
    expect(wrapProse(wrapped, 14)).toBe(wrapped)
    expect(findLongLines(wrapped, 14)).toEqual([])
  })

  it.each([
    ['a short paragraph', 'one\ntwo'],
    ['a heading', '# one two three four five'],
    ['a table', '| one two three | four |\n| --- | --- |\n| five six seven eight | nine |'],
    ['a block of code', '```sh\none two three four five\n```'],
    ['indented code', 'one\n\n    two three four five six'],
    ['a code span', '`one two three four`'],
    ['a code span with backticks inside', '``one ` two three four``'],
    ['a word that is too long', 'https://example.com/one'],
    ['a link definition', '[one]: https://example.com/one "two"'],
    ['a comment', '<!-- one two three four -->'],
  ])('leaves %s alone', (_, text) => {
    expect(wrapProse(text, 14)).toBe(text)
    expect(findLongLines(text, 14)).toEqual([])
  })

  it.each(['-', '+', '*', '#', '1.', '2)', '>', '|', '<b>'])('begins no line with %s', (word) => {
    expect(wrapProse(`one two three ${word} four five`, 14)).toBe(`one two\nthree ${word} four\nfive`)
  })

  it('names the lines that it would break', () => {
    expect(findLongLines('short\n\n```\none two three four five\n```\n\none\none two three four five', 14)).toEqual([8])
  })
})
