import { Client } from '@touchstone/sdk'
import type { Run } from '@touchstone/sdk/schemas'
import { traceable } from '@touchstone/sdk/traceable'
import { wrapOpenAI, wrapSDK } from '@touchstone/sdk/wrappers'
import { Client as PublishedClient } from 'langsmith'
import { wrapOpenAI as wrapPublished } from 'langsmith/wrappers/openai'
import OpenAI, { AzureOpenAI } from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FAKE_TEXT, FAKE_TOKENS, type FakeProvider, startFakeProvider } from '../support/fake-provider.ts'
import { type SharedServer, shareServer } from '../support/share-server.ts'

let server: SharedServer
let provider: FakeProvider
let client: Client
let openai: OpenAI
let project: string

beforeAll(async () => {
  ;[server, provider] = await Promise.all([shareServer(), startFakeProvider()])
})
afterAll(async () => {
  await Promise.all([provider?.close(), server?.stop()])
})
beforeEach(() => {
  project = `wrapped ${crypto.randomUUID()}`
  client = new Client({ apiUrl: server.url, apiKey: 'any' })
  openai = new OpenAI({ apiKey: 'none', baseURL: provider.url, maxRetries: 0 })
})

const wrapped = (options: Parameters<typeof wrapOpenAI>[1] = {}) =>
  wrapOpenAI(openai, { client, project_name: project, tracingEnabled: true, ...options })

/** The runs of the project, by start. */
async function runs(name = project): Promise<Run[]> {
  await client.flush()
  const found: Run[] = []
  for await (const run of client.listRuns({ projectName: name })) found.push(run)
  return found.sort((a, b) => (String(a.start_time) < String(b.start_time) ? -1 : 1))
}

const metadataOf = (run: Run | undefined) => run?.extra?.metadata as Record<string, unknown> | undefined

const MODEL = 'fake-model'
const MESSAGES = [
  { role: 'system' as const, content: 'Be short.' },
  { role: 'user' as const, content: 'Say hello' },
]
const TOOL_MESSAGES = [{ role: 'user' as const, content: 'Use a tool please' }]
const TOOLS = [
  {
    type: 'function' as const,
    function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  },
]
const BODY = { model: MODEL, messages: MESSAGES, temperature: 0.5, max_tokens: 64, stop: 'END' }
const STREAMED = { stream: true as const, stream_options: { include_usage: true } }
const ANSWER = FAKE_TEXT.join('')
const USAGE = {
  input_tokens: FAKE_TOKENS.prompt,
  output_tokens: FAKE_TOKENS.completion,
  total_tokens: FAKE_TOKENS.prompt + FAKE_TOKENS.completion,
  input_token_details: expect.objectContaining({ cache_read: FAKE_TOKENS.cached }),
  output_token_details: expect.objectContaining({ reasoning: FAKE_TOKENS.reasoning }),
}

