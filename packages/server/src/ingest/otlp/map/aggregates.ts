import type { RunType } from '@touchstone/contract'
import { asRecord, memberAt } from '../../../json/guards.ts'
import type { JsonObject } from '../mapped-span.ts'
import type { OtlpSpan } from '../span.ts'
import { omit, type SpanAttributes } from './attributes.ts'
import { AGGREGATE_OPERATIONS } from './run-type.ts'

/** Whether the numbers of a span are the sum of other calls, as far as it tells itself. */
export function isAggregate(span: OtlpSpan, attributes: SpanAttributes, runType: RunType): boolean {
  if (runType !== 'llm' && runType !== 'embedding') return true
  const operation = attributes.text('gen_ai.operation.name')
  if (AGGREGATE_OPERATIONS.some((one) => one === operation)) return true
  return Object.keys(span.attributes).some((key) => key.startsWith('gen_ai.aggregated_usage.'))
}

/** What `findAggregates` needs of a run: of one that is mapped now, or of one that is stored. */
export interface RunWithUsage {
  readonly id: string
  readonly parentId?: string | undefined
  readonly name: string
  readonly runType: string
  /** As `mapSpan` made it: with `metadata.usage_metadata` and `otel.operation`. */
  readonly extra: unknown
}

/**
 * Finds runs that repeat what runs below them report, which a span alone cannot tell: they have the operation and name of one
 * below (`embed` of the AI SDK), or exactly the sum of those below (a framework around an instrumented client). Call it with
 * all known runs of one trace whenever some arrived: children arrive before their parents.
 *
 * @returns by id, the `extra` that replaces the run's own: its usage is in `otel.aggregate_usage` and counts no longer
 */
export function findAggregates(runs: readonly RunWithUsage[]): ReadonlyMap<string, JsonObject> {
  const byId = new Map(runs.map((run) => [run.id, run]))
  const below = new Map<string, RunWithUsage[]>()
  for (const run of runs) {
    if (tokensOf(run) === undefined) continue
    const owner = findOwner(run, byId)
    if (owner !== undefined) below.set(owner.id, [...(below.get(owner.id) ?? []), run])
  }
  const found = new Map<string, JsonObject>()
  for (const [id, children] of below) {
    const run = byId.get(id)
    if (run !== undefined && repeats(run, children)) found.set(id, toAggregate(run.extra))
  }
  return found
}

/** The nearest run above that reports usage itself. */
function findOwner(run: RunWithUsage, byId: ReadonlyMap<string, RunWithUsage>): RunWithUsage | undefined {
  const seen = new Set([run.id])
  for (let at = byId.get(run.parentId ?? ''); at !== undefined && !seen.has(at.id); at = byId.get(at.parentId ?? '')) {
    if (tokensOf(at) !== undefined) return at
    seen.add(at.id)
  }
  return undefined
}

function repeats(run: RunWithUsage, children: readonly RunWithUsage[]): boolean {
  const operation = memberAt(run.extra, 'otel', 'operation')
  const isSame = children.some(
    (child) =>
      child.name === run.name &&
      child.runType === run.runType &&
      memberAt(child.extra, 'otel', 'operation') === operation,
  )
  const own = tokensOf(run)
  const sum = children.map(tokensOf).reduce((total, one) => add(total, one), undefined)
  return isSame || (own !== undefined && own.input === sum?.input && own.output === sum.output)
}

interface Tokens {
  readonly input: number
  readonly output: number
}

function tokensOf(run: RunWithUsage): Tokens | undefined {
  const usage = asRecord(memberAt(run.extra, 'metadata', 'usage_metadata'))
  const [input, output] = [usage?.input_tokens, usage?.output_tokens]
  if (typeof input !== 'number' && typeof output !== 'number') return undefined
  return { input: typeof input === 'number' ? input : 0, output: typeof output === 'number' ? output : 0 }
}

function add(a: Tokens | undefined, b: Tokens | undefined): Tokens | undefined {
  return a === undefined || b === undefined ? (a ?? b) : { input: a.input + b.input, output: a.output + b.output }
}

/** The `extra` of a run whose usage does not count: shown, but in no sum. */
export function toAggregate(extra: unknown): JsonObject {
  const all = asRecord(extra) ?? {}
  const metadata = asRecord(all.metadata) ?? {}
  const usage = asRecord(metadata.usage_metadata)
  const otel = { ...asRecord(all.otel), ...(usage !== undefined && { aggregate_usage: usage }) }
  return { ...all, metadata: omit(metadata, ['usage_metadata']), otel }
}
