import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { ApiError } from '@touchstone/contract'

/** 32 MiB and three passes, about 0.2 s: what OWASP names for scrypt where memory is shared with other work. */
const COST = { N: 2 ** 15, r: 8, p: 3 }
const BYTES = 32

/** @returns text to store: the parameters, a salt of its own, and the hash */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, COST)
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64'), hash.toString('base64')].join('$')
}

/** Whether the password is the one that was hashed. Without a hash it takes as long, and is not. */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [, N, r, p, salt, hash] = (stored || ABSENT).split('$')
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  const given = await derive(password, Buffer.from(salt!, 'base64'), cost)
  return timingSafeEqual(given, Buffer.from(hash!, 'base64')) && Boolean(stored)
}

const ABSENT = [
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

/** Two at once, so that a flood of passwords takes neither the memory nor the threads that queries need. */
async function derive(password: string, salt: Buffer, cost: typeof COST): Promise<Buffer> {
  if (running >= MAX_AT_ONCE) {
    if (waiting.length >= MAX_WAITING)
      throw new ApiError('RATE_LIMITED', 'Too many sign in at once; try again shortly.')
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else running++
  try {
    return await new Promise((resolve, reject) => {
      // The same characters typed on another keyboard may come in another form.
      const options = { ...cost, maxmem: 256 * cost.N * cost.r }
      scrypt(password.normalize('NFKC'), salt, BYTES, options, (error, key) => (error ? reject(error) : resolve(key)))
    })
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}
