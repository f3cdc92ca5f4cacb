import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

const START = Date.UTC(2025, 6, 10, 4, 42)

/** Runs by name: every filter below is written in names and answered in names. */
const RUNS = {
  root: {
    run_type: 'chain',
    tags: ['production'],
    seconds: 12,
    metadata: { user_id: 'u1', environment: 'production' },
  },
  llm: {
    parent: 'root',
    run_type: 'llm',
    seconds: 5.5,
    inputs: { messages: [{ role: 'user', content: 'I want a refund\nplease, “now”' }] },
    outputs: {
      generations: [[{ message: { kwargs: { tool_calls: [{ name: 'Plan', args: { steps: ['a', 'b'] } }] } } }]],
    },
    metadata: {
      retries: 3,
      ls_model_name: 'gpt-4.1',
      usage_metadata: { input_tokens: 4000, output_tokens: 2000, total_tokens: 6000 },
    },
  },
  tool: {
    parent: 'root',
    run_type: 'tool',
    seconds: 1,
    error: 'C:\\temp\\file is missing',
    metadata: { retries: '3' },
  },
  beta: {
    run_type: 'chain',
    tags: ['beta'],
    seconds: 3,
    metadata: { conversation_id: 'support-42', user_id: 'u2', deep: { er: [1, 'two'] } },
  },
  experimental: {
    run_type: 'chain',
    tags: ['experimental'],
    seconds: 1,
    metadata: { user_id: true, is_on: true, limit: 'inf' },
  },
  running: { run_type: 'retriever', metadata: { 'dotted.key': null } },
  odd: {
    run_type: 'chain',
    seconds: 1,
    inputs: { amount: '7.50', text: 'Zażółć gęślą jaźń', deep: [{ '%_\\': '100%_\\ "sure"' }] },
    outputs: { n: 1.5, list: [], empty: {} },
  },
} as const

const FEEDBACK = [
  { run: 'root', key: 'star_rating', score: 5, comment: 'very good' },
  { run: 'root', key: 'user_score', score: 1 },
  { run: 'beta', key: 'star_rating', score: 3 },
  { run: 'beta', key: 'Correctness', score: 0, feedback_source: { type: 'model' } },
  { run: 'experimental', key: 'outcome', value: 'halted' },
  { run: 'tool', key: 'Correctness', score: 1 },
] as const

type Name = keyof typeof RUNS

let app: StartedApp
const ids = {} as Record<Name, string>
const NAMES = Object.keys(RUNS) as Name[]

beforeAll(async () => {
  app = await startApp()
  for (const name of NAMES) ids[name] = uuid7()
  const post = NAMES.map((name, at) => {
    const { parent, seconds, metadata, ...rest } = {
      parent: undefined,
      seconds: undefined,
      metadata: undefined,
      inputs: {},
      ...RUNS[name],
    } as Record<string, unknown> & { parent?: Name; seconds?: number }
    const start = START + at * 60_000
    const segment = (of: Name) =>
      `${new Date(START + NAMES.indexOf(of) * 60_000).toISOString().replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${ids[of]}`
    return {
      id: ids[name],
      name,
      trace_id: ids[parent ?? name],
      dotted_order: parent === undefined ? segment(name) : `${segment(parent)}.${segment(name)}`,
      ...(parent !== undefined && { parent_run_id: ids[parent] }),
      start_time: new Date(start).toISOString(),
      ...(seconds !== undefined && { end_time: new Date(start + seconds * 1000).toISOString(), outputs: {} }),
      extra: { metadata: metadata ?? {}, runtime: { sdk: 'langsmith-js' } },
      session_name: 'filters',
      ...rest,
    }
  })
  const sent = await app.call(contract.runs.batch, { body: { post } })
  expect(sent.body).toMatchObject({ message: expect.any(String) })
  expect(sent.body.errors ?? []).toEqual([])
  for (const { run, ...body } of FEEDBACK) {
    const answer = await app.fetch('/feedback', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: uuid7(), run_id: ids[run], ...body }),
    })
    expect(answer.status, await answer.text()).toBe(200)
  }
})
afterAll(() => app.close())

async function found(query: Record<string, unknown>): Promise<string[]> {
  const { status, body, text } = await app.call(contract.runs.query, {
    body: { select: ['id'], order: 'asc', ...query },
  })
  expect(status, text).toBe(200)
  return body.runs.map(({ name }) => name)
}

