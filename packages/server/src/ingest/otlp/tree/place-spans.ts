import type { InsertRow } from '../../../storage/analytics/port.ts'
import { padSpanId } from '../../../storage/analytics/run-aliases.ts'
import { TimeSlices } from '../../../time-slices.ts'
import { MISSING_ROOT, UNNAMED_RUN } from '../../merge-run.ts'
import type { PendingWrite } from '../../place-writes.ts'
import { parseDottedOrder } from '../../run-path.ts'
import type { RunWrite } from '../../run-write.ts'
import { findBlockAggregates, listCallRanges, reportsTokens, withoutUsage } from './block-aggregates.ts'
import { separateDuplicates } from './duplicate-spans.ts'
import { type LateTrace, readKnownRuns } from './known-runs.ts'
import { findLinkedThreads } from './linked-threads.ts'
import { placeLogs, toChanges, toPlacedWrite } from './moved-runs.ts'
import { placeTrace } from './place-trace.ts'
import { toPlaceholder } from './placeholder.ts'
import { deriveRunId, toLinkKey } from './span-ids.ts'
import {
  findOwnEnds,
  findOwnRuns,
  findThread,
  groupByTrace,
  isLog,
  isSpan,
  type TraceSpans,
  toNewSpans,
} from './span-writes.ts'
import {
  type BlockFacts,
  type ReadDeps,
  readAliases,
  readBlockFacts,
  readEnds,
  readOwners,
  readReporting,
  readRuns,
  readThreads,
  readUncreated,
  type StoredRunTokens,
  type UncreatedRun,
} from './stored-trace.ts'
import type { KnownRun, PlacedTrace, TraceFacts } from './trace-facts.ts'

export interface PlacedSpans {
  /** All writes of the block; those of spans have their ids and paths. */
  readonly pending: readonly PendingWrite[]
  /** Changes of stored runs whose position in their trace, or whose thread, the spans revealed. */
  readonly moved: readonly PendingWrite[]
  /** Stored runs that get another id before the writes are merged onto them, by their old id. */
  readonly renamed: ReadonlyMap<string, string>
  readonly aliases: readonly RunAlias[]
  /** Whether the store has never had one of the runs. */
  readonly areNew: boolean
  /** Padded ids of spans under which feedback is stored. */
  readonly withFeedback: readonly string[]
}

/** A row of `run_aliases`: another id by which clients may name a run. */
export interface RunAlias {
  readonly id: string
  readonly trace_id: string
  readonly run_id: string
}

/**
 * Finds the run ids and the paths of the spans of a block. Blocks are written one after the other, so the stored runs of a trace
 * are all that have arrived. Traces that arrive in one request cost one query.
 */
