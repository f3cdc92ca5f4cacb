import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { ApiError } from '@touchstone/contract'

/** 32 MiB and three passes, about 0.2 s: the OWASP recommendation for scrypt with this amount of memory. */
const COST = { N: 2 ** 15, r: 8, p: 3 }
const BYTES = 32

/** @returns the parameters, a random salt and the hash, as one text to store */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, COST)
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64'), hash.toString('base64')].join('$')
}

/** Whether the password is the one that was hashed. Without a hash it takes as long and returns false. */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [, N, r, p, salt = '', hash = ''] = (stored || NO_PASSWORD).split('$')
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  const given = await derive(password, Buffer.from(salt, 'base64'), cost)
  return timingSafeEqual(given, Buffer.from(hash, 'base64')) && Boolean(stored)
}

const NO_PASSWORD = [
  'scrypt',
  COST.N,
  COST.r,
  COST.p,
  'AAAAAAAAAAAAAAAAAAAAAA==',
  Buffer.alloc(BYTES).toString('base64'),
].join('$')

const MAX_AT_ONCE = 2
const MAX_WAITING = 64
let running = 0
const waiting: (() => void)[] = []

/** Runs two derivations at once, so that many sign-ins leave memory and threads for queries. */
async function derive(password: string, salt: Buffer, cost: typeof COST): Promise<Buffer> {
  if (running >= MAX_AT_ONCE) {
    if (waiting.length >= MAX_WAITING)
      throw new ApiError('RATE_LIMITED', 'Too many concurrent sign-ins. Try again shortly.')
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else running++
  try {
    return await new Promise((resolve, reject) => {
      // Different keyboards may encode the same characters differently.
      const options = { ...cost, maxmem: 256 * cost.N * cost.r }
      scrypt(password.normalize('NFKC'), salt, BYTES, options, (error, key) => (error ? reject(error) : resolve(key)))
    })
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}
