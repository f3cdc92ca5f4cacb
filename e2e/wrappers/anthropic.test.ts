import Anthropic from '@anthropic-ai/sdk'
import { Client } from '@touchstone/sdk'
import type { Run } from '@touchstone/sdk/schemas'
import { createUsageMetadata, wrapAnthropic } from '@touchstone/sdk/wrappers/anthropic'
import { Client as PublishedClient } from 'langsmith'
import { wrapAnthropic as wrapPublished } from 'langsmith/wrappers/anthropic'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FAKE_TEXT, FAKE_TOKENS, type FakeProvider, startFakeProvider } from '../support/fake-provider.ts'
import { type SharedServer, shareServer } from '../support/share-server.ts'

let server: SharedServer
let provider: FakeProvider
let client: Client
let anthropic: Anthropic
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
  anthropic = newAnthropic()
})

const newAnthropic = () => new Anthropic({ apiKey: 'none', baseURL: provider.url.replace(/\/v1$/, ''), maxRetries: 0 })
const wrapped = () => wrapAnthropic(anthropic, { client, project_name: project, tracingEnabled: true })

/** The runs of the project, by start. */
async function runs(name = project): Promise<Run[]> {
  await client.flush()
  const found: Run[] = []
  for await (const run of client.listRuns({ projectName: name })) found.push(run)
  return found.sort((a, b) => (String(a.start_time) < String(b.start_time) ? -1 : 1))
}

const metadataOf = (run: Run | undefined) => run?.extra?.metadata as Record<string, unknown> | undefined

const ASKED = { role: 'user' as const, content: 'Say hello' }
const BODY = { model: 'fake-model', max_tokens: 64, system: 'Be short.', messages: [ASKED], temperature: 0.5 }
const TOOL_BODY = {
  model: 'fake-model',
  max_tokens: 64,
  messages: [{ role: 'user' as const, content: 'Use a tool please' }],
  tools: [{ name: 'weather', input_schema: { type: 'object' as const } }],
}
const ANSWER = FAKE_TEXT.join('')
const USAGE = {
  input_tokens: FAKE_TOKENS.prompt,
  output_tokens: FAKE_TOKENS.completion,
  total_tokens: FAKE_TOKENS.prompt + FAKE_TOKENS.completion,
  input_token_details: { cache_read: FAKE_TOKENS.cached },
}

