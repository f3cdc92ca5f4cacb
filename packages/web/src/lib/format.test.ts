import { describe, expect, it } from 'vitest'
import {
  formatAbsoluteTime,
  formatBytes,
  formatCompactTime,
  formatCost,
  formatCount,
  formatLatency,
  formatRate,
  formatRelativeTime,
  formatScore,
  formatScoreDelta,
  formatTokenPair,
  formatTokens,
  isPrice,
  pluralize,
  toPricePerMillion,
  toPricePerToken,
} from './format.ts'

describe('writing latencies', () => {
  it.each([
    [null, '-'],
    [undefined, '-'],
    [Number.NaN, '-'],
    [0, '0 ms'],
    [0.001, '1 µs'],
    [0.4, '0.4 ms'],
    [2, '2 ms'],
    [9.96, '10 ms'],
    [842.3, '842 ms'],
    [999.6, '1.00 s'],
    [3420, '3.42 s'],
    [9_810, '9.81 s'],
    [12_340, '12.3 s'],
    [59_960, '1m 00s'],
    [124_000, '2m 04s'],
    [4_320_000, '1h 12m'],
    [3_599_900, '1h 00m'],
    [90_000_000, '1d 01h'],
    [-1500, '-1.50 s'],
  ])('writes %s ms as %s', (ms, text) => expect(formatLatency(ms)).toBe(text))
})

describe('writing tokens and counts', () => {
  it.each([
    [null, '-'],
    [0, '0'],
    [312, '312'],
    [9_999, '9,999'],
    [12_345, '12.3k'],
    [999_960, '1.00M'],
    [1_204_332, '1.20M'],
    [1_200_000_000, '1.20B'],
  ])('writes %s tokens as %s', (tokens, text) => expect(formatTokens(tokens)).toBe(text))

  it('writes prompt and completion side by side', () => {
    expect(formatTokenPair(1_234, 312)).toBe('1.2k → 312')
    expect(formatTokenPair(8_100, 0)).toBe('8.1k → 0')
    expect(formatTokenPair(0, 0)).toBe('-')
  })

  it.each([
    [0, 'run', undefined, '0 runs'],
    [1, 'run', undefined, '1 run'],
    [1_204, 'run', undefined, '1,204 runs'],
    [1, 'reply', 'replies', '1 reply'],
    [2, 'reply', 'replies', '2 replies'],
  ])('writes %s of the noun %s (plural %s) as %s', (count, noun, plural, text) => {
    expect(pluralize(count, noun, plural)).toBe(text)
  })

  it('marks an estimate', () => {
    expect(formatCount(1_204_332, { estimated: true })).toBe('~1.2M')
    expect(formatCount(10_000)).toBe('10,000')
  })
})

describe('writing costs', () => {
  it.each([
    [null, '-'],
    [undefined, '-'],
    ['', '-'],
    ['0', '$0.00'],
    ['0.000419', '$0.00042'],
    ['4.2e-7', '$0.00000042'],
    ['0.0099', '$0.0099'],
    ['0.00996', '$0.01'],
    ['0.0412', '$0.04'],
    ['3.5', '$3.50'],
    ['999.999', '$1,000'],
    ['1204.4', '$1,204'],
  ])('writes %s as %s', (cost, text) => expect(formatCost(cost)).toBe(text))

  it('shows why a cost is unknown', () => {
    expect(formatCost(null, 'no price for model my-model')).toBe('- (no price for model my-model)')
  })
})

describe('writing rates, scores and sizes', () => {
  it.each([
    [0, '0 %'],
    [0.018, '1.8 %'],
    [0.0004, '0.04 %'],
    [1, '100 %'],
  ])('writes a share of %s as %s', (share, text) => expect(formatRate(share)).toBe(text))

  it('writes scores with two decimals', () => expect(formatScore(0.5)).toBe('0.50'))

  it.each([
    [0.031, '+0.03'],
    [-0.08, '-0.08'],
    [-0.001, '0.00'],
    [undefined, '-'],
  ])('writes the difference %s of scores as %s', (delta, text) => expect(formatScoreDelta(delta)).toBe(text))

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_234, '1.2 kB'],
    [999_999, '1.0 MB'],
    [20_400_000, '20.4 MB'],
  ])('writes %s bytes as %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))
})

