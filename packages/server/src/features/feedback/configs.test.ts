import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const { feedback, feedbackConfigs: routes } = contract
const STARS = { type: 'continuous', min: 0, max: 5 }
const TONE = {
  type: 'categorical',
  categories: [
    { value: 1, label: 'polite' },
    { value: 0, label: 'rude' },
  ],
}
const aKey = () => `key-${uuid7()}`
const create = (feedback_key: string, feedback_config: object, more: object = {}) =>
  app.call(routes.create, { body: { feedback_key, feedback_config, ...more } })
const configOf = async (key: string) => (await app.call(routes.list, { query: { key } })).body[0]
const give = async (body: object) => (await app.call(feedback.create, { body: { run_id: uuid7(), ...body } })).body

describe('feedback configs', () => {
  it('are created once: the same again is fine, another is refused', async () => {
    const key = aKey()
    const created = await create(key, STARS, { is_lower_score_better: true })
    expect(created.body).toMatchObject({
      feedback_key: key,
      feedback_config: { ...STARS, categories: null },
      is_lower_score_better: true,
    })
    const same = await create(key, { ...STARS, categories: null }, { is_lower_score_better: true })
    expect([same.status, same.body]).toEqual([200, created.body])
    expect((await create(key, STARS)).body).toEqual(created.body) // without a direction the key keeps its own
    expect((await create(key, { ...STARS, max: 10 })).status).toBe(400)
    expect(await configOf(key)).toEqual(created.body)
  })

  it('are listed by key, a page at a time, and found by name', async () => {
    const word = uuid7()
    for (const letter of ['b', 'a', 'C_']) await create(`${letter}-${word}`, STARS)
    const keys = async (query: Record<string, string | string[]>) =>
      (await app.call(routes.list, { query })).body.map((one) => one.feedback_key[0])
    expect((await keys({ name_contains: word.toUpperCase() })).sort()).toEqual(['C', 'a', 'b'])
    expect(await keys({ key: [`a-${word}`, `b-${word}`], read_after_write: 'True' })).toEqual(['a', 'b'])
    expect(await keys({ key: [`a-${word}`, `b-${word}`], sort_by_desc: 'true', limit: '1' })).toEqual(['b'])
    expect(await keys({ name_contains: word, offset: '3' })).toEqual([])
    expect(await keys({ name_contains: '_-' })).toEqual(['C'])
    expect(await keys({ name_contains: '\0' })).toEqual([])
  })

  it('are changed in part', async () => {
    const key = aKey()
    await create(key, STARS)
    const update = (body: object) => app.call(routes.update, { body: { feedback_key: key, ...body } })
    expect((await update({ is_lower_score_better: true })).body).toMatchObject({
      feedback_config: STARS,
      is_lower_score_better: true,
    })
    expect((await update({ feedback_config: TONE, is_lower_score_better: null })).body).toMatchObject({
      feedback_config: TONE,
      is_lower_score_better: true,
    })
    expect((await app.call(routes.update, { body: { feedback_key: aKey() } })).text).toContain('not found')
  })

  it('are deleted without their feedback, and can be created again', async () => {
    const key = aKey()
    await create(key, STARS)
    const given = await give({ key, score: 3 })
    const remove = () => app.fetch(`/api/v1/feedback-configs?feedback_key=${key}`, { method: 'DELETE' })
    expect((await remove()).status).toBe(204)
    expect(await configOf(key)).toBeUndefined()
    expect((await remove()).status).toBe(404)
    expect((await app.call(feedback.read, { params: { feedback_id: given.id } })).status).toBe(200)
    expect((await create(key, TONE)).body.feedback_config).toMatchObject(TONE)
  })

  it.each(['feedback_config', 'feedbackConfig'])(
    'come along with feedback as %s when the key is new',
    async (field) => {
      const key = aKey()
      await give({ key, score: 1, [field]: TONE })
      await give({ key, score: 1, [field]: STARS })
      expect((await configOf(key))?.feedback_config).toMatchObject(TONE)
    },
  )

  it('fill in the half of categorical feedback that is missing', async () => {
    const key = aKey()
    await create(key, TONE)
    expect(await give({ key, score: 1 })).toMatchObject({ score: 1, value: 'polite' })
    expect(await give({ key, score: false })).toMatchObject({ score: 0, value: 'rude' })
    const rude = await give({ key, value: 'rude' })
    expect(rude).toMatchObject({ score: 0, value: 'rude' })
    expect(await give({ key, score: 7 })).toMatchObject({ score: 7, value: null })
    expect(await give({ key, value: 'odd' })).toMatchObject({ score: null, value: 'odd' })
    expect(await give({ key, score: 5, value: 'rude' })).toMatchObject({ score: 5, value: 'rude' })
    const changed = await app.call(feedback.update, { params: { feedback_id: rude.id }, body: { score: 1 } })
    expect(changed.body).toMatchObject({ score: 1, value: 'polite' })
  })

  it('refuse a range that ends before it begins, naming the field', async () => {
    const key = aKey()
    const upsideDown = { type: 'continuous', min: 5, max: 0 }
    const refused = await create(key, upsideDown)
    expect(refused.status).toBe(400)
    expect(JSON.parse(refused.text).detail).toEqual([
      expect.objectContaining({ loc: ['body', 'feedback_config', 'min'], msg: 'is greater than max' }),
    ])
    await create(key, STARS)
    const body = { feedback_key: key, feedback_config: upsideDown }
    expect((await app.call(routes.update, { body })).status).toBe(400)
    expect((await give({ key, score: 3, feedback_config: upsideDown })).key).toBe(key)
  })
})

describe('the use of feedback keys', () => {
  it('is counted over runs and projects, most used first, deleted feedback left out', async () => {
    const other = await startApp()
    const give = async (body: object) =>
      (await other.call(feedback.create, { body: { run_id: uuid7(), ...body } })).body
    const [project] = (await other.call(contract.projects.list)).body
    for (const score of [0, 1, 1]) await give({ key: 'often', score })
    await give({ key: 'once', run_id: null, session_id: project!.id, score: 1 })
    const gone = await give({ key: 'gone', score: 1 })
    await other.call(feedback.delete, { params: { feedback_id: gone.id } })
    const { body } = await other.call(routes.usage)
    await other.close()
    expect(body).toMatchObject({
      has_more: false,
      keys: [
        { feedback_key: 'often', feedback_count: 3 },
        { feedback_key: 'once', feedback_count: 1 },
      ],
    })
    expect(Math.abs(Date.parse(body.keys[0]!.last_given_at) - Date.now())).toBeLessThan(60_000)
  })
})
