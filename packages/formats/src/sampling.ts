const MASK = (1n << 64n) - 1n
const PRIME_1 = 0x9e3779b185ebca87n
const PRIME_2 = 0xc2b2ae3d27d4eb4fn
const PRIME_4 = 0x85ebca77c2b2ae63n

/** The first 64 bytes of the algorithm's default secret, as little-endian words. */
const SECRET = [
  0xbe4ba423396cfeb8n,
  0x1cad21f72c81017cn,
  0xdb979083e96dd4den,
  0x1f67b3b7a4a44072n,
  0x78e5c0cc4ee679cbn,
  0x2172ffcc7dd05a82n,
  0x8e2443f7744608b8n,
  0x4c263a81e69035e0n,
]

/**
 * XXH3-128 with seed 0, only for the length range of ids written as text: other lengths use other branches of the
 * algorithm.
 *
 * @param bytes  33 to 64 bytes
 * @see https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md
 */
export function xxh3(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const length = bytes.length
  const word = (at: number) => view.getBigUint64(at, true)
  const fold = (at: number, secret: number) => {
    const product = (word(at) ^ SECRET[secret]!) * (word(at + 8) ^ SECRET[secret + 1]!)
    return (product & MASK) ^ (product >> 64n)
  }
  const sum = (at: number) => word(at) + word(at + 8)
  let low = (BigInt(length) * PRIME_1) & MASK
  let high = 0n
  for (const from of [16, 0]) {
    const to = length - from - 16
    low = ((low + fold(from, from / 4)) & MASK) ^ (sum(to) & MASK)
    high = ((high + fold(to, from / 4 + 2)) & MASK) ^ (sum(from) & MASK)
  }
  const mixed = low * PRIME_1 + high * PRIME_4 + BigInt(length) * PRIME_2
  return ((-avalanche(mixed & MASK) & MASK) << 64n) | avalanche((low + high) & MASK)
}

function avalanche(hash: bigint): bigint {
  const mixed = ((hash ^ (hash >> 37n)) * 0x165667919e3779f9n) & MASK
  return mixed ^ (mixed >> 32n)
}

/**
 * A number in [0, 1) by a text, for example by the id of a trace: uniform over random ids, and the same in every process. A rate
 * above it includes the trace. The public clients use the same arithmetic.
 *
 * @param bytes  33 to 64 bytes in UTF-8; another length is 0
 */
export function toFraction(bytes: Uint8Array): number {
  return bytes.length < 33 || bytes.length > 64 ? 0 : Number(xxh3(bytes) % 1_000_000n) / 1_000_000
}
