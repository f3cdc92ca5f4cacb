import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quickPasswords } from '../support/quick-passwords.ts'
import { type StartedServer, startServer } from '../support/start-server.ts'

const ADA = { email: 'ada@example.org', password: 'correct horse' }
const LIMIT = 10

// The tests speak through a trusted proxy, so each can come from addresses of its own.
let server: StartedServer
/** It trusts no proxy and is not set up. */
let empty: StartedServer
beforeAll(async () => {
  empty = await startServer({ env: { ...quickPasswords, TOUCHSTONE_SETUP_CODE: 'another-code' } })
  server = await startServer({
    env: { ...quickPasswords, TOUCHSTONE_TRUSTED_PROXIES: '127.0.0.1', TOUCHSTONE_SETUP_CODE: 'a-code-of-ours' },
  })
  const body = JSON.stringify({ ...ADA, workspace_name: 'Acme', project_name: 'bot', code: 'a-code-of-ours' })
  expect((await fetch(`${server.url}/auth/setup`, { method: 'POST', body })).status).toBe(200)
})
afterAll(async () => {
  await server?.stop()
  await empty?.stop()
})

let addresses = 0
const anAddress = () => `198.51.${Math.floor(++addresses / 250)}.${(addresses % 250) + 1}`

interface From {
  readonly address: string
  readonly email?: string
  readonly cookie?: string
}

const signIn = (password: string, { address, email = ADA.email, cookie }: From) =>
  fetch(`${server.url}/auth/login`, {
    method: 'POST',
    headers: { 'x-forwarded-for': address, ...(cookie !== undefined && { cookie }) },
    body: JSON.stringify({ email, password }),
  })

const guess = async (from: From) => (await signIn('wrong horse', from)).status
const guessTimes = async (times: number, from: From) =>
  (await Promise.all(Array.from({ length: times }, () => guess(from)))).filter((status) => status === 401).length

const cookiesOf = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')

describe('B13: guessing passwords', () => {
  it('gets no more guesses by sending them all at once', async () => {
    expect(await guessTimes(120, { address: anAddress(), email: 'grace@example.org' })).toBe(LIMIT)
  })

  it('gets no more guesses by naming many people', async () => {
    const address = anAddress()
    const statuses = await Promise.all(
      Array.from({ length: 120 }, (_, at) => guess({ address, email: `unknown${at}@example.org` })),
    )
    expect(statuses.filter((status) => status === 401)).toHaveLength(50)
  })

  it('gets no more guesses by naming addresses where no trusted proxy does', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 60 }, () =>
        fetch(`${empty.url}/auth/login`, {
          method: 'POST',
          headers: { 'x-forwarded-for': anAddress() },
          body: JSON.stringify({ email: ADA.email, password: 'wrong horse' }),
        }).then(({ status }) => status),
      ),
    )
    expect(statuses.filter((status) => status === 401)).toHaveLength(LIMIT)
  })

  it('does not lock the owner out: neither at an address of their own nor at that of the guesser', async () => {
    const known = await signIn(ADA.password, { address: anAddress() })
    const cookie = cookiesOf(known)
      .split('; ')
      .find((pair) => pair.startsWith('touchstone_device_'))!
    const guessers = Array.from({ length: 8 }, anAddress)
    await Promise.all(guessers.map((address) => guessTimes(20, { address })))
    const address = guessers[0]!

    expect(await guess({ address })).toBe(429)
    expect((await signIn(ADA.password, { address })).status).toBe(429)
    expect((await signIn(ADA.password, { address, cookie })).status).toBe(200)
    const fresh = anAddress()
    expect([await guess({ address: fresh }), await guess({ address: fresh })]).toEqual([401, 401])
    expect((await signIn(ADA.password, { address: fresh })).status).toBe(200)
  })

  it('leaves fewer guesses to each address once a name is guessed from many', async () => {
    const email = 'linus@example.org'
    for (let at = 0; at < 3; at++) await guessTimes(20, { address: anAddress(), email })
    expect(await guessTimes(20, { address: anAddress(), email })).toBe(3)
  })

  it('gives a browser that is known no more guesses than others, and nothing to one that pretends to be', async () => {
    const address = anAddress()
    const [pair] = cookiesOf(await signIn(ADA.password, { address }))
      .split('; ')
      .slice(-1)
    expect(await guessTimes(40, { address: anAddress(), cookie: pair! })).toBe(LIMIT)
    const forged = pair!.replace(/.{8}$/, 'AAAAAAAA')
    const other = anAddress()
    await guessTimes(40, { address: other, cookie: forged })
    expect((await signIn(ADA.password, { address: other, cookie: forged })).status).toBe(429)
  })

  it('of a set-up code ends too, also when all guesses come at once', async () => {
    const body = JSON.stringify({ ...ADA, workspace_name: 'Acme', project_name: 'bot', code: 'guessed-code' })
    const statuses = await Promise.all(
      Array.from({ length: 90 }, () =>
        fetch(`${empty.url}/auth/setup`, { method: 'POST', body }).then(({ status }) => status),
      ),
    )
    expect(statuses.filter((status) => status === 403)).toHaveLength(30)
    expect(statuses.filter((status) => status === 429)).toHaveLength(60)
  })
})