export async function placeSpans(
  deps: ReadDeps,
  tenantId: string,
  pending: readonly PendingWrite[],
): Promise<PlacedSpans> {
  const traces = groupByTrace(pending.filter(isSpan))
  const facts = await readBlockFacts(deps, tenantId, traces)
  const { owners, areNew, withFeedback } = facts
  const ownRuns = findOwnRuns(pending)
  const late = traces.filter(({ traceId }) => facts.roots.has(traceId) || facts.rootless.has(traceId))
  const before = late.length === 0 ? NOTHING_STORED.threads : await readThreads(deps, tenantId, facts)
  const linked = await findLinkedThreads(deps, tenantId, { traces, stored: before, linking: facts.linking })
  const block = { late, facts, ownRuns, threads: linked.stored, linked: linked.threads }
  const stored = late.length === 0 ? NOTHING_STORED : await readLateFacts(deps, tenantId, block)
  for (const [id, traceId] of stored.owners) owners.set(id, traceId)

  const ownEnds = findOwnEnds(pending)
  const slices = new TimeSlices()
  const placed = new Map<PendingWrite, RunWrite>()
  const moved: PendingWrite[] = [...linked.changes]
  const renamed = new Map<string, string>()
  const aliases: RunAlias[] = []
  const placeholders: PendingWrite[] = []
  for (const given of traces) {
    const trace = { ...given, spans: separateDuplicates(given.spans, findStarts(given.traceId, stored)) }
    if (slices.isUsedUp()) await slices.yieldToEventLoop()
    const { traceId, spans } = trace
    const before = stored.placeholders.get(traceId)
    const known = new Map(stored.runs.get(traceId))
    const placement = placeTrace({
      traceId,
      spans: toNewSpans(spans),
      known: new Map([...(ownRuns.get(traceId) ?? []), ...known]),
      placeholder: before?.run,
      isTaken: (id) => (owners.get(id) ?? traceId) !== traceId,
      aliases: stored.aliases,
      logged: stored.logged,
    })
    for (const { id } of placement.spans.values()) owners.set(id, traceId)
    if (placement.renamed !== undefined) renamed.set(placement.renamed.from, placement.renamed.to)
    for (const [from, to] of placement.joined) {
      renamed.set(from, to)
      known.delete(from)
    }
    const thread = findThread(spans) ?? linked.threads.get(traceId)
    const storedThread = stored.threads.get(traceId)
    const aggregates = findBlockAggregates(spans, placement, known)
    for (const span of spans) {
      const write = toPlacedWrite(span.write, traceId, placement, thread ?? storedThread)
      const repeat = aggregates.get(write.id)
      placed.set(span.origin ?? span, repeat === undefined ? write : withoutUsage(write, repeat))
    }
    moved.push(...placeLogs(trace, placement, known))
    // The project of a log record is a guess, and so would be that of a placeholder.
    if (spans.every(isLog)) continue
    moved.push(...toChanges(trace, placement, known, storedThread === undefined ? thread : undefined))
    aliases.push(...toAliases(traceId, placement), ...toLinkAlias(traceId, linked.links))
    const ends = [before === undefined ? stored.ends.get(traceId) : before.endTime, ownEnds.get(traceId)]
    const write = toPlaceholder(trace, placement, { ...before, ends }, thread ?? storedThread)
    if (write !== undefined) placeholders.push({ source: write, write })
  }
  return {
    // Placeholders first: other runs of the block may be below them, or replace them.
    pending: [...placeholders, ...pending.map((one) => ({ source: one.source, write: placed.get(one) ?? one.write }))],
    moved,
    renamed,
    aliases,
    areNew: areNew && pending.every(isSpan),
    withFeedback,
  }
}

/** Finds the starts of the stored spans of a trace, which are in their paths. */
function findStarts(traceId: string, { aliases, runs }: LateFacts) {
  const known = runs.get(traceId)
  return (spanId: string): string | undefined => {
    const padded = padSpanId(spanId)
    const isRoot = aliases.get(traceId) === padded
    const run = known?.get(isRoot ? traceId : padded) ?? known?.get(deriveRunId(traceId, spanId))
    // Before its span, a log record stores a run without a name, whose time is that of its arrival.
    return run === undefined || run.name === UNNAMED_RUN ? undefined : parseDottedOrder(run.dottedOrder)?.startTime
  }
}

function toAliases(traceId: string, { aliases }: PlacedTrace): RunAlias[] {
  return [...aliases].map(([id, run_id]) => ({ id, trace_id: traceId, run_id }))
}

/** By it, the trace is found when the one that its root links to arrives later. */
function toLinkAlias(traceId: string, links: ReadonlyMap<string, string>): RunAlias[] {
  const linked = links.get(traceId)
  return linked === undefined ? [] : [{ id: toLinkKey(linked), trace_id: traceId, run_id: traceId }]
}

export function toAliasRow(alias: RunAlias, tenantId: string, version: number): InsertRow {
  return { json: JSON.stringify({ tenant_id: tenantId, ...alias, version }) }
}

/** What is stored of traces of which a block has more spans. */
interface LateFacts {
  /** Runs on which the positions of the spans depend, by trace and id; without placeholders. */
  readonly runs: ReadonlyMap<string, ReadonlyMap<string, StoredRunTokens>>
  /** By trace. `run` is the placeholder where runs below it may be missing in `runs`. */
  readonly placeholders: ReadonlyMap<string, UncreatedRun & { readonly run: KnownRun | undefined }>
  /** Ids of runs that only log records have written. */
  readonly logged: ReadonlySet<string>
  /** Other ids of runs. */
  readonly aliases: ReadonlyMap<string, string>
  /** Thread by trace. */
  readonly threads: ReadonlyMap<string, string>
  /** Trace by id, of runs that have the id which the run of a stored root gets when it is none any more. */
  readonly owners: ReadonlyMap<string, string>
  /** The latest end of the stored runs of traces that have neither a root nor a placeholder, in the contract's printed form. */
  readonly ends: ReadonlyMap<string, string>
}

