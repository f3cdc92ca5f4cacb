import { describe, expect, it } from 'vitest'
import { xxh3 } from './sampling.ts'

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