const others = (...names: Name[]) => NAMES.filter((name) => !names.includes(name))

describe('a filter finds', () => {
  it.each<[string, readonly string[]]>([
    ['eq(name, "beta")', ['beta']],
    ['neq(name, "beta")', others('beta')],
    ['in(name, ["root", "tool"])', ['root', 'tool']],
    ['nin(name, ["root", "tool"])', others('root', 'tool')],
    ["eq(run_type, 'llm')", ['llm']],
    ['eq(run_type, "LLM")', ['llm']],
    ['eq(status, "error")', ['tool']],
    ['neq(error, null)', ['tool']],
    ['eq(error, null)', others('tool')],
    ['eq(is_root, true)', others('llm', 'tool')],
    ['eq(execution_order, 1)', others('llm', 'tool')],
    ['gt(latency, "5s")', ['root', 'llm']],
    ['gte(latency, 5.5)', ['root', 'llm']],
    ['gt(latency, "5500ms")', ['root']],
    ['lt(latency, 2)', ['tool', 'experimental', 'odd']],
    ['eq(end_time, null)', ['running']],
    ['and(eq(run_type, "chain"), gt(latency, 10), gt(total_tokens, 5000))', ['root']],
    ['gt(total_tokens, 5000)', ['root', 'llm']],
    ['eq(total_tokens, null)', others('root', 'llm')],
    ['eq(prompt_tokens, 4000)', ['root', 'llm']],
    ['gt(total_cost, "0.0001")', ['root', 'llm']],
    ['and(gt(start_time, "2025-07-10T04:42:00Z"), lt(start_time, 2025-07-10T04:44:00Z))', ['llm']],
    ['gt(start_time, 2026-01-01)', []],
    ['has(tags, "production")', ['root']],
    ['and(or(has(tags, "experimental"), has(tags, "beta")), gt(latency, 2))', ['beta']],
    ['like(tags, "%E%")', ['beta', 'experimental']],
    ['eq(tags, null)', others('root', 'beta', 'experimental')],
    [`has(metadata, '{"user_id": "u1"}')`, ['root']],
    [`has(metadata, '{"deep": {"er": ["two"]}}')`, ['beta']],
    [`has(metadata, '{"user_id": "u1", "environment": "staging"}')`, []],
    ['has(metadata, "user_id")', ['root', 'beta', 'experimental']],
    ['exists(metadata, "deep")', ['beta']],
    ['exists(metadata, "dotted.key")', ['running']],
    ["eq(metadata_key, 'user_id')", ['root', 'beta', 'experimental']],
    ['and(eq(metadata_key, "environment"), eq(metadata_value, "production"))', ['root']],
    ['and(eq(metadata_key, "retries"), gte(metadata_value, 3))', ['llm', 'tool']],
    // Attributes of OpenTelemetry are often texts.
    ['gt(metadata.retries, 2)', ['llm', 'tool']],
    ['lt(metadata.retries, "20")', ['llm', 'tool']],
    ['gt(metadata.retries, "20")', []],
    ['gt(metadata.retries, 3)', []],
    ['gt(metadata.user_id, "100")', ['root', 'beta']],
    ['gt(metadata.user_id, 0)', []],
    ['gt(metadata.limit, 5)', []],
    ['gt(metadata.limit, "5")', ['experimental']],
    ['gte(inputs.amount, 7.5)', ['odd']],
    ['eq(metadata.retries, 3)', ['llm', 'tool']],
    ['eq(metadata.retries, 3.0)', ['llm', 'tool']],
    ['neq(metadata.retries, 3)', others('llm', 'tool')],
    ['in(metadata.retries, [3, 4])', ['llm', 'tool']],
    ['in(metadata.retries, ["3", "4"])', ['llm', 'tool']],
    ['nin(metadata.retries, [3, "4"])', others('llm', 'tool')],
    ['eq(metadata.retries, "3")', ['llm', 'tool']],
    ['eq(metadata.retries, "3.0")', ['llm']],
    ['in(metadata.retries, ["3.0", "u"])', ['llm']],
    ['eq(inputs.amount, 7.5)', ['odd']],
    ['eq(inputs.amount, "7.50")', ['odd']],
    ['eq(inputs.amount, "7.5")', []],
    ['eq(metadata.limit, 5)', []],
    [`has(metadata, '{"retries": 3}')`, ['llm']],
    [`has(metadata, '{"retries": "3"}')`, ['tool']],
    ['and(eq(metadata_key, "retries"), eq(metadata_value, "3"))', ['llm', 'tool']],
    ["and(neq(metadata_key, 'conversation_id'))", others('beta')],
    ['eq(thread_id, "support-42")', ['beta']],
    ['and(eq(feedback_key, "star_rating"), gt(feedback_score, 4))', ['root']],
    ['and(eq(feedback_key, "outcome"), eq(feedback_value, "halted"))', ['experimental']],
    [
      'and(gt(start_time, "2023-07-15T12:34:56Z"), or(neq(error, null), and(eq(feedback_key, "Correctness"), eq(feedback_score, 0.0))))',
      ['tool', 'beta'],
    ],
    ['eq(feedback_source, "model")', ['beta']],
    ['like(feedback_comment, "%GOOD")', ['root']],
    ['neq(feedback_key, "star_rating")', others('root', 'beta')],
    ['eq(feedback_key, null)', ['llm', 'running', 'odd']],
    [
      'and(eq(run_type, "llm"), eq(name, "llm"), eq(input_key, "messages.content"), like(input_value, "%refund%"))',
      ['llm'],
    ],
    ['and(eq(output_key, "generations.message.kwargs.tool_calls.name"), eq(output_value, "Plan"))', ['llm']],
    ['and(eq(output_key, "generations.message.kwargs.tool_calls.args.steps"), eq(output_value, "b"))', ['llm']],
    ['eq(output_value, 1.5)', ['odd']],
    ['like(input_value, "%zażółć%")', ['odd']],
    ['eq(input_value, "Zażółć gęślą jaźń")', ['odd']],
    ['eq(input_value, "100%_\\\\ \\"sure\\"")', ['odd']],
    ['eq(input_key, "deep.%_\\\\")', ['odd']],
    ['like(inputs, "%\\"role\\":\\"user\\"%")', ['llm']],
    ['search(inputs, "REFUND")', ['llm']],
    ['search("refund please")', ['llm']],
    ['search("now refund")', ['llm']],
    ['search("please missing")', []],
    ['search("content")', []],
    ['search("plan")', ['llm']],
    ['search("TEMP missing")', ['tool']],
    ['search("jaźń")', ['odd']],
    ['search("u1")', ['root']],
    ['search("3")', ['llm', 'tool']],
    ['search("beta")', ['beta']],
    ['search(name, "oo")', ['root', 'tool']],
    ['eq(metadata.user_id, "u2")', ['beta']],
    ['neq(metadata.user_id, null)', ['root', 'beta', 'experimental']],
    ['eq(metadata.user_id, true)', ['experimental']],
    ['eq(metadata.deep.er, 1)', ['beta']],
    ['gt(outputs.n, 1)', ['odd']],
    ['eq(extra.runtime.sdk, "langsmith-js")', NAMES],
    ['like(inputs.text, "zaż%")', ['odd']],
    ['eq(model, "gpt-4.1")', ['llm']],
    [`and(not(has(metadata, '{"user_id": "u2"}')), exists(metadata, "user_id"))`, ['root', 'experimental']],
    ['', NAMES],
  ])('%s', async (filter, names) => {
    expect(await found({ filter })).toEqual(names)
  })

  it('runs of a trace by its root and by any of its runs', async () => {
    expect(
      await found({
        filter: 'eq(run_type, "llm")',
        trace_filter: 'and(eq(feedback_key, "user_score"), eq(feedback_score, 1))',
        tree_filter: 'eq(name, "tool")',
      }),
    ).toEqual(['llm'])
    expect(await found({ tree_filter: 'eq(run_type, "tool")' })).toEqual(['root', 'llm', 'tool'])
    expect(await found({ trace_filter: 'eq(run_type, "tool")' })).toEqual([])
    expect(await found({ search_filter: 'eq(name, "beta")', query: 'support 42' })).toEqual(['beta'])
    expect(await found({ filter: `in(trace_id, ["${ids.root}"])` })).toEqual(['root', 'llm', 'tool'])
  })
})

