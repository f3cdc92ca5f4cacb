import { describe, expect, it } from 'vitest'
import { buildTrace, parsePicodollars } from './build-trace.ts'
import { aTraceTree } from './testing.ts'
import {
  findString,
  formatPicodollars,
  isLost,
  NO_END_MICROS,
  packStrings,
  packWords,
  shownEndAt,
  stringAt,
  toTraceAt,
  wordAt,
} from './trace.ts'

const atMs = (trace: { startMicros: bigint }, ms: number) => Number(trace.startMicros / 1_000n) + ms
const NO_END_MS = NO_END_MICROS / 1_000

describe('a trace at a moment', () => {
  it('extends only running runs to that time', () => {
    const trace = buildTrace(
      aTraceTree([
        { id: 'root', at: [0] },
        { id: 'done', parent: 'root', at: [1, 5] },
      ]),
    )
    const live = toTraceAt(trace, atMs(trace, 30))

    expect(live.duration).toBe(30_000)
    expect([shownEndAt(live, 0), shownEndAt(live, 1)]).toEqual([30_000, 5_000])
  })

  it('marks a run as lost ten minutes after its start, but not younger ones', () => {
    const trace = buildTrace(
      aTraceTree([
        { id: 'root', at: [0] },
        { id: 'lost', parent: 'root', at: [1] },
        { id: 'young', parent: 'root', at: [NO_END_MS - 10] },
      ]),
    )
    const live = toTraceAt(trace, atMs(trace, NO_END_MS + 5))

    expect([isLost(live, 0), isLost(live, 1), isLost(live, 2)]).toEqual([true, true, false])
    expect(shownEndAt(live, 1)).toBe((NO_END_MS - 10) * 1_000)
    expect(shownEndAt(live, 2)).toBe((NO_END_MS + 5) * 1_000)
  })

  it('stops growing ten minutes after the last update', () => {
    const trace = buildTrace(aTraceTree([{ id: 'root', at: [0] }]))

    expect(toTraceAt(trace, atMs(trace, NO_END_MS + 60_000)).duration).toBe(0)
  })

  it('is unchanged when no run is running', () => {
    const trace = buildTrace(aTraceTree([{ id: 'root', at: [0, 1] }]))

    expect(toTraceAt(trace, atMs(trace, 1_000))).toBe(trace)
  })
})

describe('packed strings', () => {
  const strings = packStrings(['ab', 'abc', '', 'bc', 'ab'])

  it('are unpacked unchanged', () => {
    expect([0, 1, 2, 3, 4].map((index) => stringAt(strings, index))).toEqual(['ab', 'abc', '', 'bc', 'ab'])
  })

  it('are found only as a whole string', () => {
    expect(findString(strings, 'abc')).toBe(1)
    expect(findString(strings, 'bc')).toBe(3)
    expect(findString(strings, 'bab')).toBe(-1)
    expect(findString(strings, '')).toBe(-1)
  })

  it('share equal words', () => {
    const words = packWords(['x', 'y', 'x'])
    expect(words.words).toEqual(['x', 'y'])
    expect(wordAt(words, 2)).toBe('x')
  })
})

describe('picodollars', () => {
  it.each([
    ['0.1', '0.1'],
    ['1204', '1204'],
    ['3.5e-8', '0.000000035'],
    ['1E-12', '0.000000000001'],
    ['0.0000000000005', '0.000000000001'],
    ['-2.50', '-2.5'],
    ['.5', '0.5'],
    ['0', '0'],
  ])('of %s read back as %s', (text, back) => expect(formatPicodollars(parsePicodollars(text)!)).toBe(back))

  it.each(['', 'abc', '1,5', 'NaN', '.'])('refuse %j', (text) => expect(parsePicodollars(text)).toBeUndefined())
})
