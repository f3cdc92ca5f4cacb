import { timeOfEpochMs, type UsageRepeat } from '@touchstone/contract'
import { toPathSegment } from '../../run-path.ts'
import { RawPayload, type RunWrite } from '../../run-write.ts'
import {
  CLIENTS,
  findAggregates,
  hasTokens,
  isNameOfClient,
  MAX_LEVELS,
  type RunTokens,
  readRunTokens,
  toAggregate,
} from '../map/index.ts'
import { findOwnParent, startOf } from './span-paths.ts'
import { isLog, type SpanWrite, type TraceSpans } from './span-writes.ts'
import type { StoredRunTokens, TraceRange } from './stored-trace.ts'
import type { KnownRun, PlacedTrace, RenamedRun } from './trace-facts.ts'

/** Runs of the block that repeat the tokens of runs below them, of the block or stored before. */
export function findBlockAggregates(
  spans: readonly SpanWrite[],
  placement: PlacedTrace,
  known: ReadonlyMap<string, StoredRunTokens>,
): ReadonlyMap<string, UsageRepeat> {
  if (!mayRepeat(spans, placement, known)) return NONE
  const placed = new Map<string, KnownRun>(
    [...placement.spans.values(), ...placement.moved].map((run) => [run.id, run]),
  )
  const stored = [...known.values()].map((run) => withNewId(run, placement.renamed))
  for (const run of stored) if (!placed.has(run.id)) placed.set(run.id, run)
  const locate = (run: KnownRun) => ({
    id: run.id,
    parentId: findOwnParent(run),
    start: startOf(run),
  })
  const written = spans.flatMap(({ write }): RunTokens[] => {
    const run = write.span.isLog ? undefined : placement.spans.get(write.span.spanId)
    if (run === undefined) return []
    const about = { name: write.name ?? '', runType: write.runType ?? '', ...readRunTokens(write.extra?.text) }
    return [{ ...locate(run), ...about, end: toPathTime(write.endTime) }]
  })
  if (!written.some(({ tokens }) => tokens !== undefined)) return NONE
  const ids = new Set(written.map(({ id }) => id))
  const others = stored.filter(({ id }) => !ids.has(id))
  return findAggregates([...written, ...others.map((run) => ({ ...run, ...locate(placed.get(run.id) ?? run) }))])
}

const NONE: ReadonlyMap<string, UsageRepeat> = new Map()

/**
 * Whether a run may repeat tokens: it is below another that reports some, or is that of a client. Almost all traces end here,
 * because reading the tokens of a run costs more than placing it.
 */
function mayRepeat(
  spans: readonly SpanWrite[],
  placement: PlacedTrace,
  known: ReadonlyMap<string, StoredRunTokens>,
): boolean {
  const reporting = new Set<string>()
  for (const { write } of spans) {
    const run = write.span.isLog || !hasTokens(write.extra?.text) ? undefined : placement.spans.get(write.span.spanId)
    if (run === undefined) continue
    if (isNameOfClient(write.name)) return true
    reporting.add(run.id)
  }
  if (reporting.size === 0) return false
  // Stored runs can be between two of the block.
  if (known.size > 0) return true
  const placed = new Map([...placement.spans.values()].map((run) => [run.id, run]))
  return [...reporting].some((id) => {
    let at = placed.get(id)
    for (let level = 0; at !== undefined && level < MAX_LEVELS; level++) {
      const parentId = findOwnParent(at)
      if (parentId !== undefined && parentId !== id && reporting.has(parentId)) return true
      at = placed.get(parentId ?? '')
    }
    return false
  })
}

const toPathTime = (time: string | undefined) => (time === undefined ? undefined : toPathSegment(time, ''))

const withNewId = <Run extends KnownRun>(run: Run, renamed: RenamedRun | undefined): Run =>
  run.id === renamed?.from ? { ...run, id: renamed.to } : run

export function withoutUsage(write: RunWrite, repeat: UsageRepeat): RunWrite {
  return { ...write, extra: write.extra && RawPayload.trusted(toAggregate(write.extra.text, repeat)) }
}

/** Whether a span may be a sum of what is below it. */
export const reportsTokens = ({ write }: SpanWrite) => readRunTokens(write.extra?.text).tokens !== undefined

/** A call of a model takes no longer: it is the time limit of the clients. */
const LONGEST_CALL_MS = 10 * 60_000

/**
 * Where the stored calls are that the client of a provider reports beside the spans of a block: any call around a span of a
 * client, and spans of clients during any call.
 */
export function listCallRanges({ traceId, spans }: TraceSpans): TraceRange[] {
  const calls = spans.filter((span) => !isLog(span) && span.write.startTime !== undefined && reportsTokens(span))
  const names = CLIENTS.map(({ name }) => name)
  const ofClients = calls.filter(({ write }) => names.includes(write.name ?? ''))
  return [...toRange(traceId, ofClients, LONGEST_CALL_MS, undefined), ...toRange(traceId, calls, 0, names)]
}

function toRange(traceId: string, [first, ...rest]: readonly SpanWrite[], beforeMs: number, names?: readonly string[]) {
  if (first === undefined) return []
  // By start.
  const { startTime = '', endTime = startTime } = first.write
  const from = beforeMs === 0 ? startTime : timeOfEpochMs(Date.parse(startTime) - beforeMs)
  const to = rest.reduce((last, { write }) => ((write.endTime ?? '') > last ? (write.endTime ?? '') : last), endTime)
  return [{ traceId, from, to, names }]
}
