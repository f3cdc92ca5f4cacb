import { randomBytes } from 'node:crypto'
import { contract, decodeTraceRuns, type Run, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aRequest } from '../testing/otlp-request.ts'
import { type StartedApp, startApp } from '../testing/start-app.ts'
import { toTraceUuid } from './otlp/tree/span-ids.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const read = async (run_id: string): Promise<Run> => (await app.call(contract.runs.read, { params: { run_id } })).body

interface Call {
  readonly model?: string
  readonly outputs?: object
  readonly runType?: string
}

/** Stores a run as the clients of LangSmith send it. */
async function readCall({ model, outputs = {}, runType = 'llm' }: Call): Promise<Run> {
  const id = uuid7()
  const extra = { metadata: { ls_model_name: model } }
  const start_time = new Date().toISOString()
  const run = { id, trace_id: id, name: 'call', run_type: runType, start_time, session_name: 'usage', extra, outputs }
  await app.call(contract.runs.batch, { body: { post: [{ ...run, inputs: {} }] } })
  return read(id)
}

/** Stores a root span. */
async function readSpan(attributes: Record<string, string | number>, project = 'spans'): Promise<Run> {
  const traceId = randomBytes(16).toString('hex')
  const span = { traceId, spanId: randomBytes(8).toString('hex'), name: 'call', attributes: toAttributes(attributes) }
  const headers = { 'content-type': 'application/json', 'langsmith-project': project }
  const sent = await app.fetch('/otel/v1/traces', { method: 'POST', headers, body: JSON.stringify(aRequest([span])) })
  expect(sent.status, await sent.text()).toBe(200)
  return read(toTraceUuid(traceId))
}

const toAttributes = (attributes: Record<string, string | number>) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { doubleValue: value },
  }))

describe('sums say how much of a cost was reported, and of how many calls the fees are missing', () => {
  it('by traces, statistics, charts, projects, threads, usage and SQL', async () => {
    const [root, ...below] = [uuid7(), uuid7(), uuid7()]
    const start_time = new Date().toISOString()
    const metadata = { thread_id: 'money' }
    const tokens = { prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 1_000_000 }
    // A cost that is reported contains the searches; one that is computed does not.
    const usage = { ...tokens, server_tool_use: { web_search_requests: 2 } }
    const common = { trace_id: root, start_time, end_time: start_time, session_name: 'reported sums', inputs: {} }
    const post = [
      { ...common, id: root, name: 'agent', run_type: 'chain', extra: { metadata } },
      ...[
        { ls_model_name: 'gpt-4o', outputs: { usage } },
        { ls_model_name: 'a-model-of-mine', outputs: { usage: { ...usage, cost: 0.5 } } },
      ].map(({ ls_model_name, outputs }, at) => ({
        ...common,
        ...{ id: below[at]!, parent_run_id: root, name: 'call', run_type: 'llm', outputs },
        extra: { metadata: { ...metadata, ls_model_name } },
      })),
    ]
    await app.call(contract.runs.batch, { body: { post } })
    const costs = { total_cost: '3', reported_cost: '0.5', unpriced_fees: 1 }
    expect(await read(root!)).toMatchObject(costs)
    expect(await read(below[0]!)).toMatchObject({ total_cost: '2.5', reported_cost: null, unpriced_fees: 1 })
    expect(await read(below[1]!)).toMatchObject({ unpriced_fees: null })
    const session = [(await read(root!)).session_id]
    for (const body of [{ session }, { session, is_root: true }, { session, filter: 'eq(run_type, "llm")' }]) {
      const sums = { total_cost: 3, reported_cost: 0.5, unpriced_fees: 1 }
      expect((await app.call(contract.runStats.stats, { body })).body).toMatchObject(sums)
      expect((await app.call(contract.runSeries.series, { body })).body.total).toMatchObject(sums)
    }
    const query = { name: 'reported sums', include_stats: 'true' }
    expect((await app.call(contract.projects.list, { query })).body[0]).toMatchObject(costs)
    const filtered = { ...query, stats_filter: 'eq(name, "agent")' }
    expect((await app.call(contract.projects.list, { query: filtered })).body[0]).toMatchObject(costs)
    const threads = await app.call(contract.threadsV2.query, { body: { project_id: session[0]! } })
    expect(threads.body.items[0]).toMatchObject({ total_cost: 3, reported_cost: 0.5, unpriced_fees: 1 })
    const tree = (await app.call(contract.traces.runs, { params: { trace_id: root! } })).body
    expect(tree.runs.map((run) => run.reported_cost)).toEqual([null, null, '0.5'])
    expect(tree.runs.map((run) => run.unpriced_fees)).toEqual([null, 1, null])
    const { runs } = (await app.call(contract.traces.runColumns, { params: { trace_id: root! } })).body
    expect([...decodeTraceRuns(runs).reportedCosts]).toEqual([2])
    expect([...decodeTraceRuns(runs).unpricedFees]).toEqual([1])
    const groups = await app.call(contract.runStats.group, {
      body: { session_id: session[0]!, group_by: 'conversation' },
    })
    expect(groups.body.groups).toMatchObject([{ total_cost: 3, reported_cost: 0.5, unpriced_fees: 1 }])
    const usageOf = { query: { session: session[0]! } }
    const report = (await app.call(contract.usage.read, usageOf)).body
    for (const sums of [report.total, report.days.at(-1), report.projects[0]]) expect(sums).toMatchObject(costs)
    const { models } = (await app.call(contract.usage.models, usageOf)).body
    expect(models.map((one) => [one.model, one.total_cost, one.reported_cost, one.unpriced_fees])).toEqual([
      ['gpt-4o', '2.5', null, 1],
      ['a-model-of-mine', '0.5', '0.5', null],
    ])
    const statement = `select total_cost, reported_cost, unpriced_fees from runs where trace_id = '${root}' and run_type = 'llm' and start_time >= '2020-01-01' order by total_cost`
    const table = (await app.call(contract.sql.query, { body: { project_ids: session, query: statement } })).body
    expect(table.rows).toEqual([
      [0.5, 0.5, 0],
      [2.5, null, 1],
    ])
  })
})

