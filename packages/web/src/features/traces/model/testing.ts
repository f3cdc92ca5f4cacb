import { collectTraceRuns, type TraceRunRow } from '@touchstone/contract/trace-columns'
import type { RunTree } from './build-trace.ts'

const BASE_MICROS = BigInt(Date.parse('2026-01-02T03:04:05Z')) * 1000n

/** A run in a test: milliseconds since the start of the trace, and the fields that matter to the test. */
export interface GivenRun extends Partial<Omit<TraceRunRow, 'start' | 'end' | 'first_token'>> {
  id: string
  parent?: string
  /** Start and end in milliseconds; a run without an end is running. */
  at?: [number, number?]
  firstToken?: number
}

export function aTraceTree(runs: readonly GivenRun[]): RunTree {
  return {
    trace_id: runs[0]?.id ?? 'none',
    session_id: 'project',
    total: runs.length,
    version: '1',
    runs: collectTraceRuns(runs.map(aRun), BASE_MICROS),
  }
}

/** A chain of steps, each with a model call and some tools, with the given number of runs. */
export function aLargeTraceTree(size: number): RunTree {
  const runs: GivenRun[] = [{ id: 'run-0', name: 'root', at: [0, size] }]
  for (let i = 1; i < size; i++) {
    const step = i - ((i - 1) % 10)
    const isStep = i === step
    runs.push({
      id: `run-${i}`,
      parent: isStep ? 'run-0' : `run-${step}`,
      name: isStep ? 'step' : i % 3 === 0 ? 'ChatModel' : 'search',
      run_type: isStep ? 'chain' : i % 3 === 0 ? 'llm' : 'tool',
      at: [i, isStep ? i + 9.5 : i + 0.7],
      status: i % 997 === 0 ? 'error' : 'success',
      error_preview: i % 997 === 0 ? `Boom ${i}` : null,
      ...(i % 3 === 0 && !isStep ? { prompt_tokens: 100, completion_tokens: 10, total_cost: '0.00012' } : {}),
    })
  }
  return aTraceTree(runs)
}

function aRun({ id, parent, at = [0, 1], firstToken, ...rest }: GivenRun): TraceRunRow {
  return {
    id,
    parent_run_id: parent ?? null,
    name: id,
    run_type: 'chain',
    status: at[1] === undefined ? 'pending' : 'success',
    start: toMicros(at[0]),
    end: at[1] === undefined ? null : toMicros(at[1]),
    first_token: firstToken === undefined ? null : toMicros(firstToken),
    error_preview: null,
    model: null,
    tags: [],
    prompt_tokens: null,
    completion_tokens: null,
    total_tokens: null,
    reported_cost: null,
    unpriced_fees: null,
    total_cost: null,
    inputs_bytes: 10,
    outputs_bytes: 10,
    ...rest,
  }
}

function toMicros(ms: number): number {
  return Math.round(ms * 1000)
}
