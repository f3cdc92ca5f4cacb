import { describe, expect, it } from 'vitest'
import { REDACTED, SecretRedactor } from './redact-secrets.ts'

/** A generator of pseudorandom numbers (mulberry32): the same cases in each run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

type Random = ReturnType<typeof createRandom>

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[random(items.length)]!
const repeat = (random: Random, most: number, make: () => string) =>
  Array.from({ length: random(most + 1) }, make).join('')

interface Unit {
  readonly unit: string
  readonly start: number
  readonly end: number
}

const toUnits = (text: string): Unit[] =>
  Array.from({ length: text.length }, (_, at) => ({ unit: text[at]!, start: at, end: at + 1 }))

/** Replaces what a pattern finds at a unit by one unit: slow and short. */
function decode(units: readonly Unit[], pattern: RegExp, toUnit: (match: RegExpExecArray) => string): Unit[] {
  const text = units.map(({ unit }) => unit).join('')
  const decoded: Unit[] = []
  for (let at = 0; at < units.length; ) {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    const length = match?.[0].length ?? 1
    decoded.push({ unit: match ? toUnit(match) : text[at]!, start: units[at]!.start, end: units[at + length - 1]!.end })
    at += length
  }
  return decoded
}

const decodeJson = (units: readonly Unit[]) =>
  decode(units, /\\u([\da-f]{4})|\\(\W)/iy, ([, hex, self]) =>
    hex === undefined ? self! : String.fromCharCode(Number.parseInt(hex, 16)),
  )
const decodeUrl = (units: readonly Unit[]) =>
  decode(units, /%([\da-f]{2})/iy, ([, hex]) => String.fromCharCode(Number.parseInt(hex!, 16)))

/** What a redactor must do, by brute force: every secret at every level of decoding, those that overlap as one. */
function redactSlowly(secrets: readonly string[], text: string): string {
  const isHidden = new Uint8Array(text.length)
  const begins = new Set<number>()
  const ranges: [number, number][] = []
  let url = toUnits(text)
  for (let percents = 0; percents <= 4; percents++, url = decodeUrl(url)) {
    let json = url
    for (let escapes = 0; escapes <= 4; escapes++, json = decodeJson(json)) {
      const decoded = json.map(({ unit }) => unit).join('')
      for (const secret of secrets) {
        for (let at = decoded.indexOf(secret); at >= 0; at = decoded.indexOf(secret, at + 1)) {
          ranges.push([json[at]!.start, json[at + secret.length - 1]!.end])
        }
      }
    }
  }
  ranges.sort(([a], [b]) => a - b)
  let last = 0
  for (const [start, end] of ranges) {
    if (start >= last) begins.add(start)
    isHidden.fill(1, start, end)
    last = Math.max(last, end)
  }
  return toUnits(text)
    .map(({ unit, start }) => (begins.has(start) ? REDACTED : '') + (isHidden[start] ? '' : unit))
    .join('')
}

/** One in a few texts takes long to search without care: few letters, which are also those of escapes. */
const HOSTILE = ['a', 'b', '\\', '"', '%', 'u', '0', '2', '5', '6', '1', '-']

/** Six letters give no base64 form, so that the brute force need not know it. */
function inventSecrets(random: Random): string[] {
  const letters = Array.from({ length: 1 + random(3) }, () => pick(random, HOSTILE))
  return Array.from({ length: 1 + random(3) }, () => Array.from({ length: 6 }, () => pick(random, letters)).join(''))
}

const WAYS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => JSON.stringify(text).slice(1, -1),
  encodeURIComponent,
  (text) => text.replace(/[\s\S]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`),
  (text) => text.replace(/[\s\S]/g, (one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`),
]

/** A secret, or a part of it, encoded up to four times; JSON and URLs are not encoded by turns more than once. */
function encode(random: Random, secret: string): string {
  const json = pick(random, [WAYS[0]!, WAYS[1]!, WAYS[3]!])
  const url = pick(random, [WAYS[0]!, WAYS[2]!, WAYS[4]!])
  let encoded = json(secret)
  for (let level = random(3); level > 0; level--) encoded = WAYS[1]!(encoded)
  encoded = url(encoded)
  for (let level = random(3); level > 0; level--) encoded = WAYS[2]!(encoded)
  return encoded
}

