import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Relational } from '../../storage/relational/port.ts'
import { concurrentRelationalEngines } from '../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { resolveProject } from './index.ts'

describe.each(concurrentRelationalEngines)('projects on %s', (_name, open) => {
  let app: StartedApp
  let relational: Relational
  let tenantId: string
  beforeAll(async () => {
    relational = await open()
    app = await startApp({ relational })
    tenantId = (await app.call(contract.workspaces.settings)).body.id
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
  })

  const { projects } = contract
  const create = (body: unknown, query: Record<string, string> = {}) => app.call(projects.create, { body, query })
  const names = async (query: Record<string, string | string[]>) =>
    (await app.call(projects.list, { query })).body.map(({ name }) => name)

  describe('creating a project', () => {
    it('uses the given id and returns the given fields', async () => {
      const id = uuid7()
      const { body } = await create({ id: id.replaceAll('-', ''), name: 'given', extra: { metadata: { a: 1 } } })
      expect(body).toMatchObject({ id, name: 'given', tenant_id: tenantId, reference_dataset_id: null })
      expect((await app.call(projects.read, { params: { session_id: id } })).body).toEqual(body)
    })

    it('rejects a taken name with the message that clients expect', async () => {
      await create({ name: 'taken' })
      const again = await create({ name: 'taken' })
      expect(again.status).toBe(409)
      expect(again.body).toMatchObject({ detail: 'Session already exists.' })
    })

    it('returns and updates the project of the name with upsert, for any id', async () => {
      const first = await create({ name: 'upserted', description: 'one', extra: { metadata: { a: 1 }, kept: true } })
      const query = { upsert: 'True' }
      const second = await create(
        { id: uuid7(), name: 'upserted', description: null, extra: { metadata: { b: 2 } } },
        query,
      )
      expect(second.status).toBe(200)
      expect(second.body).toMatchObject({ id: first.body.id, description: 'one' })
      expect(second.body.extra).toEqual({ metadata: { a: 1, b: 2 }, kept: true })
    })

    it('keeps the bytes of extra: digits, NUL, half surrogate pairs, key order, __proto__', async () => {
      const extra =
        '{"z": 12345678901234567890.10, "metadata": {"__proto__": {"x": 1}, "nul": "\\u0000", "half": "\\ud800"}, "a": 1}'
      const { body, text } = await create(`{"name": "hostile extra", "extra": ${extra}}`)
      expect(text).toContain(extra)
      const read = await app.call(projects.read, { params: { session_id: body.id } })
      expect(read.text).toContain(extra)
    })

    it.each([
      ['an empty name', { name: '' }],
      ['no name', {}],
      ['a name of 100 kB', { name: 'n'.repeat(100_000) }],
      ['a bad id', { name: 'x', id: 'nope' }],
    ])('rejects %s', async (_, body) => {
      expect((await create(body)).status).toBe(400)
    })

    it('repairs a broken name, and finds the project by the name as it was sent', async () => {
      const { body } = await create('{"name":"cut \\ud83e\\u0000"}')
      expect(body.name).toBe('cut \ufffd\ufffd')
      expect(await names({ name: 'cut \ufffd\0' })).toEqual([body.name])
      expect(await resolveProject(app.deps, tenantId, { name: body.name })).toBe(body.id)
    })

    it('accepts names of 1000 characters of four bytes', async () => {
      const name = '😀'.repeat(500)
      expect((await create({ name })).status).toBe(200)
      expect(await names({ name })).toEqual([name])
    })

    it('creates one project for concurrent requests with the same name', async () => {
      const ids = await Promise.all(
        Array.from({ length: 20 }, () => resolveProject(app.deps, tenantId, { name: 'raced' })),
      )
      expect(new Set(ids).size).toBe(1)
      await expect(resolveProject(app.deps, tenantId, { id: uuid7() })).rejects.toThrow('Session not found')
    })
  })

  describe('listing projects', () => {
    it('filters by id, name, part of a name, dataset and metadata', async () => {
      const dataset = uuid7()
      const one = await create({ name: 'List_One%', extra: { metadata: { team: 'care', n: { deep: [1, 2] } } } })
      await create({ name: 'list-two', reference_dataset_id: dataset })
      expect(await names({ name: 'List_One%' })).toEqual(['List_One%'])
      expect(await names({ name: 'no such name' })).toEqual([])
      expect(await names({ name_contains: 'LIST_ONE%' })).toEqual(['List_One%'])
      expect(await names({ name_contains: 'list%one' })).toEqual([])
      expect(await names({ id: [one.body.id, uuid7()] })).toEqual(['List_One%'])
      expect(await names({ reference_dataset: dataset })).toEqual(['list-two'])
      expect(await names({ reference_free: 'False' })).toEqual(['list-two'])
      expect(await names({ metadata: '{"team":"care","n":{"deep":[2]}}' })).toEqual(['List_One%'])
      expect(await names({ metadata: '{"team":"other"}' })).toEqual([])
      expect((await app.call(projects.list, { query: { metadata: '[1' } })).status).toBe(400)
    })

    it.each([
      ['eq(name, "Filter-A")', ['Filter-A']],
      ['like(name, "filter-%")', ['Filter-A', 'filter-b']],
      ['like(name, "filter_%")', ['filter_c']],
      ['search(name, "ILTER-")', ['Filter-A', 'filter-b']],
      ['and(like(name, "filter%"), neq(name, "filter-b"))', ['Filter-A', 'filter_c']],
      ['has(metadata, \'{"lab": "x"}\')', ['Filter-A']],
      ['and(has(metadata, "lab"), gte(metadata.level, 2))', ['filter-b']],
      ['and(like(name, "filter%"), not(exists(metadata, "lab")))', ['filter_c']],
      ['in(metadata.lab, ["x", "y"])', ['Filter-A', 'filter-b']],
      ['and(like(name, "filter%"), neq(metadata.lab, "x"))', ['filter-b', 'filter_c']],
      ['and(like(name, "filter%"), neq(description, null), gt(start_time, "2020-01-01T00:00:00Z"))', ['filter_c']],
      ['eq(name, "x\' or true --")', []],
    ])('supports the filter %s', async (filter, found) => {
      await create({ name: 'Filter-A', extra: { metadata: { lab: 'x', level: 1 } } }, { upsert: 'true' })
      await create({ name: 'filter-b', extra: { metadata: { lab: 'y', level: 2 } } }, { upsert: 'true' })
      await create({ name: 'filter_c', description: 'c' }, { upsert: 'true' })
      expect((await names({ filter })).sort()).toEqual(found)
    })

    it('rejects an invalid filter', async () => {
      for (const filter of ['eq(name', 'eq(run_type, "llm")', 'search("words")']) {
        expect((await app.call(projects.list, { query: { filter } })).status, filter).toBe(400)
      }
    })

    it('sorts and pages without gaps', async () => {
      const all = await names({ sort_by: 'name', sort_by_desc: 'false' })
      const paged = [
        ...(await names({ sort_by: 'name', sort_by_desc: '0', limit: '3' })),
        ...(await names({ sort_by: 'name', sort_by_desc: '0', offset: '3' })),
      ]
      expect(paged).toEqual(all)
      expect(await names({ offset: '1000' })).toEqual([])
      expect((await names({ limit: '500' })).length).toBeLessThanOrEqual(100)
    })
  })

  describe('changing a project', () => {
    it('refuses a change of a value that was changed since it was read', async () => {
      const { body } = await create({ name: 'expected', description: 'read' })
      const change = (given: object) => app.call(projects.update, { params: { session_id: body.id }, body: given })
      const expected = { description: 'read' }
      expect((await change({ description: 'first', expected })).status).toBe(200)
      const late = await change({ description: 'second', expected })
      expect(late.status).toBe(409)
      expect(late.body).toMatchObject({ detail: [{ loc: ['body', 'description'], type: 'changed' }] })
      expect((await change({ name: 'expected 2', expected: { name: 'expected' } })).status).toBe(200)
      expect((await change({ description: 'third' })).body).toMatchObject({ name: 'expected 2', description: 'third' })
    })

    it('refuses a change of metadata or of another part of extra that was changed since it was read', async () => {
      const extra = { metadata: { owner: 'ann', tags: ['a', 1] }, touchstone: { thread_keys: ['chat'] } }
      const { body } = await create({ name: 'expected extra', extra })
      const change = (given: object) => app.call(projects.update, { params: { session_id: body.id }, body: given })
      const setOwner = (owner: string, base: unknown) =>
        change({ extra: { metadata: { owner } }, expected: { extra: { metadata: { owner: base } } } })
      expect((await setOwner('ben', 'ann')).status).toBe(200)
      const late = await setOwner('cem', 'ann')
      expect(late.status).toBe(409)
      expect(late.body).toMatchObject({ detail: [{ loc: ['body', 'extra', 'metadata', 'owner'], type: 'changed' }] })

      const setKeys = (keys: string[], base: unknown) =>
        change({ extra: { touchstone: { thread_keys: keys } }, expected: { extra: { touchstone: base } } })
      expect((await setKeys(['chat_id'], extra.touchstone)).status).toBe(200)
      expect((await setKeys(['other'], extra.touchstone)).body).toMatchObject({
        detail: [{ loc: ['body', 'extra', 'touchstone'], type: 'changed' }],
      })

      const add = { extra: { metadata: { constructor: 1 } }, expected: { extra: { metadata: { constructor: null } } } }
      expect((await change(add)).status).toBe(200)
      expect((await change(add)).status).toBe(409)
      const remove = { removed_metadata: ['tags'], expected: { extra: { metadata: { tags: ['a', 1] } } } }
      expect((await change(remove)).status).toBe(200)
      expect((await change(remove)).status).toBe(409)
      expect((await change({ extra: { metadata: { owner: 'last' } } })).body.extra).toEqual({
        metadata: { owner: 'last', constructor: 1 },
        touchstone: { thread_keys: ['chat_id'] },
      })
    })

    it('merges extra and ignores null fields', async () => {
      const { body } = await create({ name: 'to patch', description: 'd', extra: { metadata: { a: 1 }, x: 1 } })
      const params = { session_id: body.id }
      const patch = {
        name: 'patched',
        description: null,
        extra: { metadata: { only: 'here' } },
        end_time: '2026-01-01T00:00:00',
      }
      const changed = await app.call(projects.update, { params, body: patch })
      expect(changed.body).toMatchObject({ name: 'patched', description: 'd', end_time: '2026-01-01T00:00:00.000000Z' })
      expect(changed.body.extra).toEqual({ metadata: { a: 1, only: 'here' }, x: 1 })
      expect(await names({ metadata: '{"only":"here"}' })).toEqual(['patched'])
      expect((await app.call(projects.update, { params, body: { name: 'default' } })).status).toBe(409)
      expect((await app.call(projects.update, { params: { session_id: uuid7() }, body: {} })).status).toBe(404)
    })

    it('removes metadata keys, and keeps keys of the same request', async () => {
      const metadata = { gone: 1, stays: { deep: 1.0 }, again: 'old' }
      const { body } = await create({ name: 'to clear', extra: { metadata, x: 1 } })
      const params = { session_id: body.id }
      const patch = { removed_metadata: ['gone', 'again', 'never there'], extra: { metadata: { again: 'new' } } }
      const changed = await app.call(projects.update, { params, body: patch })
      expect(changed.body.extra).toEqual({ metadata: { stays: { deep: 1 }, again: 'new' }, x: 1 })
      expect(await names({ metadata: '{"gone":1}' })).toEqual([])
      const bare = (await create({ name: 'nothing to clear' })).body.id
      const answer = await app.call(projects.update, {
        params: { session_id: bare },
        body: { removed_metadata: ['a'] },
      })
      expect(answer.status).toBe(200)
    })

    it('keeps both of two concurrent merges', async () => {
      const { body } = await create({ name: 'merged at once' })
      const params = { session_id: body.id }
      const keys = Array.from({ length: 8 }, (_, at) => `k${at}`)
      await Promise.all(keys.map((key) => app.call(projects.update, { params, body: { extra: { [key]: 1 } } })))
      const { extra } = (await app.call(projects.read, { params })).body
      expect(Object.keys(extra ?? {}).sort()).toEqual(keys)
    })
  })

  function aRun(project: string, fields: Record<string, unknown> = {}) {
    const id = uuid7()
    const at = '20260203T040506000000Z'
    return {
      id,
      trace_id: id,
      dotted_order: `${at}${id}`,
      name: 'r',
      run_type: 'chain',
      start_time: '2026-02-03T04:05:06.000000Z',
      end_time: '2026-02-03T04:05:08.000000Z',
      session_name: project,
      ...fields,
    }
  }

  function aChildOf(parent: ReturnType<typeof aRun>, fields: Record<string, unknown>) {
    const child = aRun(parent.session_name)
    const path = {
      trace_id: parent.trace_id,
      parent_run_id: parent.id,
      dotted_order: `${parent.dotted_order}.${child.dotted_order}`,
    }
    return { ...child, ...path, ...fields }
  }

  const send = (runs: object[]) => app.call(contract.runs.batch, { body: { post: runs } })
  const usage = (tokens: number) => ({
    usage_metadata: { input_tokens: tokens, output_tokens: 1, total_tokens: tokens + 1 },
  })

  describe('the figures of a project', () => {
    it('cover root runs, and tokens of all runs without repeated usage', async () => {
      const root = aRun('figures')
      const llm = aChildOf(root, { run_type: 'llm', outputs: usage(10) })
      const wrapped = aChildOf(llm, { run_type: 'llm', outputs: usage(10) })
      const failed = aRun('figures', {
        error: 'boom',
        start_time: '2026-02-04T00:00:00Z',
        end_time: '2026-02-04T00:00:04Z',
      })
      expect((await send([root, llm, wrapped, failed])).text).not.toContain('errors')
      const [listed] = (await app.call(projects.list, { query: { name: 'figures', include_stats: 'True' } })).body
      expect(listed).toMatchObject({
        run_count: 2,
        error_rate: 0.5,
        streaming_rate: 0,
        total_tokens: 11,
        prompt_tokens: 10,
        completion_tokens: 1,
        total_cost: null,
        latency_p99: 4,
        first_token_p50: null,
        last_run_start_time: '2026-02-04T00:00:00.000000Z',
      })
      const params = { session_id: listed!.id }
      const later = { include_stats: 'true', stats_start_time: '2026-02-03T12:00:00Z' }
      expect((await app.call(projects.read, { params, query: later })).body).toMatchObject({
        run_count: 1,
        total_tokens: 0,
      })
    })

    it('stay correct when a root becomes a child, and when usage is removed', async () => {
      const root = aRun('corrected')
      const child = aChildOf(root, {
        run_type: 'llm',
        outputs: usage(10),
        extra: { metadata: { ls_model_name: 'gpt-4.1', ls_provider: 'openai' } },
      })
      const { parent_run_id, trace_id, dotted_order, ...orphan } = child
      await send([root, orphan])
      const figures = async () =>
        (await app.call(projects.list, { query: { name: 'corrected', include_stats: 'true' } })).body[0]
      expect(await figures()).toMatchObject({ run_count: 2, total_tokens: 11 })
      const patch = (body: object) => app.call(contract.runs.batch, { body: { patch: [{ id: child.id, ...body }] } })
      await patch({ parent_run_id, trace_id, dotted_order })
      expect(await figures()).toMatchObject({ run_count: 1, total_tokens: 11 })
      await patch({ outputs: { text: 'no usage' } })
      expect(await figures()).toMatchObject({ run_count: 1, total_tokens: 0, total_cost: null })
      await patch({ outputs: usage(20), error: 'late' })
      expect(await figures()).toMatchObject({ run_count: 1, total_tokens: 21, error_rate: 0 })
    })

    it('are restricted by a filter and a selection, and include facets', async () => {
      const good = aRun('chosen', { tags: ['good'] })
      const llm = aChildOf(good, { run_type: 'llm', outputs: usage(10), extra: { metadata: { user: 'u1' } } })
      await send([good, llm, aRun('chosen', { error: 'bad' })])
      const list = async (query: Record<string, string | string[]>) =>
        (await app.call(projects.list, { query: { name: 'chosen', include_stats: 'true', ...query } })).body[0]!
      expect(await list({})).toMatchObject({ run_count: 2, error_rate: 0.5, total_tokens: 11, run_facets: null })
      const filtered = await list({ stats_filter: 'has(tags, "good")' })
      expect(filtered).toMatchObject({ run_count: 1, error_rate: 0, total_tokens: 11, feedback_stats: {} })
      expect(await list({ stats_filter: 'eq(name, "none")' })).toMatchObject({ run_count: 0, latency_p50: null })
      const selected = await list({ stats_select: ['run_count', 'error_rate'] })
      expect(selected).toMatchObject({ run_count: 2, error_rate: 0.5 })
      expect(selected).not.toHaveProperty('total_tokens')
      const { run_facets } = await list({ facets: 'true' })
      expect(run_facets).toContainEqual({ key: 'tag', value: 'good', query: 'has(tags, "good")', n: 1 })
      const metadata = await app.call(contract.runStats.projectMetadata, {
        params: { session_id: filtered.id },
        query: { metadata_keys: 'user' },
      })
      expect(metadata.body).toEqual({ user: ['u1'] })
    })

    it('sort a list by the mean of a feedback key', async () => {
      const [high, low] = [aRun('rated high'), aRun('rated low')]
      await send([high, low])
      for (const [run, score] of [
        [high, 0.9],
        [low, 0.1],
      ] as const) {
        await app.call(contract.feedback.create, { body: { run_id: run.id, key: 'quality', score } })
      }
      const query = { sort_by: 'feedback', sort_by_feedback_key: 'quality', limit: '2' }
      expect(await names(query)).toEqual(['rated high', 'rated low'])
      expect(await names({ ...query, sort_by_desc: 'false' })).toEqual(['rated low', 'rated high'])
      expect((await app.call(projects.list, { query: { sort_by: 'feedback' } })).status).toBe(400)
    })

    it('sort a list, projects without the figure last', async () => {
      await send([
        aRun('slow', { end_time: '2026-02-03T05:05:06Z' }),
        aRun('fast', { end_time: '2026-02-03T04:05:07Z' }),
      ])
      const slowest = await names({ sort_by: 'latency_p50', limit: '1' })
      expect(slowest).toEqual(['slow'])
      const fastest = await names({ sort_by: 'latency_p50', sort_by_desc: 'false', limit: '1' })
      expect(fastest).toEqual(['fast'])
    })
  })

  describe('deleting projects', () => {
    it('deletes their runs and frees the name', async () => {
      const run = aRun('doomed')
      await send([run])
      const [doomed] = (await app.call(projects.list, { query: { name: 'doomed' } })).body
      const params = { session_id: doomed!.id }
      expect((await app.call(projects.delete, { params })).status).toBe(202)
      expect((await app.call(projects.delete, { params })).status).toBe(404)
      expect((await app.call(contract.runs.read, { params: { run_id: run.id } })).status).toBe(404)
      await send([aRun('doomed')])
      const [created] = (await app.call(projects.list, { query: { name: 'doomed', include_stats: 'true' } })).body
      expect(created).toMatchObject({ run_count: 1 })
      expect(created!.id).not.toBe(doomed!.id)
    })

    it('deletes several, and keeps one project in the workspace', async () => {
      const ids = (await app.call(projects.list)).body.map(({ id }) => id)
      const answer = await app.call(projects.deleteMany, { query: { session_ids: ids } })
      expect(answer.status).toBe(202)
      expect(await names({})).toEqual(['default'])
    })
  })
})
