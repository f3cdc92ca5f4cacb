import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LlmJudgeDefinition, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Paces } from '../../models/pace-calls.ts'
import { RenderBudget } from '../../models/render-budget.ts'
import { type Outbound, openOutbound } from '../../outbound/open-outbound.ts'
import type { Relational } from '../../storage/relational/port.ts'
import { openEmptyPglite } from '../../testing/pglite-template.ts'
import { type RunEvaluatorDeps, runEvaluator } from './run-evaluator.ts'
import { JavascriptSandbox } from './sandbox/javascript-sandbox.ts'

const LIMITS = { maxBytes: 1000, maxWorkspaceBytes: 1000, smallBytes: 10, maxSmallBytes: 10, silentMs: 50 }
const GOOD = { choices: [{ message: { content: '{"good":{"value":true}}' }, finish_reason: 'stop' }] }

describe('the memory of a judge', () => {
  /** What the provider does with each call; it does not answer further ones. */
  let plan: { readonly status: number; readonly body: object }[] = []
  let calls = 0
  const server = createServer((request, response) => {
    calls++
    request.resume()
    const next = plan.shift()
    if (next === undefined) return
    const headers = { 'content-type': 'application/json', ...(next.status === 429 && { 'retry-after': '50' }) }
    response.writeHead(next.status, headers).end(JSON.stringify(next.body))
  })
  let relational: Relational
  let outbound: Outbound
  let sandbox: JavascriptSandbox
  let budget: RenderBudget
  let deps: RunEvaluatorDeps
  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    relational = await openEmptyPglite()
    outbound = openOutbound(['127.0.0.1'])
    sandbox = new JavascriptSandbox()
  })
  afterAll(async () => {
    await outbound.close()
    await sandbox.close()
    await relational.close()
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  beforeEach(() => {
    calls = 0
    budget = new RenderBudget(LIMITS)
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const connection = {
      kind: 'openai-chat' as const,
      baseUrl,
      keyHeader: 'authorization' as const,
      key: 'k',
      headers: {},
    }
    deps = {
      relational,
      clock: Date.now,
      reserveSpending: async () => ({ settle: async () => {} }),
      paces: new Paces(),
      renderBudget: budget,
      priceUsage: () => null,
      modelOutbound: outbound,
      sandbox,
      connectProvider: async () => ({ connection, provider: null }),
    }
  })

  const definition = LlmJudgeDefinition.parse({
    kind: 'llm_judge',
    provider_id: uuid7(),
    model: 'm',
    template_format: 'mustache',
    messages: [{ role: 'user', content: `Judge {{outputs}} ${'x'.repeat(500)}` }],
    mapping: {},
    feedback: [{ key: 'good', type: 'boolean' }],
    reasoning: false,
  })
  const row = { inputs: {}, outputs: { answer: 1 }, reference_outputs: null }
  const judge = (halted: AbortSignal) =>
    runEvaluator(deps, 'a', definition, row, { isPatient: true, waitSignal: halted })

  it('is free while it waits for the pace of its provider', async () => {
    plan = [{ status: 429, body: { error: { message: 'Too many requests.' } } }]
    const halted = new AbortController()
    const judged = judge(halted.signal)
    const ended = expect(judged).rejects.toThrow('abort')
    await expect.poll(() => [calls, budget.used]).toEqual([1, 0])
    halted.abort()
    await ended
  })

  it('is given to another workspace while its provider is silent, and the judge tries again', async () => {
    plan = []
    const judged = judge(new AbortController().signal)
    await expect.poll(() => calls).toBe(1)
    plan = [{ status: 200, body: GOOD }]
    const wait = { workspace: 'b', signal: new AbortController().signal }
    await budget.hold(
      wait,
      () => ({ made: undefined, bytes: 900 }),
      async () => undefined,
    )
    const { problem, scores } = await judged
    expect([problem, scores]).toEqual([null, [{ key: 'good', score: 1, value: null, comment: null }]])
    expect([calls, budget.used]).toEqual([2, 0])
  })
})
