import { randomUUID } from 'node:crypto'

/** One step of a demo trace: its work and its own duration. */
export interface Step {
  readonly name: string
  readonly run_type: 'chain' | 'llm' | 'tool' | 'retriever' | 'embedding' | 'prompt' | 'parser'
  readonly inputs: object
  readonly outputs?: object
  readonly error?: string
  /** Own milliseconds, without those of the children. */
  readonly ms: number
  /** Milliseconds from the start to the first token; tokens then stream until the end. */
  readonly firstTokenMs?: number
  readonly metadata?: object
  readonly invocation?: object
  readonly tags?: readonly string[]
  readonly children?: readonly Step[]
  /** Children start together instead of one after the other. */
  readonly parallel?: boolean
  /** Still running: neither end nor outputs. */
  readonly pending?: boolean
}

/** A run in the form of `POST /runs/batch`. */
export type SeededRun = Readonly<Record<string, unknown>> & { readonly id: string; readonly trace_id: string }

interface TraceOptions {
  readonly startMs: number
  readonly project: string
  readonly thread?: string | undefined
}

/**
 * Gives every step of a trace its id, times and place in the tree. A parent spends a fifth of its own time before its
 * children and the rest after them.
 *
 * @returns parents before children
 */
export function buildTrace(root: Step, place: TraceOptions): SeededRun[] {
  return buildRuns(root, place, place.startMs).runs
}

interface Parent {
  readonly id: string
  readonly trace_id: string
  readonly dotted_order: string
}

function buildRuns(
  step: Step,
  place: TraceOptions,
  startMs: number,
  parent?: Parent,
): { runs: SeededRun[]; endMs: number } {
  const id = randomUUID()
  const self: Parent = {
    id,
    trace_id: parent?.trace_id ?? id,
    dotted_order: [parent?.dotted_order, `${compactTime(startMs)}${id}`].filter(Boolean).join('.'),
  }
  let endMs = startMs + step.ms * 0.2
  const below: SeededRun[] = []
  const childrenStart = endMs
  for (const child of step.children ?? []) {
    const laid = buildRuns(child, place, step.parallel ? childrenStart : endMs, self)
    below.push(...laid.runs)
    endMs = Math.max(endMs, laid.endMs)
  }
  endMs += step.ms * 0.8
  return { runs: [toRun(step, place, self, startMs, endMs, parent?.id), ...below], endMs }
}

function toRun(
  step: Step,
  place: TraceOptions,
  self: Parent,
  startMs: number,
  endMs: number,
  parentId?: string,
): SeededRun {
  return {
    ...self,
    parent_run_id: parentId ?? null,
    session_name: place.project,
    name: step.name,
    run_type: step.run_type,
    start_time: isoTime(startMs),
    inputs: step.inputs,
    tags: step.tags ?? [],
    extra: {
      metadata: { ...step.metadata, ...(place.thread === undefined ? {} : { thread_id: place.thread }) },
      ...(step.invocation === undefined ? {} : { invocation_params: step.invocation }),
      runtime: { sdk: 'demo-seed', runtime: 'node' },
    },
    ...(step.firstTokenMs === undefined ? {} : { events: tokenEvents(startMs + step.firstTokenMs, endMs) }),
    ...(step.pending ? {} : { end_time: isoTime(endMs), outputs: step.outputs ?? null, error: step.error ?? null }),
  }
}

function tokenEvents(firstMs: number, endMs: number) {
  const count = Math.min(40, Math.max(1, Math.round((endMs - firstMs) / 30)))
  return Array.from({ length: count }, (_, at) => ({
    name: 'new_token',
    time: isoTime(firstMs + ((endMs - firstMs) * at) / count),
    kwargs: {},
  }))
}

/** Formats ISO 8601 with six digits, e.g. `2025-07-10T04:42:19.024000Z`. */
function isoTime(ms: number): string {
  const micros = Math.round((ms - Math.floor(ms)) * 1000)
  return `${new Date(ms).toISOString().slice(0, -1)}${String(Math.min(micros, 999)).padStart(3, '0')}Z`
}

/** Formats a time as `dotted_order` contains it: `20250710T044219024000Z`. */
const compactTime = (ms: number) => isoTime(ms).replace(/[-:.]/g, '')