describe('redaction of hostile secrets in hostile replies', () => {
  it('is what brute force does, wherever a stream is cut', () => {
    const random = createRandom(33)
    for (let round = 0; round < 3_000; round++) {
      const secrets = inventSecrets(random)
      const reply = repeat(random, 6, () =>
        pick(random, [
          () => repeat(random, 12, () => pick(random, HOSTILE)),
          () => encode(random, pick(random, secrets)),
          () => encode(random, pick(random, secrets)).slice(0, 1 + random(12)),
          () => pick(random, secrets),
        ])(),
      )
      const redactor = new SecretRedactor(secrets)
      const expected = redactSlowly(secrets, reply)
      expect(redactor.redact(reply), JSON.stringify({ secrets, reply })).toBe(expected)
      const stream = redactor.stream()
      let shown = ''
      for (let at = 0; at < reply.length; ) {
        const next = at + 1 + random(9)
        shown += stream.push(reply.slice(at, next))
        at = next
      }
      expect(shown + stream.end(), JSON.stringify({ secrets, reply })).toBe(expected)
    }
  })

  it('removes each encoding of a secret and nothing around it', () => {
    const random = createRandom(34)
    const visible = Array.from({ length: 95 }, (_, at) => String.fromCharCode(0x20 + at))
    for (let round = 0; round < 2_000; round++) {
      const secret = Array.from({ length: 12 + random(60) }, () => pick(random, visible)).join('')
      const encoded = pick(random, [
        () => encode(random, secret),
        () => Buffer.from(secret).toString('base64').replace(/=*$/, ''),
        () => Buffer.from(secret).toString('base64url'),
      ])()
      // Letters that no encoding has.
      const around = (word: string) => `Ж${word}Ж `
      const text = around('vor') + encoded + around('nach')
      // A few characters of base64 hold bits of the text around them and stay.
      const [before, after] = new SecretRedactor([secret]).redact(text).split(REDACTED)
      expect([before, after?.slice(-'ЖnachЖ '.length)], JSON.stringify({ secret, text })).toEqual(['ЖvorЖ ', 'ЖnachЖ '])
      expect(after!.length, JSON.stringify({ secret, text })).toBeLessThanOrEqual('ЖnachЖ '.length + 1)
    }
  })

  it.each([
    ['of one another', ['abcdef', 'abcdefgh', 'cdefgh'], 'xabcdefghx abcdef cdefghx', 'x********x ******** ********x'],
    ['that overlap', ['abcdef', 'defghi', 'hijklm'], 'xabcdefghijklmx', 'x********x'],
    ['of one letter', ['a'.repeat(400)], `x${'a'.repeat(399)}x${'a'.repeat(1_000)}x`, `x${'a'.repeat(399)}x********x`],
    ['side by side', ['abcdef', 'ghijkl'], 'abcdefghijklabcdef', '************************'],
    [
      'of backslashes',
      [`${'\\'.repeat(14)}Z`],
      `${'\\'.repeat(60)}x ${'\\'.repeat(28)}Z`,
      `${'\\'.repeat(60)}x ********`,
    ],
    ['of percents', ['%41%42%43'], 'ABC %41%42%43 %2541%2542%2543', 'ABC ******** ********'],
  ])('knows secrets %s', (_, secrets, text, shown) => {
    expect(new SecretRedactor(secrets).redact(text)).toBe(shown)
  })

  const LENGTH = 180_000
  const fill = (piece: string) => piece.repeat(Math.ceil(LENGTH / piece.length)).slice(0, LENGTH)
  const SECRETS: readonly [string, string[]][] = [
    ['14 backslashes and a letter', [`${'\\'.repeat(14)}Z`]],
    ['400 times one letter', ['a'.repeat(400)]],
    ['4,096 times one letter', ['a'.repeat(4_096)]],
    ['one letter and another one at the end', [`${'a'.repeat(4_095)}b`, `${'a'.repeat(2_000)}c`]],
    ['4,096 backslashes', ['\\'.repeat(4_096)]],
    ['4,096 percents', ['%25'.repeat(1_365)]],
    ['many of one letter', Array.from({ length: 20 }, (_, at) => 'a'.repeat(100 + at * 37))],
  ]
  const REPLIES: readonly [string, string][] = [
    ['one letter', fill('a')],
    ['backslashes', fill('\\')],
    ['60 backslashes and a letter', fill(`${'\\'.repeat(60)}x`)],
    ['beginnings of a secret', fill(`${'a'.repeat(399)}x`)],
    ['percents', fill('%25')],
    ['letters of a URL', fill('%2561')],
    ['escapes of Unicode', fill('\\u0061')],
    ['base64 of one letter', fill('YWFh')],
  ]
  it.each(SECRETS)('does work that grows as the reply does: %s', (_, secrets) => {
    for (const [name, reply] of REPLIES) {
      const count = (text: string) => {
        const redactor = new SecretRedactor(secrets)
        const before = redactor.steps
        redactor.redact(text)
        return redactor.steps - before
      }
      const whole = count(reply)
      // 25 levels, two steps each on average, and a few more at nodes with several children.
      expect(whole, name).toBeLessThan(reply.length * 100)
      expect(whole, name).toBeLessThan(2.2 * count(reply.slice(0, LENGTH / 2)) + 100_000)
    }
  })

  it('needs less than a second for 64 kB', () => {
    for (const [, secrets] of SECRETS) {
      for (const [name, reply] of REPLIES) {
        const startedAt = process.cpuUsage()
        new SecretRedactor(secrets).redact(reply.slice(0, 65_536))
        const { user } = process.cpuUsage(startedAt)
        expect(user / 1e6, name).toBeLessThan(1)
      }
    }
  })
})
