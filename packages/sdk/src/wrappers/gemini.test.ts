import { describe, expect, it } from 'vitest'
import type { KVMap } from '../schemas.ts'
import { wrapGemini } from './gemini.ts'

/** The outputs that are recorded of a stream with these pieces. */
async function record(...pieces: KVMap[]): Promise<KVMap> {
  let outputs: KVMap = {}
  const client = {
    createRun: () => Promise.resolve(),
    updateRun: (_id: string, run: { outputs?: KVMap }) => {
      outputs = run.outputs ?? {}
      return Promise.resolve()
    },
  }
  const models = {
    generateContent: () => Promise.resolve({}),
    generateContentStream: (_body: object) =>
      Promise.resolve(
        (async function* () {
          yield* pieces
        })(),
      ),
  }
  const gemini = wrapGemini({ models }, { client: client as never, tracingEnabled: true })
  for await (const _ of (await gemini.models.generateContentStream({
    model: 'gemini-2.5-flash',
    contents: 'Hi',
  })) as AsyncIterable<unknown>);
  await new Promise((resolve) => setImmediate(resolve))
  return outputs
}

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
})
