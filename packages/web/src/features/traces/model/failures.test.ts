import { describe, expect, it } from 'vitest'
import { buildTrace } from './build-trace.ts'
import { type Failures, findFailures, findNextCause, repeatsError, shortenErrorType } from './failures.ts'
import { aLargeTraceTree, aTraceTree, type GivenRun } from './testing.ts'
import { nameAt, type Trace } from './trace.ts'

const REFUND = 'RefundError: 409 order 8812 is already refunded'

const failed = (id: string, error: string, rest: Omit<GivenRun, 'id'>): GivenRun => ({
  id,
  status: 'error',
  error_preview: error,
  ...rest,
})

function given(runs: readonly GivenRun[]) {
  const trace = buildTrace(aTraceTree(runs))
  return { trace, failures: findFailures(trace) }
}

const namesOf = (trace: Trace, failures: Failures | undefined) => failures?.causes.map((row) => nameAt(trace, row))

describe('the cause of a failed trace', () => {
  it('is the tool whose error LangGraph repeats in every run above', () => {
    const { trace, failures } = given([
      failed('LangGraph', REFUND, { at: [0, 100] }),
      { id: 'supervisor', parent: 'LangGraph', at: [1, 20] },
      failed('refund_agent', REFUND, { parent: 'LangGraph', at: [21, 99] }),
      { id: 'ChatOpenAI', parent: 'refund_agent', at: [22, 60] },
      failed('tools', REFUND, { parent: 'refund_agent', at: [61, 98] }),
      failed('issue_refund', REFUND, { parent: 'tools', at: [62, 97] }),
    ])
    expect(namesOf(trace, failures)).toEqual(['issue_refund'])
    expect(failures).toMatchObject({ count: 4, hasRootFailed: true })
  })

  it('is found through errors that wrap it, print it with quotes, or cut it', () => {
    const long = `Error code: 429 - {'error': {'message': 'Rate limit reached for gpt-4o in organization org-x'}}`
    const { trace, failures } = given([
      failed('root', `AgentError: step 3 failed: "openai.RateLimitError(\\"${long.slice(0, 90)}`, { at: [0, 100] }),
      { id: 'cleanup', parent: 'root', at: [98, 99] },
      failed('ChatOpenAI', `openai.RateLimitError: ${long}`, { parent: 'root', at: [5, 90] }),
    ])
    expect(namesOf(trace, failures)).toEqual(['ChatOpenAI'])
  })

  it('is the run that a failed run ended with, when the messages have nothing in common', () => {
    const { trace, failures } = given([
      failed('root', 'RuntimeError: the agent gave up', { at: [0, 100] }),
      { id: 'plan', parent: 'root', at: [1, 20] },
      failed('fetch', 'TimeoutError: no answer in 10 s', { parent: 'root', at: [30, 99] }),
    ])
    expect(namesOf(trace, failures)).toEqual(['fetch'])
  })

  it('is the root itself when it went on after the error of a tool', () => {
    const { trace, failures } = given([
      failed('root', 'GraphRecursionError: Recursion limit of 25 reached', { at: [0, 100] }),
      failed('lookup', 'KeyError: order_id', { parent: 'root', at: [10, 20] }),
      { id: 'ChatOpenAI', parent: 'root', at: [30, 90] },
    ])
    expect(namesOf(trace, failures)).toEqual(['root', 'lookup'])
  })

  it('is the earliest of equal attempts, which come next', () => {
    const { trace, failures } = given([
      failed('root', '503 Service Unavailable', { at: [0, 100] }),
      ...[1, 2, 3].map((n) =>
        failed(`attempt ${n}`, 'InternalServerError: 503 Service Unavailable', {
          parent: 'root',
          at: [n * 10, n * 10 + 5],
        }),
      ),
    ])
    expect(namesOf(trace, failures)).toEqual(['attempt 1', 'attempt 2', 'attempt 3'])
  })

  it('is found below runs that have no message, and below runs that did not end', () => {
    const { trace, failures } = given([
      failed('root', '', { at: [0, 100] }),
      { id: 'lost', parent: 'root', at: [1] },
      failed('tool', REFUND, { parent: 'lost', at: [2, 50] }),
    ])
    expect(namesOf(trace, failures)).toEqual(['tool'])
  })

  it('is listed for each error of a trace that succeeded, by start', () => {
    const { trace, failures } = given([
      { id: 'root', at: [0, 100] },
      { id: 'a', parent: 'root', at: [1, 90] },
      failed('late', 'TimeoutError: slow', { parent: 'a', at: [50, 60] }),
      failed('early', 'KeyError: x', { parent: 'root', at: [20, 30] }),
    ])
    expect(namesOf(trace, failures)).toEqual(['early', 'late'])
    expect(failures).toMatchObject({ count: 2, hasRootFailed: false })
  })

  it('does not exist where nothing failed', () => {
    expect(given([{ id: 'fine' }]).failures).toBeUndefined()
  })

  it('is found in 50,000 runs in linear time', () => {
    const trace = buildTrace(aLargeTraceTree(50_000))
    trace.status.fill(1)
    const before = process.cpuUsage()
    const failures = findFailures(trace)
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000)
    expect(failures?.count).toBe(50_000)
  })
})

describe('an error repeats another one', () => {
  it.each([
    [REFUND, REFUND, true],
    ['ToolException: order 8812 is already refunded', 'RefundError: order 8812 is already refunded', true],
    ['AgentError: {"error": "KeyError: \'id\'"}', "KeyError: 'id'", true],
    ['429 Too Many Requests', 'RateLimitError: 429 Too Many Requests, retry in 2 s', true],
    ['RefundError: 409 order 8812', 'RefundError: 409 order 9120', false],
    ['RuntimeError: failed', 'TimeoutError: no answer', false],
    ["KeyError: 'a'", "KeyError: 'b'", false],
  ])('%j, %j: %s', (error, below, repeats) => {
    expect(repeatsError(error, below)).toBe(repeats)
  })
})

describe('stepping through the causes', () => {
  const { trace, failures } = given([
    failed('root', REFUND, { at: [0, 100] }),
    failed('first', 'KeyError: x', { parent: 'root', at: [1, 2] }),
    { id: 'step', parent: 'root', at: [3, 4] },
    failed('tool', REFUND, { parent: 'root', at: [5, 99] }),
  ])
  const go = (from: string, direction: 1 | -1) => {
    const row = [0, 1, 2, 3].find((one) => nameAt(trace, one) === from)
    const next = failures && row !== undefined ? findNextCause(failures, row, direction) : undefined
    return next === undefined ? undefined : nameAt(trace, next)
  }

  it('begins with the cause of the failed run that is open', () => {
    expect([go('root', 1), go('root', -1)]).toEqual(['tool', 'tool'])
  })

  it('goes round the list', () => {
    expect([go('tool', 1), go('first', 1), go('tool', -1)]).toEqual(['first', 'tool', 'first'])
  })

  it('takes the nearest one from a run that did not fail', () => {
    expect([go('step', 1), go('step', -1)]).toEqual(['tool', 'first'])
  })
})

it.each([
  ['openai.RateLimitError: 429', 'RateLimitError: 429'],
  ['pydantic_core._pydantic_core.ValidationError: 2', 'ValidationError: 2'],
  ['api.example.com: no such host', 'api.example.com: no such host'],
  ['boom', 'boom'],
])('the type of %s is said without its module', (error, short) => {
  expect(shortenErrorType(error)).toBe(short)
})