describe('clauses on pairs', () => {
  it.each<[string, readonly string[]]>([
    ['eq(metadata_value, "u1")', ['root']],
    ['neq(metadata_key, "user_id")', others('root', 'beta', 'experimental')],
    ['and(eq(metadata_key, "user_id"), neq(metadata_value, "u1"))', ['beta', 'experimental']],
    ['and(neq(metadata_key, "user_id"), neq(metadata_value, 3))', ['running', 'odd']],
    ['and(neq(metadata_key, "user_id"), eq(metadata_value, 3))', ['llm', 'tool']],
    ['and(in(metadata_key, ["session_id","conversation_id","thread_id"]), eq(metadata_value, "support-42"))', ['beta']],
    ['and(eq(feedback_key, "Correctness"), gte(feedback_score, 0.5))', ['tool']],
    [
      'and(eq(feedback_key, "star_rating"), gt(feedback_score, 2), eq(metadata_key, "user_id"), eq(metadata_value, "u2"))',
      ['beta'],
    ],
    [
      'and(and(eq(metadata_key,"user_id"), eq(metadata_value,"u1")), and(eq(metadata_key,"environment"), eq(metadata_value,"production")))',
      ['root'],
    ],
    [
      'and(eq(metadata_key,"user_id"), eq(metadata_value,"u1"), eq(metadata_key,"environment"), eq(metadata_value,"production"))',
      ['root'],
    ],
    ['and(eq(metadata_key,"user_id"), eq(metadata_key,"environment"))', ['root']],
    ['eq(metadata_value, true)', ['experimental']],
    ['eq(metadata_value, "true")', []],
    ['neq(metadata_value, "u1")', others('root')],
  ])('%s', async (filter, names) => {
    expect(await found({ filter })).toEqual(names)
  })
})

