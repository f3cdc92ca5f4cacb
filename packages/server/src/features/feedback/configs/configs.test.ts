import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorkspace } from '../../../testing/a-workspace.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

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
  it('are created once: an equal config is accepted, a different one is rejected', async () => {
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
    const other = await create(key, { ...STARS, max: 10 })
    expect([other.status, other.text]).toEqual([400, expect.stringContaining('Feedback config already exists')])
    expect(await configOf(key)).toEqual(created.body)
  })

  it('are listed by key in pages, and found by name', async () => {
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

  it('are not changed when they were changed since they were read', async () => {
    const key = aKey()
    const { body: read } = await create(key, TONE)
    const update = (body: object) => app.call(routes.update, { body: { feedback_key: key, ...body } })
    const { feedback_config } = read
    expect((await update({ feedback_config: STARS, expected: { feedback_config } })).status).toBe(200)
    const late = await update({ feedback_config: { type: 'freeform' }, expected: { feedback_config } })
    expect(late.status).toBe(409)
    expect(late.body).toMatchObject({ detail: [{ loc: ['body', 'feedback_config'], type: 'changed' }] })
    const lower = { is_lower_score_better: true, expected: { is_lower_score_better: false } }
    expect((await update(lower)).status).toBe(200)
    expect((await update(lower)).status).toBe(409)
    expect((await update({ feedback_config: { type: 'freeform' }, expected: { feedback_config: STARS } })).status).toBe(
      200,
    )
    expect((await update({ feedback_config: TONE })).status).toBe(200)
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

  it('complete the missing score or label of categorical feedback', async () => {
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

  it('reject a range that ends before it begins, and name the field', async () => {
    const key = aKey()
    const upsideDown = { type: 'continuous', min: 5, max: 0 }
    const rejected = await create(key, upsideDown)
    expect(rejected.status).toBe(400)
    expect(JSON.parse(rejected.text).detail).toEqual([
      expect.objectContaining({ loc: ['body', 'feedback_config', 'min'], msg: 'is greater than max' }),
    ])
    await create(key, STARS)
    const body = { feedback_key: key, feedback_config: upsideDown }
    expect((await app.call(routes.update, { body })).status).toBe(400)
    expect((await give({ key, score: 3, feedback_config: upsideDown })).key).toBe(key)
  })
})

describe('an enforced feedback config', () => {
  const list = async (query: Record<string, string>) => (await app.call(routes.list, { query })).body

  it('exists together with the config of its key, takes precedence, and shares its direction', async () => {
    const key = aKey()
    const own = (await create(key, STARS, { is_lower_score_better: true })).body
    expect(own).toMatchObject({ is_enforced: false, is_first: true, is_deleted: false })
    const enforced = (await create(key, TONE, { is_enforced: true })).body
    expect(enforced).toMatchObject({ is_enforced: true, is_first: false, is_lower_score_better: true })

    expect((await create(key, TONE, { is_enforced: true })).body).toEqual(enforced)
    expect((await create(key, STARS, { is_enforced: true })).status).toBe(409)
    expect((await create(key, STARS, { is_enforced: false })).body).toEqual(own)
    expect((await create(key, { type: 'freeform' })).status).toBe(400)

    expect((await list({ key })).map(({ id }) => id)).toEqual([enforced.id])
    expect((await list({ key, is_enforced: 'False' })).map(({ id }) => id)).toEqual([own.id])
    expect((await list({ key, include_all_configs: 'True' })).map(({ id }) => id)).toEqual([enforced.id, own.id])
    expect(await give({ key, score: 1 })).toMatchObject({ value: 'polite' })
  })

  it('is changed by default, and each config by its id', async () => {
    const key = aKey()
    const own = (await create(key, STARS)).body
    const enforced = (await create(key, TONE, { is_enforced: true })).body
    const update = (body: object) => app.call(routes.update, { body: { feedback_key: key, ...body } })
    expect((await update({ feedback_config: { type: 'freeform' } })).body.id).toBe(enforced.id)
    expect((await update({ id: own.id, is_lower_score_better: true })).body).toMatchObject({
      id: own.id,
      feedback_config: STARS,
    })
    expect((await configOf(key))?.is_lower_score_better).toBe(true)
    expect((await update({ id: uuid7(), is_lower_score_better: true })).status).toBe(404)

    const remove = (query: string) => app.fetch(`/api/v1/feedback-configs?${query}`, { method: 'DELETE' })
    expect((await remove(`id=${enforced.id}`)).status).toBe(204)
    expect((await configOf(key))?.id).toBe(own.id)
    expect((await remove(`id=${enforced.id}`)).status).toBe(404)
    expect((await remove(`id=${own.id}&feedback_key=${key}`)).status).toBe(400)
    expect((await remove('')).status).toBe(400)
    await create(key, TONE, { is_enforced: true })
    expect((await remove(`feedback_key=${key}`)).status).toBe(204)
    expect(await list({ key })).toEqual([])
    expect((await list({ key, include_all_configs: 'true' })).map((one) => one.is_deleted)).toEqual([true, true, true])
  })

  it('is restricted to admins', async () => {
    const other = await startApp()
    const { headers, memberHeaders } = await aWorkspace(other)
    const body = { feedback_key: 'tone', feedback_config: TONE, is_enforced: true }
    expect((await other.call(routes.create, { body, headers: memberHeaders })).status).toBe(403)
    const { id } = (await other.call(routes.create, { body, headers })).body
    const change = { feedback_key: 'tone', is_lower_score_better: true }
    expect((await other.call(routes.update, { body: change, headers: memberHeaders })).status).toBe(403)
    const remove = (query: Record<string, string>, headers: Readonly<Record<string, string>>) =>
      other.call(routes.delete, { query, headers })
    expect((await remove({ id }, memberHeaders)).status).toBe(403)
    expect((await remove({ feedback_key: 'tone' }, memberHeaders)).status).toBe(403)
    expect((await remove({ id }, (await aWorkspace(other)).headers)).status).toBe(404)
    expect((await remove({ id }, headers)).status).toBe(204)
    await other.close()
  })

  it('is created once by concurrent requests', async () => {
    const key = aKey()
    const created = await Promise.all(
      Array.from({ length: 8 }, (_, at) => create(key, at % 2 ? TONE : STARS, { is_enforced: at % 4 > 1 })),
    )
    expect(created.filter(({ status }) => status >= 500)).toEqual([])
    const kinds = (await list({ key, include_all_configs: 'true' })).map((one) => one.is_enforced)
    expect(kinds.filter(Boolean)).toHaveLength(1)
    expect(kinds.length).toBeLessThanOrEqual(2)
  })
})

describe('categories of a feedback config', () => {
  const update = (feedback_key: string, body: object) => app.call(routes.update, { body: { feedback_key, ...body } })

  it('are added and removed without other changes', async () => {
    const key = aKey()
    await create(key, { ...TONE, allows_multiple_categories: true })
    const added = await update(key, { add_categories: [{ value: 2, label: 'warm' }] })
    expect(added.body.feedback_config).toMatchObject({
      allows_multiple_categories: true,
      categories: [...TONE.categories, { value: 2, label: 'warm' }],
    })
    const removed = await update(key, { remove_categories: [0, 7] })
    expect(removed.body.feedback_config.categories?.map(({ value }) => value)).toEqual([1, 2])
    const renamed = await update(key, { remove_categories: [2], add_categories: [{ value: 2, label: 'friendly' }] })
    expect(renamed.body.feedback_config.categories?.at(-1)).toEqual({ value: 2, label: 'friendly' })
  })

  it.each([
    ['a value that is there already', { add_categories: [{ value: 1, label: 'new' }] }],
    ['a label that is there already', { add_categories: [{ value: 5, label: 'rude' }] }],
    ['the same value twice', { add_categories: [{ value: 5 }, { value: 5 }] }],
    ['a removal that leaves one', { remove_categories: [1] }],
  ])('are not changed by %s', async (_, body) => {
    const key = aKey()
    await create(key, TONE)
    expect((await update(key, body)).status).toBe(422)
    expect((await configOf(key))?.feedback_config).toMatchObject(TONE)
  })

  it('belong to categorical configs only', async () => {
    const key = aKey()
    await create(key, STARS)
    expect((await update(key, { add_categories: [{ value: 1 }] })).status).toBe(422)
    expect((await update(aKey(), { add_categories: [{ value: 1 }] })).status).toBe(404)
    expect((await create(aKey(), { ...STARS, allows_multiple_categories: true })).status).toBe(400)
  })
})

describe('the use of feedback keys', () => {
  it('is counted over runs and projects, most used first, without deleted feedback', async () => {
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