describe('writing times', () => {
  const now = Date.parse('2025-08-21T15:00:00Z')

  it.each([
    ['2025-08-21T14:59:59.900000Z', 'now'],
    ['2025-08-21T14:59:48.000000Z', '12s ago'],
    ['2025-08-21T14:01:00.000000Z', '59m ago'],
    ['2025-08-21T13:03:22.118400Z', 'Aug 21 13:03:22.118'],
    ['2025-08-21T15:30:00.000000Z', 'Aug 21 15:30:00.000'],
    ['2024-01-02T03:04:05.000006Z', 'Jan 2 2024 03:04:05.000'],
    [null, '-'],
    ['nonsense', '-'],
  ])('writes %s relative to 15:00 as %s', (iso, text) => expect(formatRelativeTime(iso, now, 'UTC')).toBe(text))

  it.each([
    ['2025-08-21T13:03:22.118400Z', 'UTC', '13:03:22'],
    ['2025-08-21T00:00:00.000000Z', 'UTC', '00:00:00'],
    ['2025-08-20T23:59:59.000000Z', 'UTC', 'Aug 20 23:59'],
    ['2025-08-20T23:59:59.000000Z', 'Europe/Berlin', '01:59:59'],
    ['2025-07-21T13:03:22.118400Z', 'UTC', 'Jul 21 13:03'],
    ['2024-08-21T13:03:22.118400Z', 'UTC', 'Aug 21 2024'],
    [null, 'UTC', '-'],
  ])('writes %s in %s for a column as %s', (iso, zone, text) => expect(formatCompactTime(iso, now, zone)).toBe(text))

  it('writes a time in a named zone', () => {
    expect(formatAbsoluteTime('2025-08-21T13:03:22.118400Z', 'Asia/Tokyo', now)).toBe('Aug 21 22:03:22.118')
  })

  it.each(['UTC', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/St_Johns'])(
    'writes every time as the calendar of the zone has it, in %s',
    (timeZone) => {
      const calendar = new Intl.DateTimeFormat('en-US', {
        month: 'short',
        day: 'numeric',
        hour: '2-digit',
        minute: '2-digit',
        second: '2-digit',
        hourCycle: 'h23',
        timeZone,
      })
      const now = Date.parse('2025-12-31T12:00:00Z')
      // Across both changes of the clock, several times in each quarter of an hour.
      for (let at = Date.parse('2025-03-01T00:00:07Z'); at < Date.parse('2025-11-10T00:00:00Z'); at += 401_003) {
        const expected = calendar.format(at).replace(', ', ' ')
        expect(formatAbsoluteTime(new Date(at).toISOString(), timeZone, now).slice(0, -4)).toBe(expected)
      }
    },
  )
})

describe('prices', () => {
  it.each([
    ['2.5', '0.0000025'],
    ['15', '0.000015'],
    ['0.075', '0.000000075'],
    ['0', '0'],
    ['1000000', '1'],
    ['1234567.89', '1.23456789'],
    ['0.000000000001', '0.000000000000000001'],
  ])('of %s per million tokens are %s per token, and back', (million, token) => {
    expect(toPricePerToken(million)).toBe(token)
    expect(toPricePerMillion(token)).toBe(million)
  })

  it('drop trailing zeros', () => {
    expect([toPricePerToken('02.50'), toPricePerMillion('0.00000250')]).toEqual(['0.0000025', '2.5'])
  })

  it.each([
    ['2.5', true],
    ['', false],
    ['-1', false],
    ['1e3', false],
    ['1,5', false],
    ['.5', false],
  ])('are plain decimals: %j %s', (text, is) => {
    expect(isPrice(text)).toBe(is)
  })
})