describe('a chat completion', () => {
  it('is stored as the provider answered it, with usage and parameters', async () => {
    const answer = await wrapped().chat.completions.create(BODY)
    const [run, ...others] = await runs()
    expect(others).toEqual([])
    expect(run).toMatchObject({ name: 'ChatOpenAI', run_type: 'llm', status: 'success', inputs: BODY })
    const { usage: _, ...rest } = JSON.parse(JSON.stringify(answer)) as Record<string, unknown>
    expect(run?.outputs).toEqual({ ...rest, usage_metadata: USAGE })
    expect(run).toMatchObject({ prompt_tokens: FAKE_TOKENS.prompt, completion_tokens: FAKE_TOKENS.completion })
    expect(metadataOf(run)).toMatchObject({
      ls_provider: 'openai',
      ls_model_type: 'chat',
      ls_model_name: MODEL,
      ls_temperature: 0.5,
      ls_max_tokens: 64,
      ls_stop: ['END'],
      ls_agent_type: 'root',
      usage_metadata: USAGE,
    })
  })

  it('has the same outputs when it is streamed, by create and by stream, with the time of the first token', async () => {
    const openai = wrapped()
    const whole = await openai.chat.completions.create(BODY)
    const pieces: string[] = []
    for await (const chunk of await openai.chat.completions.create({ ...BODY, ...STREAMED })) {
      pieces.push(chunk.choices[0]?.delta.content ?? '')
    }
    const stream = openai.chat.completions.stream({ ...BODY, stream_options: { include_usage: true } })
    const final = await stream.finalChatCompletion()
    expect([pieces.join(''), final.choices[0]?.message.content]).toEqual([ANSWER, ANSWER])
    const stored = await runs()
    expect(stored).toHaveLength(3)
    const [first] = stored
    expect(first?.outputs?.choices[0].message.content).toBe(whole.choices[0]?.message.content)
    for (const run of stored.slice(1)) {
      expect(run.outputs?.choices[0]).toMatchObject({ index: 0, finish_reason: 'stop' })
      expect(run.outputs?.choices[0].message).toMatchObject({ role: 'assistant', content: ANSWER })
      expect(run.outputs).toMatchObject({ object: 'chat.completion', usage_metadata: USAGE, model: whole.model })
      expect(run.first_token_time).toBeTruthy()
    }
  })

  it('keeps calls of tools, also from a stream', async () => {
    const openai = wrapped()
    const body = { model: MODEL, messages: TOOL_MESSAGES, tools: TOOLS }
    const whole = await openai.chat.completions.create(body)
    for await (const _ of await openai.chat.completions.create({ ...body, ...STREAMED }));
    const [first, second] = await runs()
    const calls = whole.choices[0]?.message.tool_calls
    expect(calls?.[0]).toMatchObject({ function: { name: 'weather' } })
    expect(first?.outputs?.choices[0].message.tool_calls).toEqual(calls)
    expect(second?.outputs?.choices[0].message.tool_calls).toEqual(calls)
  })

  it('has the error of a failure, and what arrived before a consumer stopped', async () => {
    const openai = wrapped()
    await expect(openai.chat.completions.create({ ...BODY, model: 'fake-forbidden' })).rejects.toThrow('excluded')
    for await (const _ of await openai.chat.completions.create({ ...BODY, ...STREAMED })) break
    const failing = openai.chat.completions.stream({ ...BODY, model: 'fake-forbidden' })
    await expect(failing.finalChatCompletion()).rejects.toThrow('excluded')
    const [failed, stopped, streamed] = await runs()
    expect(failed?.error).toContain('excluded')
    expect(stopped?.error).toContain('Cancelled')
    expect(streamed?.error).toContain('excluded')
  })
})

describe('a response', () => {
  it('is stored with its usage, whole and streamed', async () => {
    const openai = wrapped()
    const body = { model: MODEL, input: 'Say hello' }
    const whole = await openai.responses.create(body)
    for await (const _ of await openai.responses.create({ ...body, stream: true }));
    const final = await openai.responses.stream(body).finalResponse()
    expect([whole.output_text, final.output_text]).toEqual([ANSWER, ANSWER])
    const stored = await runs()
    expect(stored).toHaveLength(3)
    for (const run of stored) {
      expect(run).toMatchObject({ name: 'ChatOpenAI', run_type: 'llm', status: 'success' })
      expect(run.outputs).toMatchObject({ object: 'response', output: whole.output as object[], usage_metadata: USAGE })
      expect(run.outputs).not.toHaveProperty('usage')
      expect(metadataOf(run)).toMatchObject({ ls_invocation_params: { use_responses_api: true } })
    }
  })
})

