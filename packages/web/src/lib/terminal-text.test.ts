import { describe, expect, it } from 'vitest'
import { isTerminalText, readTerminalText, stripTerminalCodes } from './terminal-text.ts'

const ESC = '\u001b'

describe('the output of a program for a terminal', () => {
  it.each([
    ['colors', `${ESC}[31mFAILED${ESC}[0m test`, [{ text: 'FAILED', color: 'red' }, { text: ' test' }]],
    [
      'bold',
      `${ESC}[1;32mok${ESC}[22m?${ESC}[m.`,
      [{ text: 'ok', color: 'green', isBold: true }, { text: '?', color: 'green' }, { text: '.' }],
    ],
    ['bright colors', `${ESC}[94mx${ESC}[39my`, [{ text: 'x', color: 'blue' }, { text: 'y' }]],
    ['256 colors', `${ESC}[38;5;196mx${ESC}[38;5;245my`, [{ text: 'x', color: 'red' }, { text: 'y' }]],
    ['millions of colors', `${ESC}[38;2;250;240;10mx`, [{ text: 'x', color: 'yellow' }]],
    ['backgrounds', `${ESC}[48;5;1;1mx`, [{ text: 'x', isBold: true }]],
    ['the short form of its escape', '\u009b35mx', [{ text: 'x', color: 'magenta' }]],
  ])('has %s', (_, text, expected) => {
    expect(readTerminalText(text)).toEqual(expected)
  })

  it.each([
    ['moves of the cursor', `a${ESC}[2K${ESC}[1Gb`, 'ab'],
    ['a link', `${ESC}]8;;https://a.example${ESC}\\a${ESC}]8;;\u0007b`, 'ab'],
    ['other letters', `${ESC}(Ba`, 'a'],
  ])('loses %s', (_, text, expected) => {
    expect(stripTerminalCodes(text)).toBe(expected)
    expect(isTerminalText(text)).toBe(true)
  })

  it.each(['[31mFAILED[0m', 'array[31m]', `${ESC}[31`, `${ESC}]8;;https://a.example`, ''])('keeps %j', (text) => {
    expect(isTerminalText(text)).toBe(false)
    expect(
      readTerminalText(text)
        .map((run) => run.text)
        .join(''),
    ).toBe(text)
  })

  it.each([`${ESC}[`, `${ESC}]`, `${ESC}[1`, `${ESC}[31m`, '\u009b0'])(
    'takes time that grows with the length of %j',
    (part) => {
      const text = part.repeat(1_000_000 / part.length)
      const before = process.cpuUsage()
      readTerminalText(text)
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1e6).toBeLessThan(20)
    },
  )
})
