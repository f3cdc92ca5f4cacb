import { asRecord, memberAt } from '@touchstone/formats/guards'
import type { Column } from './columns.ts'

/** A run that an instrumentation made, read from the mapping of its span or from the API. */
export interface SeenRun {
  readonly id: string
  readonly parentId?: string | undefined
  readonly traceId: string
  readonly name: string
  readonly runType: string
  readonly inputs: unknown
  readonly outputs: unknown
  readonly error?: string | undefined
  readonly firstToken?: unknown
  readonly metadata: unknown
  readonly invocation: unknown
  /** In US dollars; undefined where no prices are known. */
  readonly cost?: number | undefined
}

/** What the programs send and set, and the provider returns; `testing/fake-provider.ts` has the same numbers. */
export const SENT = {
  answer: 'Grüße vom Modell ✓',
  model: /fake-model|gpt-4\.1-mini|claude/,
  prompt: 20,
  completion: 10,
  cached: 5,
  reasoning: 4,
  error: 'Your region is excluded.',
  thread: 'thread-1',
  user: 'ada',
  metadata: { plan: 'pro' },
} as const

/** How much of a field arrived: of every run that should have it, of some, of none; `wrong` where it has another value. */
export type Verdict = 'all' | 'some' | 'none' | 'wrong'
export type Verdicts = Readonly<Partial<Record<Column, Verdict>>>

/** Compares some fields of the runs of a program with what it sent and the provider returned. */
export function judgeRuns(runs: readonly SeenRun[], columns: readonly Column[]): Verdicts {
  const calls = runs.filter(isAnswered)
  const traces = groupByTrace(runs)
  const verdicts: Record<Column, () => Verdict> = {
    messages: () => judgeMessages(calls),
    tools: () => judgeOffered(runs, calls),
    toolRuns: () => judgeTools(runs),
    model: () => count(calls, ({ metadata }) => SENT.model.test(String(memberAt(metadata, 'ls_model_name')))),
    tokens: () => judgeNumber(calls, SENT.prompt, 'input_tokens'),
    cached: () => judgeNumber(calls, SENT.cached, 'input_token_details', 'cache_read'),
    reasoning: () => judgeNumber(calls, SENT.reasoning, 'output_token_details', 'reasoning'),
    cost: () => count(calls, ({ cost }) => cost !== undefined && cost > 0),
    error: () => judgeError(runs),
    firstToken: () => (runs.some(({ firstToken }) => firstToken) ? 'all' : 'none'),
    thread: () => judgeTraces(traces, 'thread_id', SENT.thread),
    user: () => judgeTraces(traces, 'user_id', SENT.user),
    metadata: () => judgeTraces(traces, 'plan', SENT.metadata.plan),
  }
  return Object.fromEntries(columns.map((column) => [column, verdicts[column]()]))
}

/** A call of a model that did not fail, and does not only repeat another. Mastra has the failure on the agent only. */
function isAnswered({ runType, error, metadata, inputs, outputs }: SeenRun): boolean {
  if (runType !== 'llm' || error || String(memberAt(metadata, 'ls_model_name')).includes('forbidden')) return false
  return memberAt(metadata, 'usage_metadata') !== undefined || Boolean(inputs) || Boolean(outputs)
}

/** The tree of a trace: a line per run, with its type and its name. */
export function drawTree(runs: readonly SeenRun[], parentId?: string, indent = ''): string[] {
  const ids = new Set(runs.map(({ id }) => id))
  const isChild = (run: SeenRun) =>
    parentId === undefined ? run.parentId === undefined || !ids.has(run.parentId) : run.parentId === parentId
  return runs
    .filter(isChild)
    .flatMap((run) => [`${indent}${run.runType} ${run.name}`, ...drawTree(runs, run.id, `${indent}  `)])
}

function count<Item>(items: readonly Item[], test: (item: Item) => boolean): Verdict {
  const passed = items.filter(test).length
  return passed === 0 ? 'none' : passed === items.length ? 'all' : 'some'
}

const listOf = (payload: unknown): readonly unknown[] => {
  const list = asRecord(payload)?.messages
  return Array.isArray(list) ? list : []
}

function judgeMessages(calls: readonly SeenRun[]): Verdict {
  const sides = calls.flatMap(({ inputs, outputs }) => [
    listOf(inputs).some((message) => /Say hello|tool please/.test(textOf(message))),
    listOf(outputs).some((message) => textOf(message) === SENT.answer || isToolCall(message)),
  ])
  return count(sides, (isThere) => isThere)
}

function textOf(message: unknown): string {
  const content = asRecord(message)?.content
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((block) => String(asRecord(block)?.text ?? '')).join('')
}

function isToolCall(message: unknown): boolean {
  const calls = asRecord(message)?.tool_calls
  if (!Array.isArray(calls)) return false
  return calls.some(
    (call) =>
      memberAt(call, 'function', 'name') === 'weather' &&
      String(memberAt(call, 'function', 'arguments')).replaceAll(' ', '') === '{"city":"Zürich"}',
  )
}

/** Definitions of the tools, on the calls that were answered with one, or on another run of their trace. */
function judgeOffered(runs: readonly SeenRun[], calls: readonly SeenRun[]): Verdict {
  const offered = count(
    calls.filter(({ outputs }) => listOf(outputs).some(isToolCall)),
    offersTool,
  )
  return offered === 'none' && runs.some(offersTool) ? 'some' : offered
}

function offersTool({ invocation }: SeenRun): boolean {
  const tools = asRecord(invocation)?.tools
  return Array.isArray(tools) && tools.some((tool) => /weather$/.test(String(memberAt(tool, 'function', 'name'))))
}

function judgeTools(runs: readonly SeenRun[]): Verdict {
  const tools = runs.filter(({ runType }) => runType === 'tool')
  if (tools.length === 0) return 'none'
  const sides = tools.flatMap(({ inputs, outputs }) => [
    JSON.stringify(inputs)?.includes('Zürich'),
    JSON.stringify(outputs)?.includes('grey'),
  ])
  return count(sides, (isThere) => isThere === true)
}

function judgeNumber(calls: readonly SeenRun[], expected: number, ...path: string[]): Verdict {
  const found = calls.map(({ metadata }) => memberAt(metadata, 'usage_metadata', ...path))
  const verdict = count(found, (one) => one === expected)
  return verdict === 'none' && found.some((one) => typeof one === 'number' && one > 0) ? 'wrong' : verdict
}

function judgeError(runs: readonly SeenRun[]): Verdict {
  const failed = runs.filter(({ error }) => error)
  return failed.length === 0 ? 'none' : failed.some(({ error }) => error?.includes(SENT.error)) ? 'all' : 'wrong'
}

function groupByTrace(runs: readonly SeenRun[]): readonly (readonly SeenRun[])[] {
  const groups = new Map<string, SeenRun[]>()
  for (const run of runs) {
    const group = groups.get(run.traceId)
    if (group === undefined) groups.set(run.traceId, [run])
    else group.push(run)
  }
  return [...groups.values()]
}

/** A value that belongs to a whole trace may be on any of its runs. */
function judgeTraces(traces: readonly (readonly SeenRun[])[], key: string, expected: string): Verdict {
  const values = traces.map((runs) => runs.map(({ metadata }) => memberAt(metadata, key)).filter((one) => one))
  if (values.flat().some((value) => value !== expected)) return 'wrong'
  return count(values, (list) => list.length > 0)
}
