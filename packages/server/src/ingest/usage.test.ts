import { describe, expect, it } from 'vitest'
import { readUsage } from './usage.ts'

const METADATA = { input_tokens: 20, output_tokens: 10, total_tokens: 30, input_token_details: { cache_read: 5 } }
const message = { kwargs: { usage_metadata: METADATA } }

describe('finding what a run used', () => {
  it.each([
    ['metadata of the run', { metadata: { usage_metadata: METADATA } }, {}],
    ['outputs', {}, { usage_metadata: METADATA }],
    ['a value of outputs', {}, { message: { usage_metadata: METADATA } }],
    ['a serialized message', {}, { message }],
    ['generations', {}, { generations: [[{ text: '', message }]] }],
    ['generations of plain messages', {}, { generations: [[{ message: { usage_metadata: METADATA } }]] }],
  ])('reads it from %s', (_where, extra, outputs) => {
    expect(readUsage(extra, outputs)).toMatchObject({
      promptTokens: 20,
      completionTokens: 10,
      totalTokens: 30,
      promptDetails: { cache_read: 5 },
    })
  })

  it.each([
    [
      'OpenAI chat',
      { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13, prompt_tokens_details: { cached_tokens: 2 } },
      { promptTokens: 9, completionTokens: 4, totalTokens: 13, promptDetails: { cache_read: 2 } },
    ],
    [
      'OpenAI responses',
      { input_tokens: 9, output_tokens: 4, total_tokens: 13, output_tokens_details: { reasoning_tokens: 3 } },
      { promptTokens: 9, completionTokens: 4, totalTokens: 13, completionDetails: { reasoning: 3 } },
    ],
    [
      'Anthropic, whose cached tokens stand beside the others',
      { input_tokens: 10, output_tokens: 4, cache_read_input_tokens: 100, cache_creation_input_tokens: 7 },
      {
        promptTokens: 117,
        completionTokens: 4,
        totalTokens: 121,
        promptDetails: { cache_read: 100, cache_creation: 7 },
      },
    ],
  ])('reads the usage of %s', (_provider, usage, expected) => {
    expect(readUsage({}, { usage })).toMatchObject(expected)
  })

  it('adds up the prompts of a batch', () => {
    const usage = readUsage({}, { generations: [[{ message }], [{ message }]] })
    expect(usage).toMatchObject({ promptTokens: 40, totalTokens: 60, promptDetails: { cache_read: 10 } })
  })

  it('finds nothing in prototypes, strings or lists', () => {
    expect(readUsage({ metadata: 'usage_metadata' }, { constructor: 1 })).toBeUndefined()
    expect(readUsage(null, [1])).toBeUndefined()
  })
})