describe('a message', () => {
  it('is stored as the provider answered it, with its system prompt, usage and parameters', async () => {
    const answer = await wrapped().messages.create({ ...BODY, stop_sequences: ['END'] })
    const [run, ...others] = await runs()
    expect(others).toEqual([])
    expect(run).toMatchObject({ name: 'ChatAnthropic', run_type: 'llm', status: 'success' })
    expect(run?.inputs).toMatchObject({ messages: [{ role: 'system', content: 'Be short.' }, ASKED], max_tokens: 64 })
    expect(run?.inputs).not.toHaveProperty('system')
    const { usage: _, type: __, ...rest } = JSON.parse(JSON.stringify(answer)) as Record<string, unknown>
    expect(run?.outputs).toEqual({ ...rest, usage_metadata: USAGE })
    expect(run).toMatchObject({ prompt_tokens: FAKE_TOKENS.prompt, completion_tokens: FAKE_TOKENS.completion })
    expect(metadataOf(run)).toMatchObject({
      ls_provider: 'anthropic',
      ls_model_type: 'chat',
      ls_model_name: 'fake-model',
      ls_temperature: 0.5,
      ls_max_tokens: 64,
      ls_stop: ['END'],
      usage_metadata: USAGE,
    })
  })

  it('has the same outputs when it is streamed, by create and by stream, with the time of the first token', async () => {
    const anthropic = wrapped()
    const whole = await anthropic.messages.create(BODY)
    for await (const _ of await anthropic.messages.create({ ...BODY, stream: true }));
    const final = await anthropic.messages.stream(BODY).finalMessage()
    expect(final.content).toMatchObject([{ type: 'text', text: ANSWER }])
    const stored = await runs()
    expect(stored).toHaveLength(3)
    for (const run of stored) {
      expect(run.outputs?.content).toMatchObject([{ type: 'text', text: ANSWER }])
      expect(run.outputs).toMatchObject({ role: 'assistant', stop_reason: whole.stop_reason, usage_metadata: USAGE })
    }
    for (const run of stored.slice(1)) expect(run.first_token_time).toBeTruthy()
  })

  it('keeps calls of tools and thinking, also from a stream', async () => {
    const anthropic = wrapped()
    const whole = await anthropic.messages.create(TOOL_BODY)
    for await (const _ of await anthropic.messages.create({ ...TOOL_BODY, stream: true }));
    const thinking = { ...BODY, model: 'fake-reasoning' }
    const thought = await anthropic.messages.create(thinking)
    for await (const _ of await anthropic.messages.create({ ...thinking, stream: true }));
    const [tool, toolStream, thinkingRun, thinkingStream] = await runs()
    expect(whole.content[0]).toMatchObject({ type: 'tool_use', name: 'weather' })
    expect([tool?.outputs?.content, toolStream?.outputs?.content]).toEqual([whole.content, whole.content])
    expect(thinkingRun?.outputs?.content).toEqual(thought.content)
    expect(thinkingStream?.outputs?.content).toEqual(thought.content)
  })

  it('has the error of a failure', async () => {
    const anthropic = wrapped()
    const body = { ...BODY, model: 'fake-forbidden' }
    await expect(anthropic.messages.create(body)).rejects.toThrow('excluded')
    await expect(anthropic.messages.stream(body).finalMessage()).rejects.toThrow('excluded')
    const stored = await runs()
    expect(stored.map(({ error }) => error?.includes('excluded'))).toEqual([true, true])
  })

  it('does not contain the credentials of MCP servers', async () => {
    const mcp_servers = [
      { type: 'url' as const, name: 'files', url: 'https://files.test', authorization_token: 's3cret' },
    ]
    await wrapped().beta.messages.create({ ...BODY, mcp_servers })
    const [run] = await runs()
    expect(run?.inputs.mcp_servers).toEqual([{ ...mcp_servers[0], authorization_token: '[SECRET_DETECTED]' }])
    expect(provider.heard.at(-1)?.text).toContain('s3cret')
  })

  it('is stored as the wrapper of the public package stores it', async () => {
    const published = `published ${project}`
    const theirs = wrapPublished(newAnthropic(), {
      client: new PublishedClient({ apiUrl: server.url, apiKey: 'any', autoBatchTracing: false }),
      project_name: published,
      tracingEnabled: true,
    })
    await theirs.messages.create(BODY)
    await wrapped().messages.create(BODY)
    await expect.poll(async () => (await runs(published))[0]?.status).toBe('success')
    const [[own], [other]] = [await runs(), await runs(published)]
    for (const field of ['name', 'run_type', 'inputs', 'prompt_tokens', 'completion_tokens'] as const) {
      expect(own?.[field], field).toEqual(other?.[field])
    }
    const keys = ['ls_provider', 'ls_model_type', 'ls_model_name', 'ls_temperature', 'ls_max_tokens']
    for (const key of keys) expect(metadataOf(own)?.[key], key).toEqual(metadataOf(other)?.[key])
    expect(own?.outputs?.content).toEqual(other?.outputs?.content)
  })
})

describe('the usage of a message', () => {
  it('contains the tokens of the cache in its input, by their time to live', () => {
    const cache_creation = { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 }
    const usage = { input_tokens: 5, output_tokens: 7, cache_read_input_tokens: 3, cache_creation_input_tokens: 30 }
    expect(createUsageMetadata({ ...usage, cache_creation })).toEqual({
      input_tokens: 38,
      output_tokens: 7,
      total_tokens: 45,
      input_token_details: { ephemeral_5m_input_tokens: 10, ephemeral_1hr_input_tokens: 20, cache_read: 3 },
    })
    expect(createUsageMetadata({ ...usage, cache_creation: null })).toMatchObject({
      input_tokens: 38,
      input_token_details: { ephemeral_5m_input_tokens: 30, cache_read: 3 },
    })
  })
})