describe('tokens and costs that are read from what was reported', () => {
  it('embeddings have tokens and a price', async () => {
    const attributes = { 'gen_ai.request.model': 'text-embedding-3-small', 'gen_ai.usage.input_tokens': 8000 }
    const span = await readSpan({ ...attributes, 'gen_ai.operation.name': 'embeddings' })
    expect(span).toMatchObject({
      run_type: 'embedding',
      prompt_tokens: 8000,
      total_tokens: 8000,
      total_cost: '0.00016',
    })
    const usage = { prompt_tokens: 8000, total_tokens: 8000 }
    const run = await readCall({ model: 'text-embedding-3-small', outputs: { usage }, runType: 'embedding' })
    expect(run).toMatchObject({ prompt_tokens: 8000, total_cost: '0.00016' })
  })

  it('MLflow, which writes each attribute as JSON', async () => {
    const run = await readSpan({
      'mlflow.spanType': '"CHAT_MODEL"',
      'mlflow.llm.model': '"gpt-4o"',
      'mlflow.trace.session': '"sess-1"',
      'mlflow.chat.tokenUsage': '{"input_tokens": 9, "output_tokens": 3, "total_tokens": 12}',
    })
    expect(run).toMatchObject({ prompt_tokens: 9, completion_tokens: 3, total_cost: '0.0000525', thread_id: 'sess-1' })
    expect(run.extra).toMatchObject({ metadata: { ls_model_name: 'gpt-4o' } })
  })

  it('LiteLLM counts the cache once', async () => {
    const usage = {
      prompt_tokens: 9800,
      completion_tokens: 50,
      total_tokens: 9850,
      prompt_tokens_details: { cached_tokens: 6600, cache_creation_tokens: 3100 },
      cache_read_input_tokens: 6600,
      cache_creation_input_tokens: 3100,
    }
    const run = await readCall({ model: 'claude-sonnet-4-5', outputs: { usage } })
    // 100 × 3 + 6,600 × 0.3 + 3,100 × 3.75 + 50 × 15 dollars per million
    expect(run).toMatchObject({ prompt_tokens: 9800, total_tokens: 9850, total_cost: '0.014655' })
  })

  it('Bedrock leaves the cache out of its input, which the total proves', async () => {
    const run = await readSpan({
      'openinference.span.kind': 'LLM',
      'llm.token_count.prompt': 500,
      'llm.token_count.prompt_details.cache_read': 400,
      'llm.token_count.completion': 100,
      'llm.token_count.total': 1000,
    })
    expect(run).toMatchObject({ prompt_tokens: 900, completion_tokens: 100, total_tokens: 1000 })
    expect(run.prompt_token_details).toMatchObject({ cache_read: 400 })
  })

  it('thoughts of Google ADK are in its response only', async () => {
    const usage_metadata = { prompt_token_count: 100, candidates_token_count: 50, thoughts_token_count: 200 }
    const run = await readSpan({
      'gen_ai.request.model': 'gemini-2.5-pro',
      'gen_ai.operation.name': 'generate_content',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 50,
      'gcp.vertex.agent.llm_response': JSON.stringify({
        usage_metadata: { ...usage_metadata, total_token_count: 350 },
      }),
    })
    expect(run).toMatchObject({ completion_tokens: 250, total_tokens: 350 })
    expect(run.completion_token_details).toEqual({ reasoning: 200 })
  })

  it('Langfuse takes the usage of the Responses API as it is', async () => {
    const details = {
      input_tokens: 120,
      input_tokens_details: { cached_tokens: 50 },
      output_tokens: 40,
      output_tokens_details: { reasoning_tokens: 12 },
      total_tokens: 160,
    }
    const run = await readSpan({
      'langfuse.observation.type': 'generation',
      'langfuse.observation.model.name': 'gpt-4o-mini',
      'langfuse.observation.usage_details': JSON.stringify(details),
    })
    expect(run).toMatchObject({ prompt_tokens: 120, completion_tokens: 40, total_cost: '0.00003825' })
  })

  it.each([
    ['Gemini', { usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 50, thoughtsTokenCount: 200 } }, 350],
    ['LangChain for JavaScript', { llmOutput: { tokenUsage: { promptTokens: 9, completionTokens: 6 } } }, 15],
    ['Bedrock', { usage: { inputTokens: 6, outputTokens: 12, cacheReadInputTokens: 400 } }, 418],
  ])('the response of %s', async (_, outputs, total_tokens) => {
    expect(await readCall({ outputs })).toMatchObject({ total_tokens })
  })
})

