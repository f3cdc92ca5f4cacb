import { contract, type FeedbackToken, uuid7 } from '@touchstone/contract'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

const HOUR = 60 * 60 * 1000
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const { feedback, feedbackTokens: routes } = contract

let app: StartedApp
let nowMs: number
let started: Promise<StartedApp> | undefined
beforeEach(async () => {
  nowMs = Date.now() // versions of rows follow this clock, so it never goes back below the real one
  started ??= startApp({ clock: () => nowMs })
  app = await started
  nowMs += 61_000 * Math.ceil(performance.now()) // a new minute of the rate limits for each test
})
afterAll(() => app.close())

const ORIGIN = { origin: 'https://customer.example' }

async function aToken(fields: object = {}): Promise<FeedbackToken & { run_id: string }> {
  const run_id = uuid7()
  const { status, body } = await app.call(routes.create, { body: { run_id, feedback_key: 'vote', ...fields } })
  expect(status).toBe(200)
  return { ...(body as FeedbackToken), run_id }
}

const pathOf = ({ url }: FeedbackToken) => new URL(url).pathname
const useByGet = (token: FeedbackToken, query: string) => app.fetch(`${pathOf(token)}?${query}`, { headers: ORIGIN })
const use = (token: FeedbackToken, body: object | string) =>
  app.fetch(pathOf(token), {
    method: 'POST',
    headers: { ...ORIGIN, 'content-type': 'application/json', 'x-api-key': 'placeholder', 'x-tenant-id': uuid7() },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const feedbackOn = async (runId: string) => (await app.call(feedback.list, { query: { run: runId } })).body
const expiryIn = ({ expires_at }: FeedbackToken) => (Date.parse(expires_at) - nowMs) / HOUR

describe('making feedback tokens', () => {
  it('gives a URL of this server that ends in a UUID, for three hours', async () => {
    const token = await aToken()
    expect(token.url).toMatch(UUID)
    expect(token.url.endsWith(token.id)).toBe(true)
    expect(token.url.startsWith(`${app.url}/api/v1/feedback/tokens/`)).toBe(true)
    expect(token.feedback_key).toBe('vote')
    expect(expiryIn(token)).toBeCloseTo(3)
  })

  it('accepts an expiry time or delta, prefers the time, and rejects times in the past', async () => {
    expect(expiryIn(await aToken({ expires_in: { days: 1, hours: 2, minutes: 30 }, expires_at: null }))).toBeCloseTo(
      26.5,
    )
    const expires_at = new Date(nowMs + HOUR).toISOString()
    expect(expiryIn(await aToken({ expires_at, expires_in: { days: 9 } }))).toBeCloseTo(1)
    for (const bad of [{ expires_at: '2020-01-01T00:00:00Z' }, { expires_in: {} }, { expires_in: { days: 1e12 } }]) {
      const body = { run_id: uuid7(), feedback_key: 'k', ...bad }
      expect((await app.call(routes.create, { body })).status).toBe(400)
    }
  })

  it('creates several links at once, and lists the valid ones, newest first', async () => {
    const run_id = uuid7()
    const toRequest = (feedback_key: string, hours: number) => ({
      run_id,
      feedback_key,
      expires_in: { hours },
      expires_at: null,
    })
    const made = await app.call(routes.create, { body: [toRequest('a', 1), toRequest('b', 5)] })
    expect((made.body as FeedbackToken[]).map((token) => token.feedback_key)).toEqual(['a', 'b'])
    nowMs += 1000
    const last = await app.call(routes.create, { body: toRequest('c', 5) })
    const list = async (query: Record<string, string> = {}) =>
      (await app.call(routes.list, { query: { run_id, ...query } })).body

    expect(await list({ limit: '1' })).toEqual([last.body])
    expect((await list()).map((token) => token.feedback_key).sort()).toEqual(['a', 'b', 'c'])
    expect(await list()).toContainEqual((made.body as FeedbackToken[])[1])
    nowMs += 2 * HOUR
    expect((await list()).map((token) => token.feedback_key).sort()).toEqual(['b', 'c'])
    expect(await list({ offset: '2' })).toEqual([])
  })

  it('records a config for a new key', async () => {
    const feedback_key = `tone-${uuid7()}`
    const feedback_config = { type: 'categorical', categories: [{ value: 1, label: 'good' }] }
    const token = await aToken({ feedback_key, feedback_config })
    await useByGet(token, 'score=1')
    expect(await feedbackOn(token.run_id)).toMatchObject([{ score: 1, value: 'good' }])
  })
})

describe('using a feedback token', () => {
  it('works from another origin without a key, by GET and POST, on one record', async () => {
    const id = uuid7()
    const token = await aToken({ id })

    const got = await useByGet(token, 'score=1&value=up&comment=nice%20one&correction=x&extend_trace_retention=true')
    expect(got.status).toBe(200)
    expect(got.headers.get('access-control-allow-origin')).toBe('*')
    expect(await feedbackOn(token.run_id)).toMatchObject([
      {
        id,
        key: 'vote',
        score: 1,
        value: 'up',
        comment: 'nice one',
        correction: 'x',
        feedback_source: { type: 'api' },
      },
    ])

    const posted = await use(token, { score: false, comment: null, correction: { a: 1 }, metadata: { page: 7 } })
    expect(await posted.json()).toEqual({ message: 'Feedback recorded' })
    expect(await feedbackOn(token.run_id)).toMatchObject([
      {
        id,
        score: 0,
        value: 'up',
        comment: 'nice one',
        correction: { a: 1 },
        feedback_source: { type: 'api', metadata: { page: 7 } },
      },
    ])
  })

  it('responds to the preflight request of a browser', async () => {
    const answer = await app.fetch(pathOf(await aToken()), {
      method: 'OPTIONS',
      headers: { ...ORIGIN, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
    })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-methods')).toContain('POST')
  })

  it.each([
    ['score=0.5', { score: 0.5 }],
    ['score=True', { score: 1 }],
    ['value=false', { value: false }],
    ['value=3', { value: 3 }],
    ['value=007', { value: '007' }],
    ['comment=only', { comment: 'only', score: null }],
    ['comment=a%00b&value=c%00', { comment: 'a\ufffdb', value: 'c\ufffd' }],
  ])('reads the query %s', async (query, expected) => {
    const token = await aToken()
    expect((await useByGet(token, query)).status).toBe(200)
    expect(await feedbackOn(token.run_id)).toMatchObject([expected])
  })

  it.each(['', 'score=NaN', 'score=Infinity', 'score=much', 'utm_source=mail'])(
    'rejects the query "%s" and records nothing',
    async (query) => {
      const token = await aToken()
      expect((await useByGet(token, query)).status).toBe(400)
      expect((await use(token, {})).status).toBe(400)
      expect(await feedbackOn(token.run_id)).toEqual([])
    },
  )

  it('writes only to its run and key', async () => {
    const [token, other] = [await aToken(), uuid7()]
    await use(token, { score: 1, run_id: other, key: 'salary', id: uuid7(), feedback_source: { type: 'model' } })
    expect(await feedbackOn(other)).toEqual([])
    expect(await feedbackOn(token.run_id)).toMatchObject([{ key: 'vote', feedback_source: { type: 'api' } }])
  })

  it('is rejected when it is expired, revoked or unknown', async () => {
    const [expiring, revoked] = [await aToken({ expires_in: { minutes: 1 } }), await aToken()]
    const revoke = () => app.fetch(pathOf(revoked), { method: 'DELETE' })
    nowMs += 60_000

    expect((await useByGet(expiring, 'score=1')).status).toBe(403)
    expect((await revoke()).status).toBe(200)
    expect((await revoke()).status).toBe(404)
    const gone = await useByGet(revoked, 'score=1')
    const unknown = await use({ ...revoked, url: revoked.url.replace(UUID, uuid7()) }, { score: 1 })
    expect([gone.status, unknown.status]).toEqual([404, 404])
    expect(((await gone.json()) as { detail: string }).detail).toEqual(
      ((await unknown.json()) as { detail: string }).detail,
    )
    expect((await app.fetch('/feedback/tokens/not-a-uuid?score=1')).status).toBe(404)
    expect(await feedbackOn(revoked.run_id)).toEqual([])
  })

  it('is limited per link and per address, with a Retry-After header', async () => {
    const token = await aToken()
    const statuses: number[] = []
    for (let at = 0; at < 31; at++) statuses.push((await useByGet(token, 'score=1')).status)
    expect(statuses.slice(0, 30).every((status) => status === 200)).toBe(true)
    const over = await useByGet(token, 'score=1')
    expect([statuses[30], over.status]).toEqual([429, 429])
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0)

    const guesses = new Set<number>()
    const guess = async () => guesses.add((await app.fetch(`/feedback/tokens/${uuid7()}?score=1`)).status)
    for (let round = 0; round < 60; round++) await Promise.all(Array.from({ length: 50 }, guess))
    expect(guesses).toEqual(new Set([404, 429]))
    nowMs += 60_000
    expect((await useByGet(token, 'score=1')).status).toBe(200)
    // 3,000 requests take half a minute beside other work.
  }, 120_000)
})
