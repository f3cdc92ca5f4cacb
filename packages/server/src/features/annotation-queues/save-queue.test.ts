import { contract, uuid7 } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import { aQueue, someRuns } from '../../testing/a-queue.ts'
import { aQueueApp } from '../../testing/a-queue-app.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'

const { annotationQueues: routes } = contract

describe.each(relationalEngines(import.meta.filename))('an annotation queue on %s', (_, open) => {
  const fixture = aQueueApp(open)
  const { read, update, list, listRuns, say } = fixture

  it('is created without its rubric in the response, and read with it', async () => {
    const rubric = '[{"feedback_key":"correctness","score_descriptions":{"1":"right","0":"wrong"},"of_later":1e400}]'
    const id = uuid7()
    const created = await fixture.app.call(routes.create, {
      body: `{"id":"${id}","name":"bad answers","rubric_instructions":"Check.","rubric_items":${rubric},"metadata":{"z":12345678901234567890,"a":1}}`,
    })
    expect(created.status).toBe(200)
    expect(created.body).toMatchObject({
      id,
      name: 'bad answers',
      description: null,
      queue_type: 'single',
      default_dataset: null,
      num_reviewers_per_item: 1,
      enable_reservations: true,
      reservation_minutes: 1,
      reviewer_access_mode: 'any',
      source_rule_id: null,
      run_rule_id: null,
      assigned_reviewers: [],
    })
    expect(created.text).toContain('"metadata":{"z":12345678901234567890,"a":1}')
    expect(created.body).not.toHaveProperty('rubric_instructions')
    expect(created.body).not.toHaveProperty('rubric_items')
    const found = await read(id)
    expect(found.body.rubric_instructions).toBe('Check.')
    expect(found.text).toContain(`"rubric_items":${rubric}`)
    expect((await fixture.app.call(routes.create, { body: { id, name: 'again' } })).status).toBe(409)
  })

  it('returns its rubric in order with the config of each item, and ignores configs in writes', async () => {
    const [plain, deleted] = [`plain-${uuid7()}`, `deleted-${uuid7()}`]
    const config = (feedback_key: string, more: object = {}) =>
      fixture.app.call(contract.feedbackConfigs.create, {
        body: { feedback_key, feedback_config: { type: 'freeform' }, ...more },
      })
    const used = (await config(plain)).body
    const gone = (await config(deleted)).body
    const visible_if = { join: 'any', rules: [{ key: plain, op: 'is_one_of', values: [1, 2] }] }
    const rubric_items = [
      { feedback_key: plain, regex_validator: '^a', is_assertion: true, feedback_config: { type: 'anything' } },
      { feedback_key: 'none', visible_if, required_if: visible_if },
      { feedback_key: deleted, feedback_config_id: gone.id },
    ]
    const id = await aQueue(fixture.app, { rubric_items })
    await fixture.app.fetch(`/feedback-configs?id=${gone.id}`, { method: 'DELETE' })
    const first = (await read(id)).body.rubric_items!
    expect(first).toEqual([
      { ...rubric_items[0], feedback_config: used },
      rubric_items[1],
      { ...rubric_items[2], feedback_config: null },
    ])
    const copy = await aQueue(fixture.app, { rubric_items: first })
    expect((await read(copy)).body.rubric_items).toEqual(first)
    const enforced = (await config(plain, { feedback_config: { type: 'continuous' }, is_enforced: true })).body
    expect((await read(id)).body.rubric_items![0]!.feedback_config).toEqual(enforced)
    const keys = (await list({ ids: id, include_rubric_keys: 'true' })).map((queue) => queue.rubric_keys)
    expect(keys).toEqual([[plain, 'none', deleted]])
    expect((await list({ ids: id }))[0]).not.toHaveProperty('rubric_keys')
  })

  it('keeps conditions of a rubric item that an update omits, and clears those that are null', async () => {
    const when = { join: 'all', rules: [{ key: 'a', op: 'is_not_empty' }] }
    const id = await aQueue(fixture.app, {
      rubric_items: [{ feedback_key: 'a' }, { feedback_key: 'b', visible_if: when, required_if: when }],
    })
    const rubric_items = [{ feedback_key: 'b', description: 'new', required_if: null }, { feedback_key: 'c' }]
    expect((await update(id, { rubric_items })).body.rubric_items).toEqual([
      { feedback_key: 'b', description: 'new', required_if: null, visible_if: when },
      { feedback_key: 'c' },
    ])
  })

  it.each([
    { required_if: { join: 'none', rules: [] } },
    { visible_if: { join: 'all', rules: [{ key: 'a', op: 'is', values: ['x'] }] } },
    { regex_validator: 'x'.repeat(501) },
    { feedback_config_id: 'no id' },
  ])('rejects a rubric item with %j', async (wrong) => {
    const body = { name: 'q', rubric_items: [{ feedback_key: 'a', ...wrong }] }
    expect((await fixture.app.call(routes.create, { body })).status).toBe(400)
  })

  it('has null without a rubric', async () => {
    const found = await read(await aQueue(fixture.app))
    expect(found.body).toMatchObject({ rubric_instructions: null, rubric_items: null, metadata: null })
  })

  it('changes only the given fields, with null and the sentinel', async () => {
    const id = await aQueue(fixture.app, {
      description: 'old',
      rubric_items: [{ feedback_key: 'a' }],
      num_reviewers_per_item: 3,
      metadata: { a: 1 },
    })
    const missing = { __missing__: '__missing__' }
    const changed = await update(id, { name: 'new', num_reviewers_per_item: missing, metadata: missing })
    expect(changed.body).toMatchObject({
      name: 'new',
      description: 'old',
      rubric_items: [{ feedback_key: 'a' }],
      num_reviewers_per_item: 3,
      metadata: { a: 1 },
    })
    const body = { name: null, description: null, rubric_items: [], num_reviewers_per_item: null, metadata: null }
    await update(id, body)
    expect((await read(id)).body).toMatchObject({
      name: 'new',
      description: null,
      rubric_items: [],
      num_reviewers_per_item: null,
      metadata: null,
    })
    expect((await update(uuid7(), { name: 'x' })).status).toBe(404)
  })

  it.each([
    ['without a name', {}],
    ['with an empty name', { name: '' }],
    ['of no reviewers', { name: 'q', num_reviewers_per_item: 0 }],
    ['with reservations of no time', { name: 'q', reservation_minutes: 0 }],
    ['of three experiments', { name: 'q', session_ids: [uuid7(), uuid7(), uuid7()] }],
    ['with a rubric item without key', { name: 'q', rubric_items: [{}] }],
    ['with an unknown access mode', { name: 'q', reviewer_access_mode: 'none' }],
  ])('is rejected %s', async (_why, body) => {
    expect((await fixture.app.call(routes.create, { body })).status).toBe(400)
  })

  it('requires an existing dataset', async () => {
    expect((await fixture.app.call(routes.create, { body: { name: 'q', default_dataset: uuid7() } })).status).toBe(404)
    const dataset = (await fixture.app.call(contract.datasets.create, { body: { name: `d-${uuid7()}` } })).body.id
    const id = await aQueue(fixture.app, { default_dataset: dataset })
    expect((await list({ dataset_id: dataset })).map((one) => one.id)).toEqual([id])
    await fixture.app.call(contract.datasets.delete, { params: { dataset_id: dataset } })
    expect((await read(id)).body.default_dataset).toBeNull()
  })

  it('is listed by id, name and part of the name, in pages, with its number of open runs', async () => {
    const runs = await someRuns(fixture.app, 3)
    const mark = uuid7()
    const first = await aQueue(fixture.app, { name: `${mark} 100%`, created_at: '2026-01-01T00:00:00Z' }, runs)
    const second = await aQueue(fixture.app, { name: `${mark} B`, created_at: '2026-01-02T00:00:00Z' })
    const of = async (query: Record<string, string | string[]>) =>
      (await list({ name_contains: mark, ...query })).map((one) => [one.id, one.total_runs])
    expect(await of({})).toEqual([
      [second, 0],
      [first, 3],
    ])
    const [run] = await listRuns(first)
    await say(run!.queue_run_id, { status: 'completed' })
    expect(await of({ sort_by_desc: 'False' })).toEqual([
      [first, 2],
      [second, 0],
    ])
    expect(await of({ sort_by: 'total_runs', limit: '1' })).toEqual([[first, 2]])
    expect(await of({ ids: [second, uuid7()] })).toEqual([[second, 0]])
    expect(await of({ name: `${mark} B` })).toEqual([[second, 0]])
    expect(await of({ name_contains: '100%', ids: [first, second] })).toEqual([[first, 2]])
    expect(await of({ offset: '2' })).toEqual([])
    expect(await of({ queue_type: 'pairwise' })).toEqual([])
    expect((await fixture.app.call(routes.list, { query: { limit: '101' } })).status).toBe(400)
  })

  it('is deleted without its runs, alone or with others', async () => {
    const [run] = await someRuns(fixture.app, 1)
    const [one, two] = [await aQueue(fixture.app, {}, [run!]), await aQueue(fixture.app)]
    const gone = await fixture.app.call(routes.delete, { params: { queue_id: one } })
    expect([gone.status, gone.text]).toEqual([200, 'null'])
    expect((await read(one)).text).toContain('not found')
    expect((await fixture.app.call(contract.runs.read, { params: { run_id: run! } })).status).toBe(200)
    expect((await fixture.app.call(routes.delete, { params: { queue_id: one } })).status).toBe(404)
    const partly = await fixture.app.call(routes.deleteMany, { query: { queue_ids: [one, two] } })
    expect(partly.status).toBe(207)
    expect(partly.body).toMatchObject({ deleted: [two], failed: [{ id: one }] })
    expect((await fixture.app.call(routes.deleteMany, { query: { queue_ids: [two] } })).status).toBe(404)
    expect((await fixture.app.call(routes.deleteMany)).status).toBe(400)
  })

  it('rejects a change that is based on values that others have changed, and names them', async () => {
    const rubric_items = [{ feedback_key: 'tone', score_descriptions: { '1': 'kind' } }]
    const id = await aQueue(fixture.app, { name: 'one', rubric_items, num_reviewers_per_item: null })
    const before = (await read(id)).body
    const expected = {
      name: before.name,
      description: before.description,
      rubric_items: before.rubric_items,
      num_reviewers_per_item: before.num_reviewers_per_item,
      default_dataset: before.default_dataset,
      enable_reservations: before.enable_reservations,
    }
    const first = await update(id, { description: 'first', rubric_items: [{ feedback_key: 'other' }], expected })
    expect(first.status, first.text).toBe(200)
    const second = await update(id, { name: 'second', description: 'second', expected })
    expect(second.status).toBe(409)
    const { detail } = JSON.parse(second.text) as { detail: { loc: string[] }[] }
    expect(detail.map(({ loc }) => loc.at(-1))).toEqual(['description', 'rubric_items'])
    expect((await read(id)).body).toMatchObject({ name: 'one', description: 'first' })
    expect((await update(id, { name: 'second', expected: { name: 'one' } })).status).toBe(200)
    expect((await read(id)).body).toMatchObject({ name: 'second', description: 'first' })
    const missing = { __missing__: '__missing__' }
    expect((await update(id, { name: 'third', expected: { name: missing } })).status).toBe(200)
  })
})
