import { describe, expect, it } from 'vitest'
import { isSampled, xxh3 } from './sampling.ts'

/** Made by `xxhash.xxh3_128_intdigest` of Python's `xxhash` 3. */
const DIGESTS: [string, bigint][] = [
  ['01234567-89ab-7def-8123-456789abcdef', 0x1ead724a9633835feca8d36b8ad030cbn],
  ['ffffffff-ffff-ffff-ffff-ffffffffffff', 0xba46349ab61ce5c8816cd02763ecd05dn],
  ['00000000-0000-0000-0000-000000000000', 0x33338c298dfbe459119066baeeeb08e8n],
  ['a'.repeat(33), 0x4adbb9e505f53542db6e70d501f31eb2n],
  ['b'.repeat(64), 0x2496c776a285dabb57db015d710f9013n],
]

describe('the hash of an id', () => {
  it.each(DIGESTS)('of %s is what the reference implementation makes of it', (text, digest) => {
    expect(xxh3(new TextEncoder().encode(text))).toBe(digest)
  })
})

describe('sampling', () => {
  it('decides as the public clients do, ignoring case', () => {
    // 0.159947 of the range.
    const id = '01234567-89ab-7def-8123-456789abcdef'
    expect([0.159947, 0.159948].map((rate) => isSampled(id, rate))).toEqual([false, true])
    expect(isSampled(id.toUpperCase(), 0.159948)).toBe(true)
  })

  it('keeps everything at 1 and nothing at 0', () => {
    const ids = Array.from({ length: 100 }, () => crypto.randomUUID())
    expect(ids.every((id) => isSampled(id, 1) && isSampled(id, undefined) && !isSampled(id, 0))).toBe(true)
  })

  it('keeps about the share that was asked for', () => {
    const kept = Array.from({ length: 10_000 }, () => isSampled(crypto.randomUUID(), 0.3)).filter(Boolean).length
    expect(kept).toBeGreaterThan(2_700)
    expect(kept).toBeLessThan(3_300)
  })
})
