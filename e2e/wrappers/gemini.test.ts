import { GoogleGenAI } from '@google/genai'
import { Client } from '@touchstone/sdk'
import type { Run } from '@touchstone/sdk/schemas'
import wrapByDefault, { wrapGemini } from '@touchstone/sdk/wrappers/gemini'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FAKE_TEXT, FAKE_TOKENS, type FakeProvider, startFakeProvider } from '../support/fake-provider.ts'
import { type SharedServer, shareServer } from '../support/share-server.ts'

let server: SharedServer
let provider: FakeProvider
let client: Client
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
})

function wrapped() {
  const baseUrl = provider.geminiUrl.replace(/\/v1beta$/, '')
  const ai = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl } })
  return wrapGemini(ai, { client, project_name: project, tracingEnabled: true })
}

/** The runs of the project, by start. */
async function runs(): Promise<Run[]> {
  await client.flush()
  const found: Run[] = []
  for await (const run of client.listRuns({ projectName: project })) found.push(run)
  return found.sort((a, b) => (String(a.start_time) < String(b.start_time) ? -1 : 1))
}

const metadataOf = (run: Run | undefined) => run?.extra?.metadata as Record<string, unknown> | undefined

const model = 'fake-model'
const ANSWER = FAKE_TEXT.join('')
const USAGE = {
  input_tokens: FAKE_TOKENS.prompt,
  output_tokens: FAKE_TOKENS.completion,
  total_tokens: FAKE_TOKENS.prompt + FAKE_TOKENS.completion,
  input_token_details: { cache_read: FAKE_TOKENS.cached },
  output_token_details: { reasoning: FAKE_TOKENS.reasoning },
}

describe('a call of Gemini', () => {
  it('is stored with messages, usage and parameters, whole and streamed', async () => {
    const ai = wrapped()
    const config = { systemInstruction: 'Be short.', temperature: 0.5, maxOutputTokens: 64, stopSequences: ['END'] }
    const whole = await ai.models.generateContent({ model, contents: 'Say hello', config })
    const pieces: string[] = []
    for await (const piece of await ai.models.generateContentStream({ model, contents: 'Say hello', config })) {
      pieces.push(piece.text ?? '')
    }
    expect([whole.text, pieces.join('')]).toEqual([ANSWER, ANSWER])
    const stored = await runs()
    expect(stored).toHaveLength(2)
    for (const run of stored) {
      expect(run).toMatchObject({ name: 'ChatGoogleGenerativeAI', run_type: 'llm', status: 'success' })
      expect(run.inputs).toEqual({
        model,
        messages: [
          { role: 'system', content: 'Be short.' },
          { role: 'user', content: 'Say hello' },
        ],
        config: { temperature: 0.5, maxOutputTokens: 64, stopSequences: ['END'] },
      })
      expect(run.outputs).toMatchObject({
        role: 'assistant',
        content: ANSWER,
        finish_reason: 'STOP',
        usage_metadata: USAGE,
      })
      expect(run).toMatchObject({ prompt_tokens: FAKE_TOKENS.prompt, completion_tokens: FAKE_TOKENS.completion })
      expect(metadataOf(run)).toMatchObject({
        ls_provider: 'google',
        ls_model_type: 'chat',
        ls_model_name: model,
        ls_temperature: 0.5,
        ls_max_tokens: 64,
        ls_stop: ['END'],
      })
    }
    expect(stored[1]?.first_token_time).toBeTruthy()
  })

  it('keeps calls and results of tools, and pictures', async () => {
    const functionDeclarations = [{ name: 'weather', parametersJsonSchema: { type: 'object' } }]
    const contents = [
      { role: 'user', parts: [{ text: 'Use a tool please' }, { inlineData: { mimeType: 'image/png', data: 'iVBO' } }] },
      { role: 'model', parts: [{ functionCall: { id: 'c0', name: 'weather', args: { city: 'Bern' } } }] },
      { role: 'user', parts: [{ functionResponse: { id: 'c0', name: 'weather', response: { sky: 'grey' } } }] },
      { role: 'user', parts: [{ text: 'Use a tool please' }] },
    ]
    const ai = wrapped()
    const config = { tools: [{ functionDeclarations }] }
    await ai.models.generateContent({ model, contents, config })
    await ai.models.generateContent({ model, contents: 'Use a tool please', config })
    for await (const _ of await ai.models.generateContentStream({ model, contents: 'Use a tool please', config }));
    const [run, calling, streamed] = await runs()
    expect(run?.inputs.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Use a tool please' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c0', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }],
      },
      { role: 'tool', tool_call_id: 'c0', name: 'weather', content: '{"sky":"grey"}' },
      { role: 'user', content: 'Use a tool please' },
    ])
    const call = { type: 'function', function: { name: 'weather', arguments: '{"city":"Zürich"}' } }
    for (const one of [calling, streamed]) expect(one?.outputs).toMatchObject({ content: null, tool_calls: [call] })
  })

  it('has the error of a failure; the client is still one, and is refused a second time', async () => {
    const ai = wrapped()
    await expect(ai.models.generateContent({ model: 'fake-forbidden', contents: 'Hi' })).rejects.toThrow('excluded')
    expect(ai).toBeInstanceOf(GoogleGenAI)
    expect(() => wrapByDefault(ai)).toThrow('has been already wrapped once')
    const [run] = await runs()
    expect(run?.error).toContain('excluded')
  })
})