describe('a cost that is reported', () => {
  it('counts where no price is known, and in sums', async () => {
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.cost': 0.001234,
    }
    const run = await readSpan({ ...attributes, 'gen_ai.request.model': 'acme-private-1' }, 'without a price')
    expect(run).toMatchObject({ total_cost: '0.001234', prompt_cost: null, price_model_id: null })
    const { body } = await app.call(contract.runStats.stats, { body: { session: [run.session_id] } })
    expect(body).toMatchObject({ total_cost: 0.001234 })
  })

  it('of OpenRouter is in its usage', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost: 0.00042 }
    expect(await readCall({ model: 'acme-private-1', outputs: { usage } })).toMatchObject({ total_cost: '0.00042' })
  })

  it('of OpenRouter stays beside what a wrapper made of its usage', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost: 0.00042 }
    const usage_metadata = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
    const run = await readCall({ model: 'acme-private-1', outputs: { usage, usage_metadata } })
    expect(run).toMatchObject({ total_cost: '0.00042', total_tokens: 15 })
  })

  it('does not replace what a known price gives', async () => {
    const usage = { prompt_tokens: 1000, completion_tokens: 0, total_tokens: 1000, cost: 9 }
    expect(await readCall({ model: 'gpt-4o', outputs: { usage } })).toMatchObject({ total_cost: '0.0025' })
  })

  it('of a run that calls others is not counted beside theirs', async () => {
    const run = await readSpan({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.usage.cost': 0.5 })
    expect(run.total_cost).toBeNull()
  })
})
