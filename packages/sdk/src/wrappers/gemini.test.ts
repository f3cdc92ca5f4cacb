import { describe, expect, it } from 'vitest'
import type { KVMap } from '../schemas.ts'
import { wrapGemini } from './gemini.ts'
import { countIterated } from './testing/count-iterated.ts'

interface Recorded {
  inputs?: KVMap
  outputs?: KVMap
}

/** What is recorded of a call with these contents, whose stream has these pieces, or which returns a whole response. */
async function recordCall(contents: unknown, response: KVMap | readonly KVMap[]): Promise<Recorded> {
  const recorded: Recorded = {}
  const client = {
    createRun: ({ inputs }: Recorded) => Promise.resolve(Object.assign(recorded, { inputs })),
    updateRun: (_id: string, { outputs }: Recorded) => Promise.resolve(Object.assign(recorded, { outputs })),
  }
  const models = {
    generateContent: (_body: object) => Promise.resolve(response),
    generateContentStream: (_body: object) =>
      Promise.resolve(
        (async function* () {
          yield* response as readonly KVMap[]
        })(),
      ),
  }
  const gemini = wrapGemini({ models }, { client: client as never, tracingEnabled: true })
  const body = { model: 'gemini-2.5-flash', contents }
  if (Array.isArray(response)) {
    for await (const _ of (await gemini.models.generateContentStream(body)) as AsyncIterable<unknown>);
  } else await gemini.models.generateContent(body, {})
  await new Promise((resolve) => setImmediate(resolve))
  return recorded
}

const record = async (...pieces: KVMap[]) => (await recordCall('Hi', pieces)).outputs ?? {}
const recordInputs = async (contents: unknown) => (await recordCall(contents, [])).inputs?.messages

const piece = (text: string, rest: KVMap = {}) => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, ...rest }],
})

describe('a stream of Gemini', () => {
  it('has a call whose arguments are streamed once', async () => {
    const ofCall = (functionCall: KVMap) => ({
      candidates: [{ content: { role: 'model', parts: [{ functionCall }] } }],
    })
    const { tool_calls, content } = await record(
      ofCall({ id: 'c1', name: 'light', willContinue: true }),
      ofCall({ partialArgs: [{ jsonPath: '$.color', stringValue: 'wa', willContinue: true }], willContinue: true }),
      ofCall({ partialArgs: [{ jsonPath: '$.color', stringValue: 'rm' }], willContinue: true }),
      ofCall({}),
      ofCall({ id: 'c2', name: 'now', args: {} }),
    )
    const call = (id: string, name: string, args: string) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    })
    expect(tool_calls).toEqual([call('c1', 'light', '{"color":"warm"}'), call('c2', 'now', '{}')])
    expect(content).toBeNull()
  })

  it('has tokens of audio and images with their own prices', async () => {
    const usageMetadata = {
      promptTokenCount: 1000,
      cachedContentTokenCount: 200,
      candidatesTokenCount: 60,
      thoughtsTokenCount: 10,
      totalTokenCount: 1070,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 300 },
        { modality: 'AUDIO', tokenCount: 700 },
      ],
      cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 200 }],
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 40 }],
    }
    expect((await record(piece('a'), { ...piece('b'), usageMetadata })).usage_metadata).toEqual({
      input_tokens: 1000,
      output_tokens: 70,
      total_tokens: 1070,
      input_token_details: { audio_cache_read: 200, audio: 500 },
      output_token_details: { reasoning: 10, image: 40 },
    })
  })

  it('has the audio of a long prompt, results of tools, and the tier', async () => {
    const usageMetadata = {
      promptTokenCount: 250_000,
      toolUsePromptTokenCount: 1000,
      candidatesTokenCount: 60,
      totalTokenCount: 251_060,
      trafficType: 'ON_DEMAND_FLEX',
      promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 250_000 }],
    }
    expect((await record({ ...piece('b'), usageMetadata })).usage_metadata).toEqual({
      input_tokens: 251_000,
      output_tokens: 60,
      total_tokens: 251_060,
      input_token_details: { audio: 250_000, flex: 1000 },
      output_token_details: { flex: 60 },
    })
  })

  it('keeps the citations of each piece, and why a prompt was blocked', async () => {
    const cited = (uri: string) => ({ citationMetadata: { citations: [{ uri }] } })
    expect(await record(piece('a', cited('one')), piece('b', cited('two')), piece('c'))).toMatchObject({
      content: 'abc',
      citation_metadata: { citations: [{ uri: 'one' }, { uri: 'two' }] },
    })
    const blocked = await record({ promptFeedback: { blockReason: 'SAFETY' } })
    expect(blocked).toMatchObject({ prompt_feedback: { blockReason: 'SAFETY' } })
  })

  it('has all members of its candidates and of the response', async () => {
    const about = {
      finishReason: 'MAX_TOKENS',
      finishMessage: 'Too long',
      avgLogprobs: -0.5,
      urlContextMetadata: { urlMetadata: [{ retrievedUrl: 'https://example.com' }] },
    }
    const logprobs = (token: string) => ({ logprobsResult: { chosenCandidates: [{ token }] } })
    const grounding = { groundingMetadata: { webSearchQueries: ['a'] } }
    expect(
      await record(
        { ...piece('a', { ...grounding, ...logprobs('a') }), responseId: 'r', modelVersion: 'gemini-3' },
        { ...piece('b', { ...about, groundingMetadata: { groundingChunks: [] }, ...logprobs('b') }), responseId: 'r' },
        { sdkHttpResponse: { headers: { secret: 'x' } }, createTime: 'now' },
      ),
    ).toEqual({
      role: 'assistant',
      content: 'ab',
      grounding_metadata: { webSearchQueries: ['a'], groundingChunks: [] },
      logprobs_result: { chosenCandidates: [{ token: 'a' }, { token: 'b' }] },
      finish_reason: 'MAX_TOKENS',
      finish_message: 'Too long',
      avg_logprobs: -0.5,
      url_context_metadata: about.urlContextMetadata,
      response_id: 'r',
      model: 'gemini-3',
      create_time: 'now',
    })
  })

  it('has the tokens of a prompt that was blocked', async () => {
    const usageMetadata = { promptTokenCount: 3, totalTokenCount: 3 }
    const response = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata }
    expect((await recordCall('Hi', response)).outputs).toMatchObject({
      prompt_feedback: { blockReason: 'SAFETY' },
      usage_metadata: { input_tokens: 3 },
    })
  })

  it('has the signatures of texts, thoughts, calls and images', async () => {
    const part = (value: KVMap) => ({ candidates: [{ content: { role: 'model', parts: [value] } }] })
    const { content, tool_calls } = await record(
      part({ text: 'Hm', thought: true }),
      part({ text: '', thought: true, thoughtSignature: 's1' }),
      part({ text: 'Two ' }),
      part({ text: 'words' }),
      part({ text: '', thoughtSignature: 's2' }),
      part({ text: 'More' }),
      part({ inlineData: { mimeType: 'image/png', data: 'iVBO' }, thoughtSignature: 's3' }),
      part({ functionCall: { name: 'f', args: {} }, thoughtSignature: 's4' }),
      part({ functionCall: { name: 'g', args: {} } }),
    )
    expect(content).toEqual([
      { type: 'reasoning', reasoning: 'Hm', thoughtSignature: 's1' },
      { type: 'text', text: 'Two words', thoughtSignature: 's2' },
      { type: 'text', text: 'More' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' }, thoughtSignature: 's3' },
    ])
    expect(tool_calls).toEqual([
      { id: 'call_0', type: 'function', function: { name: 'f', arguments: '{}' }, thoughtSignature: 's4' },
      { id: 'call_1', type: 'function', function: { name: 'g', arguments: '{}' } },
    ])
  })

  it('of many parts and citations copies each a few times', async () => {
    const pieces = Array.from({ length: 1000 }, (_, at) =>
      piece('', {
        content: { parts: [{ text: 'a', thought: at % 2 === 0 }] },
        citationMetadata: { citations: [{ uri: `${at}` }] },
        logprobsResult: { chosenCandidates: [{ token: 'a' }] },
      }),
    )
    const result = await countIterated(() => record(...pieces))
    expect(result).toBeLessThan(100_000)
  })
})