describe('a wrapped client', () => {
  it('is still a client: class, options, answers of the transport', async () => {
    const openai = wrapped()
    expect(openai).toBeInstanceOf(OpenAI)
    const { data, response } = await openai.chat.completions.create(BODY).withResponse()
    expect([data.choices[0]?.message.content, response.status]).toEqual([ANSWER, 200])
    const raw = await openai.withOptions({ timeout: 5_000 }).chat.completions.create(BODY).asResponse()
    expect(raw.status).toBe(200)
    await raw.text()
    expect((await openai.models.list()).data.length).toBeGreaterThan(0)
    expect(await runs()).toHaveLength(2)
  })

  it('nests in a traced function, and gets a name, tags and metadata for one call, which the provider does not see', async () => {
    const openai = wrapped({ tags: ['all'] })
    const answer = traceable(
      async (question: string) => {
        const messages = [{ role: 'user' as const, content: question }]
        const langsmithExtra = { name: 'draft', tags: ['one'], metadata: { step: 1 } }
        const completion = await openai.chat.completions.create({ model: MODEL, messages }, { langsmithExtra })
        return 'choices' in completion ? completion.choices[0]?.message.content : ''
      },
      { name: 'answer', client, project_name: project, tracingEnabled: true },
    )
    expect(await answer('Say hello')).toBe(ANSWER)
    const [outer, inner] = await runs()
    expect(inner).toMatchObject({ name: 'draft', parent_run_id: outer?.id, inputs: { model: MODEL } })
    expect(inner?.tags?.toSorted()).toEqual(['all', 'one'])
    expect(metadataOf(inner)).toMatchObject({ step: 1 })
    expect(metadataOf(inner)).not.toHaveProperty('ls_agent_type')
    expect(JSON.stringify(provider.heard)).not.toContain('langsmithExtra')
  })

  it('is refused a second time, and calls straight through while tracing is off', async () => {
    expect(() => wrapOpenAI(wrapped())).toThrow('has been already wrapped once')
    const off = wrapped({ tracingEnabled: false })
    expect((await off.chat.completions.create(BODY)).choices[0]?.message.content).toBe(ANSWER)
    const azure = wrapOpenAI(
      new AzureOpenAI({ apiKey: 'none', apiVersion: '2026-01-01', baseURL: provider.url, maxRetries: 0 }),
      { client, project_name: project, tracingEnabled: true },
    )
    await azure.chat.completions.create(BODY).catch(() => undefined)
    const [run, ...others] = await runs()
    expect([run?.name, metadataOf(run)?.ls_provider, others]).toEqual(['AzureChatOpenAI', 'azure', []])
  })

  it('hides what its tracing client hides', async () => {
    client = new Client({ apiUrl: server.url, apiKey: 'any', hideInputs: true, hideOutputs: true })
    await wrapped().chat.completions.create(BODY)
    const [run] = await runs()
    expect([run?.inputs, run?.outputs]).toEqual([{}, {}])
    expect(run?.total_tokens).toBe(USAGE.total_tokens)
  })

  it('stores what the wrapper of the public package stores for the same call', async () => {
    const published = `published ${project}`
    const theirs = wrapPublished(new OpenAI({ apiKey: 'none', baseURL: provider.url }), {
      client: new PublishedClient({ apiUrl: server.url, apiKey: 'any', autoBatchTracing: false }),
      project_name: published,
      tracingEnabled: true,
    })
    await theirs.chat.completions.create(BODY)
    await wrapped().chat.completions.create(BODY)
    await expect.poll(async () => (await runs(published))[0]?.status).toBe('success')
    const [[own], [other]] = [await runs(), await runs(published)]
    for (const field of ['name', 'run_type', 'inputs', 'prompt_tokens', 'completion_tokens'] as const) {
      expect(own?.[field], field).toEqual(other?.[field])
    }
    const keys = ['ls_provider', 'ls_model_type', 'ls_model_name', 'ls_temperature', 'ls_max_tokens', 'ls_stop']
    for (const key of keys) expect(metadataOf(own)?.[key], key).toEqual(metadataOf(other)?.[key])
    expect(own?.outputs?.usage_metadata).toEqual(other?.outputs?.usage_metadata)
    expect(own?.outputs?.choices).toEqual(other?.outputs?.choices)
  })
})

describe('any other client', () => {
  it('has runs named by its class and its methods', async () => {
    class Search {
      readonly index = { find: async (query: string) => ({ found: [query] }) }
      readonly version = { major: 1 }
    }
    class Index {
      #count = 0
      add() {
        this.#count++
        return Promise.resolve({ count: this.#count })
      }
    }
    const search = wrapSDK(Object.assign(new Search(), { own: new Index() }), {
      client,
      project_name: project,
      tracingEnabled: true,
      run_type: 'tool',
    })
    expect(await search.own.add()).toEqual({ count: 1 })
    expect(search.version.major).toBe(1)
    const [run] = await runs()
    expect(run).toMatchObject({ name: 'Search.own.add', run_type: 'tool', outputs: { count: 1 } })
  })
})
