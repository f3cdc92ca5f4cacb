import { PassThrough } from 'node:stream'
import { contract, type PlaygroundEvent, PlaygroundVariant, uuid7 } from '@touchstone/contract'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openOutbound } from '../../outbound/open-outbound.ts'
import type { Relational } from '../../storage/relational/port.ts'
import { type AWorkspace, aWorkspace } from '../../testing/a-workspace.ts'
import { FAKE_TEXT, type FakeProvider, startFakeProvider } from '../../testing/fake-provider.ts'
import { type APlayground, aPlayground, PLAYGROUND_KEY } from '../../testing/playground.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { callVariant } from './call-variant.ts'
import { renderCall } from './render-call.ts'

const { playground, playgroundDrafts, projects, modelPrices } = contract
const SOON = { timeout: 30_000 }

describe.each(relationalEngines(import.meta.filename))('the playground on %s', (_engine, open) => {
  let relational: Relational
  let app: StartedApp
  let acme: AWorkspace
  let other: AWorkspace
  let fake: FakeProvider
  let ground: APlayground
  let logged = ''
  beforeAll(async () => {
    relational = await open()
    fake = await startFakeProvider({ key: PLAYGROUND_KEY })
    const sink = new PassThrough()
    sink.on('data', (chunk) => {
      logged += chunk
    })
    app = await startApp({ relational, log: pino({ level: 'trace' }, sink) })
    acme = await aWorkspace(app, 'acme')
    other = await aWorkspace(app, 'other')
    ground = await aPlayground(app, acme, fake)
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
    await fake.close()
  })

  const run = (variants: object[], more: object = {}) => ground.run({ variants, ...more })
  const only = <Type extends PlaygroundEvent['type']>(events: readonly PlaygroundEvent[], type: Type) =>
    events.filter((event): event is Extract<PlaygroundEvent, { type: Type }> => event.type === type)
  const findProject = async (name: string) =>
    (await app.call(projects.list, { headers: acme.headers, query: { name } })).body[0]

  describe('runs variants', () => {
    it('streams the parts of each answer, and records it as a run with tokens and cost', async () => {
      await app.call(modelPrices.create, {
        headers: acme.headers,
        body: {
          name: 'fake',
          match_pattern: '^fake-model$',
          provider: 'fake',
          prompt_cost: '0.001',
          completion_cost: '0.01',
        },
      })
      const variants = [ground.variant(), ground.variant({ name: 'b', parameters: { temperature: 0.5 } })]
      const events = await run(variants, { variables: { question: 'hello' }, repeats: 2, project: 'try-outs' })
      const started = only(events, 'started')
      expect(started.map(({ variant, repeat }) => `${variant}/${repeat}`).toSorted()).toEqual([
        '0/0',
        '0/1',
        '1/0',
        '1/1',
      ])
      const texts = only(events, 'text').filter(({ variant, repeat }) => variant === 1 && repeat === 1)
      expect(texts.map(({ text }) => text).join('')).toBe(FAKE_TEXT.join(''))
      const finished = only(events, 'finished')
      expect(finished).toHaveLength(4)
      expect(finished[0]).toMatchObject({
        message: { role: 'assistant', content: FAKE_TEXT.join('') },
        tokens: { prompt_tokens: 20, completion_tokens: 10 },
        cost: 0.12,
        finish_reason: 'stop',
        schema_problem: null,
        raw_request: { method: 'POST' },
        raw_reply: { status: 200 },
      })
      const project = await findProject('try-outs')
      const recorded = await ground.runs(project!.id)
      expect(recorded.map(({ id }) => id).toSorted()).toEqual(started.map(({ run_id }) => run_id).toSorted())
      const one = recorded.find(({ name }) => name === 'b')
      expect(one).toMatchObject({
        run_type: 'llm',
        status: 'success',
        inputs: { messages: [{ role: 'user', content: 'Say hello' }] },
        outputs: { choices: [{ message: { role: 'assistant', content: FAKE_TEXT.join('') }, finish_reason: 'stop' }] },
        prompt_tokens: 20,
        completion_tokens: 10,
        total_cost: '0.12',
        extra: { metadata: { ls_provider: 'fake', ls_model_name: 'fake-model' } },
      })
      expect(one?.first_token_time).not.toBeNull()
    })

    it('fails a variant whose template has no value, and runs the others', async () => {
      const bad = ground.variant({
        name: 'bad',
        template_format: 'mustache',
        messages: [{ role: 'user', content: '{{gone}}' }],
      })
      const events = await run([bad, ground.variant()], { variables: { question: 'q' } })
      expect(only(events, 'failed')).toMatchObject([
        { variant: 0, variable: 'gone', problem: { code: 'missing_variable', retry: false }, raw_request: null },
      ])
      expect(only(events, 'finished')).toMatchObject([{ variant: 1 }])
    })

    it.each<[string, object, RegExp]>([
      ['an invalid template', { messages: [{ role: 'user', content: '{' }] }, /line 1/],
      ['a list of messages of another form', { messages: [{ role: 'placeholder', variable: 'question' }] }, /no list/],
      ['messages of an unknown role', { messages: [{ role: 'placeholder', variable: 'odd' }] }, /^messages\.0/],
    ])('fails for %s', async (_, more, message) => {
      const events = await run([ground.variant(more)], {
        variables: { question: 'q', odd: [{ role: 'robot', content: 'x' }] },
      })
      expect(only(events, 'failed')).toMatchObject([
        { problem: { code: 'invalid_template', message: expect.stringMatching(message) } },
      ])
    })

    it('renders all variants with the steps of one request', async () => {
      const messages = [{ role: 'user', content: '{{#list}}{{#list}}{{/list}}{{/list}}' }]
      const costly = ground.variant({ template_format: 'mustache', messages })
      // Each call takes more than a quarter of the steps.
      const events = await run([costly], { repeats: 4, variables: { list: Array(1_600).fill(1) } })
      expect(only(events, 'finished')).toHaveLength(3)
      const message = 'The templates of this request take more than 10000000 steps.'
      expect(only(events, 'failed')).toMatchObject([{ problem: { code: 'invalid_template', message } }])
    })

    it('does not call a model that extra_body names in place of that of the variant', async () => {
      const before = fake.heard.length
      const extra_body = { model: 'fake-reasoning', n: 50, stream_options: null }
      const events = await run([ground.variant({ extra_body })], { variables: { question: 'q' } })
      expect(only(events, 'failed')).toMatchObject([
        {
          problem: { code: 'invalid_request', offending_parameter: 'model', message: expect.stringMatching(/"model"/) },
        },
      ])
      expect(fake.heard).toHaveLength(before)
    })

    it('checks an answer against its schema and names the failing path', async () => {
      const schema = (type: string) => ({
        output_schema: { name: 'city', schema: { type: 'object', properties: { city: { type } }, required: ['city'] } },
      })
      const variants = [ground.variant(schema('string')), ground.variant({ name: 'b', ...schema('integer') })]
      const finished = only(await run(variants, { variables: { question: 'q' } }), 'finished')
      const problems = new Map(finished.map(({ variant, schema_problem }) => [variant, schema_problem]))
      expect(problems.get(0)).toBeNull()
      expect(problems.get(1)).toEqual({ path: '/city', message: expect.stringContaining('integer') })
    })

    it('streams tool calls', async () => {
      const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }]
      const messages = [{ role: 'user', content: 'tool please' }]
      const events = await run([ground.variant({ tools, messages })])
      expect(only(events, 'tool_call')[0]).toMatchObject({ index: 0, name: 'weather' })
      expect(only(events, 'finished')[0]?.message.tool_calls).toHaveLength(1)
    })

    it('cancels the calls when the client disconnects, and records them', async () => {
      const project = `cancelled ${uuid7()}`
      const before = fake.aborted()
      const controller = new AbortController()
      const answer = await app.fetch('/api/v1/playground/runs', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...acme.headers },
        body: JSON.stringify({
          variants: [ground.variant({ model: 'fake-stall', messages: [{ role: 'user', content: 'x' }] })],
          project,
        }),
        signal: controller.signal,
      })
      const reader = answer.body!.getReader()
      let text = ''
      while (!text.includes('"text"')) text += new TextDecoder().decode((await reader.read()).value)
      controller.abort()
      await reader.read().catch(() => undefined)
      await expect.poll(() => fake.aborted(), SOON).toBe(before + 1)
      await expect.poll(async () => (await findProject(project)) !== undefined, SOON).toBe(true)
      const { id } = (await findProject(project))!
      await expect.poll(async () => (await ground.runs(id)).map(({ status }) => status), SOON).toEqual(['error'])
    })

    it('counts nothing for a call that was cancelled before it was sent', async () => {
      const before = fake.heard.length
      const as = await aWorkspace(app, `w ${uuid7()}`)
      const modelOutbound = openOutbound(['127.0.0.1'])
      const { log, clock } = app.deps
      const deps = { relational, log, clock, modelOutbound, priceUsage: () => 5 }
      const variant = PlaygroundVariant.parse(ground.variant({ parameters: { max_tokens: 1_000_000 } }))
      const { end } = await callVariant(
        deps,
        {
          tenantId: as.tenantId,
          runId: uuid7(),
          variant,
          rendered: renderCall(variant, { question: 'q' }),
          connection: { kind: 'openai-chat', baseUrl: fake.url, keyHeader: 'authorization', key: 'k', headers: {} },
          provider: 'fake',
          place: {},
        },
        { signal: AbortSignal.abort() },
      )
      await modelOutbound.close()
      expect(end).toMatchObject({ type: 'failed', problem: { code: 'cancelled' } })
      const { workspace } = (await app.call(contract.spending.read, { headers: as.headers })).body
      expect(workspace).toMatchObject({ spent_usd: 0, calls: 1, unknown_calls: 0 })
      expect(fake.heard).toHaveLength(before)
    })

    it.each([
      [{ variants: [] }, 400],
      [{ variants: Array.from({ length: 7 }, (_, at) => ({ name: `v${at}` })) }, 400],
      [{ variants: 'twice' }, 400],
      [{ variants: 'ok', repeats: 11 }, 400],
      [{ variants: 'ok', project: '' }, 400],
      [{ variants: 'unknown' }, 404],
    ])('refuses %j', async (body, status) => {
      const variants = {
        twice: [ground.variant(), ground.variant()],
        ok: [ground.variant()],
        unknown: [ground.variant({ provider_id: uuid7() })],
      }
      const given = { ...body, ...(typeof body.variants === 'string' && { variants: variants[body.variants as 'ok'] }) }
      expect((await app.call(playground.run, { headers: acme.headers, body: given })).status).toBe(status)
    })

    it('uses providers of the own workspace only, and needs the right to write', async () => {
      const body = { variants: [ground.variant()] }
      expect((await app.call(playground.run, { headers: other.headers, body })).status).toBe(404)
      expect((await app.call(playground.run, { headers: acme.readOnlyHeaders, body })).status).toBe(403)
    })

    it('never shows the key of a provider that repeats it', async () => {
      const messages = [{ role: 'user', content: 'x' }]
      const variants = ['fake-echo', 'fake-echo-error'].map((model) => ground.variant({ name: model, model, messages }))
      const events = await run(variants, { project: 'echo' })
      expect(only(events, 'finished')).toHaveLength(1)
      expect(only(events, 'failed')).toHaveLength(1)
      const recorded = await ground.runs((await findProject('echo'))!.id)
      expect(recorded).toHaveLength(2)
      for (const text of [JSON.stringify(events), JSON.stringify(recorded), logged]) {
        expect(text).not.toContain(PLAYGROUND_KEY)
        expect(text).not.toContain(PLAYGROUND_KEY.slice(0, 20))
      }
    })
  })

  describe('keeps drafts', () => {
    const create = (body: object) => app.call(playgroundDrafts.create, { headers: acme.headers, body })
    const update = (draft_id: string, body: object) =>
      app.call(playgroundDrafts.update, { headers: acme.headers, params: { draft_id }, body })

    it('creates, reads, lists, changes and deletes them', async () => {
      const made = (await create({ name: 'tone', body: { messages: [1] } })).body
      expect(made).toMatchObject({ name: 'tone', version: 1, body: { messages: [1] } })
      const params = { draft_id: made.id }
      expect((await update(made.id, { body: { messages: [2] }, expected_version: 1 })).body).toMatchObject({
        version: 2,
      })
      const read = await app.call(playgroundDrafts.read, { headers: acme.memberHeaders, params })
      expect(read.body).toMatchObject({ version: 2, body: { messages: [2] } })
      const listed = await app.call(playgroundDrafts.list, { headers: acme.headers })
      expect(listed.body.drafts.map(({ id }) => id)).toContain(made.id)
      expect((await app.call(playgroundDrafts.read, { headers: other.headers, params })).status).toBe(404)
      expect((await app.call(playgroundDrafts.delete, { headers: other.headers, params })).status).toBe(404)
      expect((await app.call(playgroundDrafts.delete, { headers: acme.headers, params })).status).toBe(200)
      expect((await app.call(playgroundDrafts.read, { headers: acme.headers, params })).status).toBe(404)
    })

    it('refuses a change of another version', async () => {
      const { id } = (await create({ name: 'x', body: {} })).body
      const answers = await Promise.all([1, 2].map((n) => update(id, { body: { n }, expected_version: 1 })))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
      expect(answers.find(({ status }) => status === 409)?.text).toContain('version 2')
    })

    it.each([
      { name: '', body: {} },
      { name: 'x', body: [] },
      { name: 'x' },
      { name: 'x', body: { long: 'x'.repeat(5_000_001) } },
    ])('refuses a draft that is invalid', async (body) => {
      expect((await create(body)).status).toBe(400)
    })
  })
})
