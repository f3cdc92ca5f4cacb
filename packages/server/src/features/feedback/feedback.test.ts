import { contract, type Feedback, REPAIRED_HEADER, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const { feedback: routes } = contract
const START = '2026-02-03T04:05:06.000007Z'

async function givenRun(fields: Record<string, unknown> = {}) {
  const run = { id: uuid7(), name: 'step', run_type: 'chain', start_time: START, inputs: {}, ...fields }
  expect((await app.call(contract.runs.create, { body: run })).status).toBe(202)
  return run
}

async function givenProject(): Promise<string> {
  return (await app.call(contract.projects.create, { body: { name: `p-${uuid7()}` } })).body.id
}

const give = (body: object | string) => app.call(routes.create, { body })
const list = async (query: Record<string, string | string[]>) => (await app.call(routes.list, { query })).body
const read = (id: string) => app.call(routes.read, { params: { feedback_id: id } })
const statsOf = async (runId: string) =>
  (await app.call(contract.runs.read, { params: { run_id: runId } })).body.feedback_stats
const ids = (found: readonly Feedback[]) => found.map((one) => one.id)

describe('giving feedback', () => {
  it('stores and returns the whole record with the keys of the run', async () => {
    const projectId = await givenProject()
    const run = await givenRun({ session_id: projectId })
    const body = {
      id: uuid7(),
      run_id: run.id,
      key: 'correctness',
      score: true,
      value: { verdict: 'good', ids: [1] },
      comment: 'ok',
      correction: { answer: 42 },
      feedback_source: { type: 'model', metadata: { __run: { run_id: run.id } } },
      feedback_group_id: uuid7(),
      comparative_experiment_id: uuid7(),
      extra: { weight: 2 },
      error: false,
    }

    const given = await give(body)

    expect(given.status).toBe(200)
    expect(given.body).toMatchObject({
      ...body,
      score: 1,
      trace_id: run.id,
      session_id: projectId,
      start_time: START,
      is_root: true,
      feedback_source: { ...body.feedback_source, user_id: null, user_name: null },
    })
    expect(given.body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    expect((await read(body.id)).body).toEqual(given.body)
    expect(await list({ run: run.id })).toEqual([given.body])
  })

  it('is accepted eagerly the same way', async () => {
    const run = await givenRun()
    const { status, body } = await app.call(routes.createEager, { body: { run_id: run.id, key: 'k', score: 0 } })
    expect(status).toBe(200)
    expect((await read(body.id)).body.score).toBe(0)
  })

  it('is accepted before its run, and gets its keys when the run arrives', async () => {
    const [runId, projectId] = [uuid7(), await givenProject()]
    const { status, body } = await give({ run_id: runId, key: 'early', score: 1 })
    expect(status).toBe(200)
    expect(body).toMatchObject({ run_id: runId, trace_id: null, session_id: null, start_time: null, is_root: false })

    await givenRun({ id: runId, session_id: projectId })

    const place = { trace_id: runId, session_id: projectId, start_time: START, is_root: true }
    expect((await read(body.id)).body).toMatchObject(place)
    expect(await list({ session: projectId })).toMatchObject([{ id: body.id, ...place }])
  })

  it('replaces the record of the same id, also with another run and key', async () => {
    const [one, other] = [await givenRun(), await givenRun()]
    const id = uuid7()
    const first = await give({ id, run_id: one.id, key: 'a', score: 1, comment: 'old' })

    const second = await give({ id, run_id: other.id, key: 'b', score: 0 })

    expect(second.body).toMatchObject({ key: 'b', score: 0, comment: null, created_at: first.body.created_at })
    expect((await read(id)).body).toEqual(second.body)
    expect(await list({ run: one.id })).toEqual([])
    expect(ids(await list({ run: other.id }))).toEqual([id])
  })

  it('adds a second record for the same key under another id', async () => {
    const run = await givenRun()
    await give({ run_id: run.id, key: 'k', score: 1 })
    await give({ run_id: run.id, key: 'k', score: 0 })
    expect(await list({ run: run.id, key: 'k' })).toHaveLength(2)
  })

  it('on a project has no run', async () => {
    const projectId = await givenProject()
    const { body } = await give({ run_id: null, session_id: projectId, key: 'overall', score: 0.75 })
    expect(body).toMatchObject({ run_id: null, trace_id: null, session_id: projectId, is_root: false })
    const project = await app.call(contract.projects.read, {
      params: { session_id: projectId },
      query: { include_stats: 'true' },
    })
    expect(project.body.session_feedback_stats).toMatchObject({ overall: { n: 1, avg: 0.75 } })
    expect(project.body.feedback_stats).toEqual({})
  })

  it('returns raw payloads digit by digit', async () => {
    const run = await givenRun()
    const payloads = '"value":{"big":12345678901234567890,"b":1,"a":1e400},"correction":"\\u0041"'
    const { text } = await give(`{"run_id":"${run.id}","key":"k",${payloads}}`)
    for (const member of payloads.split(',"correction"')) expect(text).toContain(member.replace(/^:/, '"correction":'))
  })

  it.each([
    ['no key', { score: 1 }, 'key', 'is not a string'],
    ['a key of 181 characters', { key: 'k'.repeat(181) }, 'key', '1 to 180'],
    ['NUL in the key', { key: 'a\0b' }, 'key', 'NUL'],
    ['half a surrogate pair in the key', { key: '\ud800' }, 'key', 'surrogate'],
    ['a score that is text', { key: 'k', score: '1' }, 'score', 'number'],
    ['a list for a value', { key: 'k', value: [1] }, 'value', 'list'],
    ['a number for a correction', { key: 'k', correction: 7 }, 'correction', 'object nor a string'],
    ['a huge comment', { key: 'k', comment: 'x'.repeat(1_048_577) }, 'comment', '1048576'],
    ['a huge value', { key: 'k', value: { x: 'x'.repeat(1_048_577) } }, 'value', '1048576'],
    ['a bad run id', { key: 'k', run_id: 'x' }, 'run_id', 'uuid'],
    ['neither run nor project', { key: 'k', run_id: null }, 'run_id', 'session_id is required'],
    ['a config of no type', { key: 'k', feedbackConfig: { type: 'stars' } }, 'feedbackConfig', ''],
    [
      'an empty label',
      { key: 'k', feedback_config: { type: 'categorical', categories: [{ value: 1, label: '' }] } },
      'feedback_config',
      '',
    ],
  ])('rejects %s and names the field', async (_, fields, field, message) => {
    const { status, body } = await give({ run_id: uuid7(), ...fields })
    expect(status).toBe(400)
    const [problem] = (body as unknown as { detail: { loc: string[]; msg: string }[] }).detail
    expect(problem!.loc[1]).toBe(field)
    expect(problem!.msg).toContain(message)
  })

  it('rejects a score that no double holds', async () => {
    expect((await give(`{"run_id":"${uuid7()}","key":"k","score":1e999}`)).status).toBe(400)
  })

  it.each(['NaN', 'Infinity', '-Infinity'])('keeps the record with the score %s, which is null then', async (score) => {
    const { id } = await givenRun()
    const answer = await give(`{"run_id":"${id}","key":"k","score":${score},"comment":"kept"}`)
    expect(answer.body).toMatchObject({ score: null, comment: 'kept' })
    expect(answer.headers.get(REPAIRED_HEADER)).toBe('score')
  })

  it('repairs a comment and a value that were cut inside of an emoji, and names them', async () => {
    const { id } = await givenRun()
    const broken = { comment: 'great 🤖'.slice(0, 7), value: 'a\0', correction: 'b\ud83e' }
    const given = await give({ run_id: id, key: 'judge', score: 1, ...broken })
    expect(given.status).toBe(200)
    expect(given.body).toMatchObject({ score: 1, comment: 'great \ufffd', value: 'a\ufffd', correction: 'b\ufffd' })
    expect(given.headers.get(REPAIRED_HEADER)).toBe('comment, value, correction')
    const changed = await app.call(routes.update, {
      params: { feedback_id: given.body.id },
      body: { comment: '\udd16', value: '\ud83e' },
    })
    expect(changed.body).toMatchObject({ comment: '\ufffd', value: '\ufffd' })
    expect((await give({ run_id: id, key: 'whole', comment: '🤖' })).headers.get(REPAIRED_HEADER)).toBeNull()
  })
})

describe('feedback in requests with runs', () => {
  const partsOf = (parts: readonly [string, unknown][]) =>
    `${parts
      .map(([name, json]) => {
        const text = typeof json === 'string' ? json : JSON.stringify(json)
        return `--b\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: application/json\r\n\r\n${text}\r\n`
      })
      .join('')}--b--\r\n`
  const send = async (parts: readonly [string, unknown][]) =>
    (
      await app.fetch('/runs/multipart', {
        method: 'POST',
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
        body: partsOf(parts),
      })
    ).json() as Promise<{ errors?: { run_id: string; error: string }[] }>

  it('follows the same rules, and only invalid feedback is rejected', async () => {
    const [runId, id] = [uuid7(), uuid7()]
    const run = {
      id: runId,
      trace_id: runId,
      name: 'r',
      run_type: 'chain',
      start_time: START,
      dotted_order: `20260203T040506000007Z${runId}`,
    }
    const feedback_config = { type: 'categorical', categories: [{ value: 1, label: 'good' }] }

    const answer = await send([
      [`feedback.${id}`, { id, run_id: runId, trace_id: runId, key: `tone-${id}`, score: 1, feedback_config }],
      ['feedback.bad', { run_id: runId, key: 'a\0', score: 1 }],
      [`post.${runId}`, run],
    ])

    expect(answer.errors).toEqual([{ run_id: 'feedback.bad', error: expect.stringContaining('feedback.key') }])
    expect((await read(id)).body).toMatchObject({ run_id: runId, value: 'good', start_time: START, is_root: true })
  })

  it('is repaired, and named in the response', async () => {
    const { id } = await givenRun()
    const ids = [uuid7(), uuid7()] as const
    const answer = await send([
      [`feedback.${ids[0]}`, { id: ids[0], run_id: id, key: 'judge', score: 1, comment: 'great \ud83e' }],
      [`feedback.${ids[1]}`, `{"id":"${ids[1]}","run_id":"${id}","key":"judge","score":NaN,"value":"none"}`],
    ])
    expect(answer).toEqual({
      message: 'Accepted',
      repaired: [
        { run_id: `feedback.${ids[0]}`, fields: ['comment'] },
        { run_id: `feedback.${ids[1]}`, fields: ['score'] },
      ],
    })
    expect((await read(ids[0])).body).toMatchObject({ score: 1, comment: 'great \ufffd' })
    expect((await read(ids[1])).body).toMatchObject({ score: null, value: 'none' })
  })

  it('is listed last first, as with separate requests', async () => {
    const run = await givenRun()
    // Ids that sort against the order of the parts: the clients draw theirs at random.
    const sent = ['c', 'b', 'a'].map((letter) => `${letter.repeat(8)}-0000-4000-8000-${run.id.slice(-12)}`)

    await send(sent.map((id) => [`feedback.${id}`, { id, run_id: run.id, trace_id: run.id, key: 'k', score: 1 }]))

    expect(ids(await list({ run: run.id }))).toEqual([...sent].reverse())
  })
})

describe('changing feedback', () => {
  it('changes the given fields and keeps the others', async () => {
    const run = await givenRun()
    const { body } = await give({ run_id: run.id, key: 'k', score: 1, comment: 'first', value: 'v' })

    const changed = await app.call(routes.update, {
      params: { feedback_id: body.id },
      body: { score: 0.25, correction: { to: 'x' } },
    })

    expect(changed.body).toMatchObject({ score: 0.25, comment: 'first', value: 'v', correction: { to: 'x' } })
    expect(changed.body.created_at).toBe(body.created_at)
    expect(changed.body.modified_at > body.modified_at).toBe(true)
    expect((await read(body.id)).body).toEqual(changed.body)
  })

  it('clears a field whose value is null and keeps the others', async () => {
    const { body } = await give({ run_id: uuid7(), key: 'k', score: 1, comment: 'first', value: 'v', correction: 'x' })
    const change = async (fields: object) =>
      (await app.call(routes.update, { params: { feedback_id: body.id }, body: fields })).body

    expect(await change({ comment: null })).toMatchObject({ score: 1, comment: null, value: 'v', correction: 'x' })
    expect(await change({ value: null, correction: null })).toMatchObject({ score: 1, value: null, correction: null })
    expect(await change({ score: null })).toMatchObject({ score: null })
    expect((await read(body.id)).body).toMatchObject({ score: null, comment: null, value: null, correction: null })
  })

  it('does not restore a score or label that an update clears', async () => {
    const feedback_config = {
      type: 'categorical' as const,
      categories: [
        { value: 1, label: 'good' },
        { value: 0, label: 'bad' },
      ],
    }
    const { body } = await give({ run_id: uuid7(), key: `half-${uuid7()}`, value: 'good', feedback_config })
    expect(body).toMatchObject({ score: 1, value: 'good' })
    const changed = await app.call(routes.update, {
      params: { feedback_id: body.id },
      body: { score: null, value: 'bad' },
    })
    expect(changed.body).toMatchObject({ score: null, value: 'bad' })
  })

  it('refuses a change that is based on values which others have changed', async () => {
    const run_id = uuid7()
    const { body } = await give({
      run_id,
      key: 'k',
      score: 0.123456,
      comment: 'first',
      value: { a: 1 },
      correction: 'x',
    })
    const change = (fields: object) => app.call(routes.update, { params: { feedback_id: body.id }, body: fields })
    const { score, value, comment, correction } = body
    const mine = await change({ score: 1, comment: 'mine', expected: { score, value, comment, correction } })
    expect(mine.body).toMatchObject({ score: 1, comment: 'mine', value, correction })

    const theirs = await change({ score: 0, comment: 'theirs', expected: { score, comment, value } })
    expect(theirs.status).toBe(409)
    expect(theirs.body).toMatchObject({
      detail: [
        { loc: ['body', 'score'], type: 'changed' },
        { loc: ['body', 'comment'], type: 'changed' },
      ],
    })
    expect((await read(body.id)).body).toEqual(mine.body)

    expect((await change({ correction: null, expected: { correction } })).status).toBe(200)
    expect((await change({ correction: 'y', expected: { correction: null } })).status).toBe(200)
    expect((await change({ comment: 'theirs', expected: {} })).status).toBe(200)
    expect((await change({ comment: 'last' })).body).toMatchObject({ comment: 'last', correction: 'y' })
  })

  it('accepts one of several concurrent changes with the same base', async () => {
    const { body } = await give({ run_id: uuid7(), key: 'k', comment: 'base' })
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((comment) =>
        app.call(routes.update, { params: { feedback_id: body.id }, body: { comment, expected: { comment: 'base' } } }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    const stored = answers.find(({ status }) => status === 200)
    expect((await read(body.id)).body).toEqual(stored?.body)
  })

  it('keeps all concurrent changes', async () => {
    const { body } = await give({ run_id: uuid7(), key: 'k' })
    const change = (fields: object) => app.call(routes.update, { params: { feedback_id: body.id }, body: fields })
    await Promise.all([
      change({ score: 1 }),
      change({ comment: 'c' }),
      change({ value: 'v' }),
      change({ correction: 'x' }),
    ])
    expect((await read(body.id)).body).toMatchObject({ score: 1, comment: 'c', value: 'v', correction: 'x' })
  })

  it('completes every concurrent write', async () => {
    const { body } = await give({ run_id: uuid7(), key: 'k' })
    const params = { feedback_id: body.id }
    const answers = await Promise.all([
      give({ id: body.id, run_id: uuid7(), key: 'other' }),
      app.call(routes.delete, { params }),
      app.call(routes.update, { params, body: { score: 1 } }),
      give({ id: body.id, run_id: uuid7(), key: 'last', score: 2 }),
    ])
    for (const { status } of answers) expect([200, 404]).toContain(status)
    const left = await read(body.id)
    expect(left.status === 404 || left.body.key.length > 0).toBe(true)
    expect(await list({ run: body.run_id! })).toEqual(left.body?.run_id === body.run_id ? [left.body] : [])
  })

  it('deletes a record from all responses', async () => {
    const run = await givenRun()
    const { body } = await give({ run_id: run.id, key: 'k', score: 1 })
    const remove = () => app.call(routes.delete, { params: { feedback_id: body.id } })

    expect((await remove()).status).toBe(200)

    expect(await read(body.id)).toMatchObject({ status: 404, body: { detail: 'Feedback not found' } })
    expect(await list({ run: run.id })).toEqual([])
    expect(await statsOf(run.id)).toEqual({})
    expect((await remove()).status).toBe(404)
    expect((await app.call(routes.update, { params: { feedback_id: body.id }, body: { score: 1 } })).status).toBe(404)
    const again = await give({ id: body.id, run_id: run.id, key: 'k', score: 0 })
    expect((await read(body.id)).body).toEqual(again.body)
  })

  it('is deleted with its project', async () => {
    const projectId = await givenProject()
    const [run, late] = [await givenRun({ session_id: projectId }), uuid7()]
    const onRun = await give({ run_id: run.id, key: 'k' })
    const before = await give({ run_id: late, key: 'k' })
    await givenRun({ id: late, session_id: projectId })
    const onProject = await give({ session_id: projectId, key: 'k' })
    const other = await give({ run_id: uuid7(), key: 'k' })

    await app.call(contract.projects.delete, { params: { session_id: projectId } })

    for (const { body } of [onRun, before, onProject]) expect((await read(body.id)).status).toBe(404)
    expect((await read(other.body.id)).status).toBe(200)
    expect(await list({ session: projectId })).toEqual([])
  })
})

describe('listing feedback', () => {
  it('filters by every condition, newest first', async () => {
    const projectId = await givenProject()
    const [one, two] = [await givenRun({ session_id: projectId }), await givenRun()]
    const experiment = uuid7()
    const at = (second: number) => `2026-03-01T00:00:0${second}.000000Z`
    const mine = [
      { run_id: one.id, key: 'a', score: 1, created_at: at(1) },
      { run_id: one.id, key: 'b', comment: 'c', created_at: at(2), feedback_source: { type: 'model' } },
      { run_id: two.id, key: 'a', score: 0, created_at: at(3), comparative_experiment_id: experiment },
      { session_id: projectId, key: 'p', score: 2, created_at: at(4), feedback_thread_id: 'thread-1' },
    ].map((fields) => ({ id: uuid7(), ...fields }))
    for (const body of mine) await give(body)
    const [a, b, c, p] = ids(mine as unknown as Feedback[]) as [string, string, string, string]
    const window = { min_created_at: at(1), max_created_at: at(4) }
    const found = async (query: Record<string, string | string[]>) => ids(await list({ ...window, ...query }))

    expect(await found({})).toEqual([p, c, b, a])
    expect(await found({ run: [one.id, two.id] })).toEqual([c, b, a])
    expect(await found({ run: `${one.id},${two.id}` })).toEqual([c, b, a])
    expect(await found({ key: ['a', 'p'] })).toEqual([p, c, a])
    expect(await found({ source: 'model' })).toEqual([b])
    expect(await found({ source: ['FeedbackSourceType.API', 'FeedbackSourceType.MODEL'] })).toEqual([p, c, b, a])
    expect(await found({ session: projectId })).toEqual([p, b, a])
    expect(await found({ level: 'run' })).toEqual([c, b, a])
    expect(await found({ level: 'session' })).toEqual([p])
    expect(await found({ has_comment: 'True' })).toEqual([b])
    expect(await found({ has_comment: 'false' })).toEqual([p, c, a])
    expect(await found({ has_score: 'false' })).toEqual([b])
    expect(await found({ comparative_experiment_id: experiment })).toEqual([c])
    expect(await found({ feedback_thread_id: 'thread-1' })).toEqual([p])
    expect(await found({ user: uuid7() })).toEqual([])
    expect(await found({ min_created_at: at(3) })).toEqual([p, c])
    expect(await found({ max_created_at: at(2), include_user_names: 'True' })).toEqual([b, a])
    expect(await found({ limit: '2' })).toEqual([p, c])
    expect(await found({ limit: '2', offset: '2' })).toEqual([b, a])
    expect(await found({ offset: '4' })).toEqual([])
    expect(await found({ key: "a' or 1=1 --" })).toEqual([])
  })

  it('returns each record once over all pages', async () => {
    const run = await givenRun()
    await Promise.all(Array.from({ length: 130 }, (_, at) => give({ run_id: run.id, key: `k${at % 3}`, score: at })))
    const pages = await Promise.all(['0', '100', '200'].map((offset) => list({ run: run.id, offset })))
    expect(pages.map((page) => page.length)).toEqual([100, 30, 0])
    expect(new Set(pages.flat().map((one) => one.id)).size).toBe(130)
  })
})

describe('feedback statistics', () => {
  it('count scores, labels, comments, sources and errors of a run by key', async () => {
    const run = await givenRun()
    const judge = (fields: object) => give({ run_id: run.id, key: 'correctness', ...fields })
    await judge({ score: 0 })
    await judge({ score: true, comment: 'ok', feedback_source: { type: 'model' } })
    await judge({ score: 1, error: true, feedback_thread_id: 't' })
    for (const value of ['polite', 'polite', 'rude', 3, { deep: 1 }]) {
      await give({ run_id: run.id, key: '__proto__', value, comment: '' })
    }

    const stats = await statsOf(run.id)

    expect(stats!.correctness).toEqual({
      n: 3,
      avg: expect.closeTo(2 / 3),
      min: 0,
      max: 1,
      stdev: expect.closeTo(0.57735),
      errors: 1,
      values: {},
      comments: ['ok'],
      sources: ['api', 'model'],
      contains_thread_feedback: true,
    })
    expect(Object.entries(stats!).find(([key]) => key === '__proto__')?.[1]).toEqual({
      n: 5,
      avg: null,
      min: null,
      max: null,
      stdev: null,
      errors: 0,
      values: { polite: 2, rude: 1, '3': 1 },
      comments: [],
      sources: ['api'],
      contains_thread_feedback: false,
    })
  })

  it('cover the run alone, and are included in lists when selected', async () => {
    const root = await givenRun()
    const child = await givenRun({ parent_run_id: root.id })
    await give({ run_id: child.id, key: 'k', score: 1 })
    expect(await statsOf(root.id)).toEqual({})
    const answer = await app.call(contract.runs.query, {
      body: { id: [root.id, child.id], select: ['feedback_stats'] },
    })
    const byId = new Map(answer.body.runs.map((run) => [run.id, run.feedback_stats]))
    expect(byId.get(child.id)).toMatchObject({ k: { n: 1, avg: 1, stdev: null } })
    expect(byId.get(root.id)).toEqual({})
  })

  it('of a project cover all of its runs, also late ones', async () => {
    const projectId = await givenProject()
    const [first, late] = [await givenRun({ session_id: projectId }), uuid7()]
    await give({ run_id: first.id, key: 'k', score: 1 })
    await give({ run_id: late, key: 'k', score: 0 })
    await give({ run_id: (await givenRun()).id, key: 'k', score: 100 })
    await givenRun({ id: late, session_id: projectId, start_time: '2026-02-05T00:00:00Z' })
    const stats = async (query: Record<string, string>) =>
      (
        await app.call(contract.projects.read, {
          params: { session_id: projectId },
          query: { include_stats: 'true', ...query },
        })
      ).body.feedback_stats

    expect(await stats({})).toMatchObject({ k: { n: 2, avg: 0.5, min: 0, max: 1 } })
    expect(await stats({ stats_start_time: '2026-02-04T00:00:00Z' })).toMatchObject({ k: { n: 1, avg: 0 } })
  })
})