const NOTHING_STORED: LateFacts = {
  runs: new Map(),
  placeholders: new Map(),
  logged: new Set(),
  aliases: new Map(),
  threads: new Map(),
  owners: new Map(),
  ends: new Map(),
}

interface LateBlock {
  readonly late: readonly TraceSpans[]
  readonly facts: BlockFacts
  readonly ownRuns: ReturnType<typeof findOwnRuns>
  /** Of stored traces, and those that traces of the block have by links. */
  readonly threads: LateFacts['threads']
  readonly linked: ReadonlyMap<string, string>
}

async function readLateFacts(deps: ReadDeps, tenantId: string, block: LateBlock): Promise<LateFacts> {
  const { late, facts, threads } = block
  const { roots, rootless } = facts
  const named = [...roots.values()].filter(({ name }) => name === MISSING_ROOT)
  const [aliases, uncreated, ends, calls] = await Promise.all([
    readAliases(deps, tenantId, late),
    // Others were created under such a name.
    readUncreated(
      deps,
      tenantId,
      named.map(({ id }) => id),
    ),
    readEnds(deps, tenantId, [...rootless.keys()]),
    readReporting(deps, tenantId, late.flatMap(listCallRanges)),
  ])
  const anchored = late.filter(({ traceId }) => roots.has(traceId))
  const { runs, whole } = await readKnownRuns(
    (wanted) => readRuns(deps, tenantId, wanted),
    anchored.map((trace) => toLateTrace(trace, { ...block, aliases, uncreated })),
  )
  for (const { traceId: id, ...run } of calls) if (!runs.get(id)?.has(run.id)) runs.get(id)?.set(run.id, run)
  const placeholders = new Map(
    [...uncreated].map(([id, run]) => [id, { ...run, run: whole.has(id) ? undefined : roots.get(id) }]),
  )
  for (const id of placeholders.keys()) runs.get(id)?.delete(id)
  const all = new Map([...rootless, ...runs])
  const replaced = late.flatMap(({ traceId, spans }) => {
    const root = aliases.get(traceId)
    return root !== undefined && root !== traceId && spans.some(({ write }) => write.span.isRoot) ? [root] : []
  })
  const [logged, owners] = await Promise.all([
    readUncreated(deps, tenantId, findLogged(late, all)),
    readOwners(deps, tenantId, replaced),
  ])
  return { runs: all, placeholders, logged: new Set(logged.keys()), aliases, threads, owners, ends }
}

/** Runs without a name under the padded id of a span whose run may get another id. */
function findLogged(late: readonly TraceSpans[], runs: LateFacts['runs']): string[] {
  return late.flatMap(({ traceId, spans }) =>
    spans.flatMap(({ write: { span } }) => {
      const id = padSpanId(span.spanId)
      const mayDiffer = span.isRoot || span.runId !== undefined
      return mayDiffer && runs.get(traceId)?.get(id)?.name === UNNAMED_RUN ? [id] : []
    }),
  )
}

type LateContext = LateBlock & Pick<LateFacts, 'aliases'> & { readonly uncreated: ReadonlyMap<string, UncreatedRun> }

function toLateTrace({ traceId, spans }: TraceSpans, context: LateContext): LateTrace<StoredRunTokens> {
  const { facts, ownRuns, aliases, threads, linked, uncreated } = context
  const own = ownRuns.get(traceId) ?? []
  const isPlaceholder = uncreated.has(traceId)
  const reporting = new Set(spans.filter((span) => !isLog(span) && reportsTokens(span)).map(({ write }) => write.span))
  const isTaken = (id: string) => (facts.owners.get(id) ?? traceId) !== traceId
  const place = (known: TraceFacts['known'], placeholder: KnownRun | undefined) =>
    placeTrace({
      traceId,
      spans: toNewSpans(spans),
      known: new Map([...own, ...[...known].filter(([id]) => !(isPlaceholder && id === traceId))]),
      placeholder,
      isTaken,
      aliases,
      logged: new Set(),
    })
  return {
    traceId,
    places: spans.map(({ write }) => write.span),
    ownIds: own.map(([id]) => id),
    root: facts.roots.get(traceId)!,
    isPlaceholder,
    isWhole: !threads.has(traceId) && (linked.has(traceId) || findThread(spans) !== undefined),
    aliases,
    reportsTokens: (span) => reporting.has(span),
    hasTokens: ({ tokens }) => tokens !== undefined,
    place,
  }
}
