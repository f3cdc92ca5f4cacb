import { describe, expect, it } from 'vitest'
import { readRequestFees } from './request-fees.ts'

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
const search = { type: 'web_search_call', id: 'ws', status: 'completed' }

describe('what a call is charged for beside its tokens', () => {
  it.each<[string, unknown, Record<string, number>]>([
    ['nothing', { usage }, {}],
    ['no response', undefined, {}],
    ['a request of Perplexity', { usage: { ...usage, search_context_size: 'low' } }, { requests: 1 }],
    ['its cost', { usage: { ...usage, cost: { request_cost: 0.005, total_cost: 0.006 } } }, { requests: 1 }],
    ['no request cost', { usage: { ...usage, cost: { request_cost: 0, total_cost: 0.006 } } }, {}],
    [
      'deep research',
      { usage: { ...usage, citation_tokens: 20016, num_search_queries: 30 } },
      { citation_tokens: 20016, web_searches: 30 },
    ],
    [
      'searches of Anthropic',
      {
        content: [
          { type: 'server_tool_use', name: 'web_search', input: {} },
          { type: 'text', text: 'x' },
        ],
        usage: { ...usage, server_tool_use: { web_search_requests: 3, web_fetch_requests: 2 } },
      },
      { web_searches: 3 },
    ],
    [
      'searches whose usage a wrapper dropped',
      { content: [{ type: 'server_tool_use', name: 'web_search' }], usage_metadata: usage },
      { web_searches: 1 },
    ],
    [
      'another tool of a server',
      { usage: { server_tool_use: { code_execution_requests: 1 } } },
      { code_execution_requests: 1 },
    ],
    [
      'tools of OpenAI',
      {
        output: [
          { ...search, action: { type: 'search' } },
          search,
          { ...search, action: { type: 'open_page' } },
          { type: 'file_search_call' },
          { type: 'code_interpreter_call' },
          { type: 'image_generation_call' },
          { type: 'message' },
        ],
        usage,
      },
      { web_searches: 2, file_searches: 1, code_interpreter_calls: 1, generated_images: 1 },
    ],
    ['an event of a stream', { response: { output: [search] } }, { web_searches: 1 }],
    [
      'a search model of chat completions',
      { choices: [{ message: { content: 'x', annotations: [{ type: 'url_citation' }] } }] },
      { web_searches: 1 },
    ],
    ['sources of xAI', { usage: { ...usage, num_sources_used: 4 } }, { search_sources: 4 }],
    ['grounding', { candidates: [{ groundingMetadata: { webSearchQueries: ['a', 'b'] } }] }, { grounded_requests: 1 }],
    ['grounding without a search', { candidates: [{ groundingMetadata: {} }] }, {}],
    [
      'grounding in Python',
      { candidates: [{ grounding_metadata: { grounding_chunks: [{}] } }] },
      { grounded_requests: 1 },
    ],
    [
      'messages of LangChain',
      {
        generations: [
          [{ message: { kwargs: { response_metadata: { usage: { server_tool_use: { web_search_requests: 2 } } } } } }],
        ],
      },
      { web_searches: 2 },
    ],
    [
      'tool outputs of LangChain',
      { output: { response_metadata: {}, additional_kwargs: { tool_outputs: [search] } } },
      { web_searches: 1 },
    ],
    [
      'grounding of LangChain',
      { message: { response_metadata: { grounding_metadata: { web_search_queries: ['a'] } } } },
      { grounded_requests: 1 },
    ],
  ])('is read: %s', (_name, outputs, fees) => {
    expect(readRequestFees(undefined, outputs)).toEqual(fees)
  })

  it('is read from the attributes of a span', () => {
    const extra = { otel: { attributes: { 'gen_ai.usage.details.web_search_requests': 2 } } }
    expect(readRequestFees(extra, undefined)).toEqual({ web_searches: 2 })
  })
})