it('an invalid filter is rejected with the position of the error', async () => {
  const answer = await app.call(contract.runs.query, { body: { filter: 'and(eq(name, "x"), gt(name, 3))' } })
  expect(answer.status).toBe(400)
  expect(answer.body).toMatchObject({ detail: expect.stringContaining('at character 20: gt does not compare name') })
})

describe('an integer of more digits than a float holds', () => {
  const name = 'long integers'
  const ORDERS: Readonly<Record<string, string>> = {
    number: '107505301260286111',
    text: '"107505301260286111"',
    'next number': '107505301260286112',
    'next text': '"107505301260286110"',
    negative: '-107505301260286111',
  }

  beforeAll(async () => {
    const runs = Object.entries(ORDERS).map(([run, order], at) => {
      const start_time = new Date(START + at).toISOString()
      return JSON.stringify({
        ...{ id: uuid7(), name: run, run_type: 'chain', session_name: name, start_time, inputs: 'PAYLOAD' },
        extra: { metadata: 'PAYLOAD', thread_id: at },
      }).replaceAll('"PAYLOAD"', `{"order":${order}${run === 'number' ? ',"thread_id":"107505301260286111"' : ''}}`)
    })
    const answers = runs.map((body) =>
      app.fetch('/runs', { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
    )
    for (const answer of await Promise.all(answers)) expect(answer.status, await answer.clone().text()).toBe(202)
  })

  const digits = ['number', 'text']
  const lower = ['next text', 'negative']
  it.each<[string, readonly string[]]>([
    ['eq(ORDER, 107505301260286111)', digits],
    [`has(ROOT, '{"order": 107505301260286111}')`, ['number']],
    ['eq(ORDER, "107505301260286111")', digits],
    ['in(ORDER, [107505301260286111, "x"])', digits],
    ['in(ORDER, [107505301260286111, -107505301260286111])', [...digits, 'negative']],
    ['neq(ORDER, 107505301260286111)', ['next number', 'next text', 'negative']],
    ['gt(ORDER, 107505301260286111)', ['next number']],
    ['lt(ORDER, 107505301260286111)', lower],
    ['lte(ORDER, 107505301260286111)', [...digits, 'next text', 'negative']],
    ['gt(ORDER, 5)', [...digits, 'next number', 'next text']],
  ])('is compared by its digits: %s', async (filter, names) => {
    const session = [(await app.call(contract.projects.list, { query: { name } })).body[0]!.id]
    for (const field of ['metadata.order', 'inputs.order']) {
      expect(
        await found({ session, filter: filter.replace('ORDER', field).replace('ROOT', field.replace('.order', '')) }),
        field,
      ).toEqual(names)
    }
  })

  it('is a text where the field is one', async () => {
    expect(await found({ filter: 'eq(thread_id, 107505301260286111)' })).toEqual(['number'])
    expect(await found({ filter: 'eq(thread_id, 107505301260286110)' })).toEqual([])
  })
})