describe('contents for Gemini', () => {
  it('are messages in the order of their parts, with the files of results', async () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'iVBO' } }
    const named = { inlineData: { mimeType: 'image/png', data: 'iVBO', displayName: 'a.png' } }
    const sound = { inlineData: { mimeType: 'audio/mp3', data: 'SUQz' } }
    expect(
      await recordInputs([
        { role: 'user', parts: [{ text: 'Look: ' }, sound, named] },
        {
          role: 'model',
          parts: [
            { functionCall: { name: 'shoot', args: { at: 1 } }, thoughtSignature: 's' },
            { functionCall: { name: 'shoot', args: { at: 2 } } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { name: 'shoot', response: { ok: true }, parts: [image], scheduling: 'SILENT' } },
            { functionResponse: { name: 'shoot', parts: [image] } },
            { text: 'and?' },
            { functionResponse: { id: 'x', name: 'other', response: {} } },
          ],
        },
        { role: 'model', parts: [{ functionCall: { name: 'shoot', args: {} } }] },
      ]),
    ).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Look: ' }, sound, named] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_0', type: 'function', function: { name: 'shoot', arguments: '{"at":1}' }, thoughtSignature: 's' },
          { id: 'call_1', type: 'function', function: { name: 'shoot', arguments: '{"at":2}' } },
        ],
      },
      {
        role: 'tool',
        tool_call_id: 'call_0',
        name: 'shoot',
        content: [
          { type: 'text', text: '{"ok":true}' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
        ],
        scheduling: 'SILENT',
      },
      {
        role: 'tool',
        tool_call_id: 'call_1',
        name: 'shoot',
        content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } }],
      },
      { role: 'user', content: 'and?' },
      { role: 'tool', tool_call_id: 'x', name: 'other', content: '{}' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_2', type: 'function', function: { name: 'shoot', arguments: '{}' } }],
      },
    ])
  })
})
