import { mergeExtra } from '@touchstone/formats/cut-json'
import type { Deps } from '../../../deps.ts'
import type { InsertRow } from '../../../storage/analytics/port.ts'
import { padSpanId } from '../../../storage/analytics/run-aliases.ts'
import { printedTime, sql, uuid, uuids } from '../../../storage/analytics/sql.ts'
import { columns, each, nullable, text } from '../../../storage/rows.ts'
import { TimeSlices } from '../../../time-slices.ts'
import { MISSING_ROOT, UNNAMED_RUN } from '../../merge-run.ts'
import type { PendingWrite } from '../../place-writes.ts'
import { parseDottedOrder, toPathSegment } from '../../run-path.ts'
import { RawPayload, type RunWrite } from '../../run-write.ts'
import {
  findAggregates,
  hasTokens,
  isNameOfClient,
  MAX_LEVELS,
  type RunTokens,
  readRunTokens,
  toAggregate,
} from '../map/index.ts'
import { separateDuplicates } from './duplicate-spans.ts'
import {
  findOwnParent,
  type KnownRun,
  type PlacedRun,
  type PlacedTrace,
  placeTrace,
  type RenamedRun,
  startOf,
} from './place-trace.ts'
import { deriveRunId, type SpanPlace, toTraceUuid } from './span-ids.ts'

type PlaceDeps = Pick<Deps, 'analytics'>

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

type SpanWrite = PendingWrite & {
  readonly write: RunWrite & { readonly span: SpanPlace }
  /** What came, if the span got another id because another span has its own. */
  readonly origin?: PendingWrite
}

/** The spans of one trace in a block, by start. */
interface TraceSpans {
  readonly traceId: string
  readonly spans: readonly SpanWrite[]
}

/**
 * Finds the run ids and the paths of the spans of a block. Blocks are written one after the other, so the stored runs of a trace
 * are all that have arrived. A trace that arrives in one request costs one query.
 */
export async function placeSpans(
  deps: PlaceDeps,
  tenantId: string,
  pending: readonly PendingWrite[],
): Promise<PlacedSpans> {
  const traces = groupByTrace(pending.filter(isSpan))
  const { runs, owners, areNew, withFeedback } = await readStoredRuns(deps, tenantId, traces)
  const late = traces.filter(({ traceId }) => runs.has(traceId))
  const stored = late.length === 0 ? NOTHING_STORED : await readLateFacts(deps, tenantId, late, runs)
  for (const [id, traceId] of stored.owners) owners.set(id, traceId)

  const ownRuns = findOwnRuns(pending)
  const ownEnds = findOwnEnds(pending)
  const logged = new Set(stored.uncreated.keys())
  const slices = new TimeSlices()
  const placed = new Map<PendingWrite, RunWrite>()
  const moved: PendingWrite[] = []
  const renamed = new Map<string, string>()
  const aliases: RunAlias[] = []
  const placeholders: PendingWrite[] = []
  for (const given of traces) {
    const trace = { ...given, spans: separateDuplicates(given.spans, findStarts(given.traceId, runs, stored)) }
    if (slices.isUsedUp()) await slices.yieldToEventLoop()
    const { traceId, spans } = trace
    const before = stored.uncreated.get(traceId)
    const known = new Map(runs.get(traceId))
    if (before !== undefined) known.delete(traceId)
    const placement = placeTrace({
      traceId,
      spans: spans
        .filter(({ write }) => !write.span.isLog)
        .map(({ write }) => ({ place: write.span, startTime: write.startTime ?? '' })),
      known: new Map([...(ownRuns.get(traceId) ?? []), ...known]),
      isTaken: (id) => (owners.get(id) ?? traceId) !== traceId,
      aliases: stored.aliases,
      logged,
    })
    for (const { id } of placement.spans.values()) owners.set(id, traceId)
    if (placement.renamed !== undefined) renamed.set(placement.renamed.from, placement.renamed.to)
    for (const [from, to] of placement.joined) {
      renamed.set(from, to)
      known.delete(from)
    }
    const thread = findThread(spans)
    const storedThread = stored.threads.get(traceId)
    const aggregates = findBlockAggregates(spans, placement, known)
    for (const span of spans) {
      const write = toPlacedWrite(span.write, traceId, placement, thread ?? storedThread)
      placed.set(span.origin ?? span, aggregates.has(write.id) ? withoutUsage(write) : write)
    }
    // The project of a log record is a guess, and so would be that of a placeholder.
    if (spans.every(isLog)) continue
    moved.push(...toChanges(trace, placement, known, storedThread === undefined ? thread : undefined))
    aliases.push(...toAliases(traceId, placement))
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
function findStarts(traceId: string, runs: StoredRuns['runs'], { aliases }: LateFacts) {
  const known = runs.get(traceId)
  return (spanId: string): string | undefined => {
    const padded = padSpanId(spanId)
    const isRoot = aliases.get(traceId) === padded
    const run = known?.get(isRoot ? traceId : padded) ?? known?.get(deriveRunId(traceId, spanId))
    // Before its span, a log record stores a run without a name, whose time is that of its arrival.
    return run === undefined || run.name === UNNAMED_RUN ? undefined : parseDottedOrder(run.dottedOrder)?.startTime
  }
}

/** Runs of the block that repeat the tokens of runs below them, of the block or stored before. */
function findBlockAggregates(
  spans: readonly SpanWrite[],
  placement: PlacedTrace,
  known: ReadonlyMap<string, StoredRunTokens>,
): ReadonlySet<string> {
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

const NONE: ReadonlySet<string> = new Set()

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

function withoutUsage(write: RunWrite): RunWrite {
  return { ...write, extra: write.extra && RawPayload.trusted(toAggregate(write.extra.text)) }
}

const isLog = ({ write }: SpanWrite) => write.span.isLog === true

const isSpan = (pending: PendingWrite): pending is SpanWrite => pending.write.span !== undefined

/** Spans of an OpenTelemetry trace belong to one trace here, also when only one of them names the trace of an SDK. */
function groupByTrace(pending: readonly SpanWrite[]): TraceSpans[] {
  const named = new Map<string, string>()
  for (const { write } of pending) {
    const { otelTraceId, traceId, runId, isRoot } = write.span
    const own = traceId ?? (isRoot ? runId : undefined)
    if (own !== undefined && !named.has(otelTraceId)) named.set(otelTraceId, own)
  }
  const groups = new Map<string, SpanWrite[]>()
  for (const one of pending) {
    const { otelTraceId, traceId } = one.write.span
    const id = traceId ?? named.get(otelTraceId) ?? toTraceUuid(otelTraceId)
    const group = groups.get(id)
    if (group === undefined) groups.set(id, [one])
    else group.push(one)
  }
  return [...groups].map(([traceId, spans]) => ({ traceId, spans: spans.sort(byStart) }))
}

function byStart({ write: a }: SpanWrite, { write: b }: SpanWrite): number {
  const [first, second] = [`${a.startTime} ${a.span.spanId}`, `${b.startTime} ${b.span.spanId}`]
  return first < second ? -1 : Number(first > second)
}

/** Runs that an SDK sends in the same block, by trace. */
function findOwnRuns(pending: readonly PendingWrite[]): ReadonlyMap<string, [string, KnownRun][]> {
  const byTrace = new Map<string, [string, KnownRun][]>()
  for (const { write } of pending) {
    const { id, span, parentRunId = null, startTime } = write
    if (span !== undefined) continue
    const isRoot = write.kind === 'post' && parentRunId === null && (write.traceId ?? id) === id
    const traceId = write.traceId ?? (isRoot ? id : undefined)
    // Without a path, the merge gives a root this one.
    const ownPath = isRoot && startTime !== undefined ? toPathSegment(startTime, id) : undefined
    const dottedOrder = write.dottedOrder ?? ownPath
    if (traceId === undefined || dottedOrder === undefined) continue
    const ofTrace = byTrace.get(traceId) ?? []
    byTrace.set(traceId, ofTrace)
    ofTrace.push([id, { id, parentRunId, dottedOrder }])
  }
  return byTrace
}

/** The latest end of the runs that an SDK sends in the same block, by trace. */
function findOwnEnds(pending: readonly PendingWrite[]): ReadonlyMap<string, string> {
  const byTrace = new Map<string, string>()
  for (const { write } of pending) {
    const { span, traceId, endTime } = write
    if (span !== undefined || traceId === undefined || endTime === undefined) continue
    if (endTime > (byTrace.get(traceId) ?? '')) byTrace.set(traceId, endTime)
  }
  return byTrace
}

const findThread = (spans: readonly SpanWrite[]) =>
  spans.find(({ write }) => write.span.thread !== undefined)?.write.span.thread

function toPlacedWrite(
  write: SpanWrite['write'],
  traceId: string,
  { spans, findRunId }: PlacedTrace,
  thread: string | undefined,
): RunWrite {
  if (write.span.isLog) return { ...write, id: findRunId(write.span.spanId), traceId }
  const run = spans.get(write.span.spanId)
  if (run === undefined) return { ...write, traceId }
  const { id, parentRunId, dottedOrder } = run
  const extra = thread === undefined || write.span.thread !== undefined ? write.extra : addThread(write.extra, thread)
  return { ...write, id, traceId, parentRunId, dottedOrder, extra }
}

/** A thread that one span of a trace names is the thread of all its runs. */
function addThread(extra: RawPayload | undefined, thread: string): RawPayload {
  const named = JSON.stringify({ metadata: { thread_id: thread } })
  // By text: the value of a large extra is only an outline.
  return RawPayload.trusted(extra === undefined ? named : mergeExtra(extra.text, named))
}

/** The changes of the stored runs of a trace. */
function toChanges(
  { traceId, spans }: TraceSpans,
  { spans: written, moved, renamed }: PlacedTrace,
  stored: ReadonlyMap<string, KnownRun>,
  thread: string | undefined,
): PendingWrite[] {
  const [first] = spans
  if (first === undefined || stored.size === 0) return []
  const known = new Set([...stored.keys()].map((id) => (id === renamed?.from ? renamed.to : id)))
  const extra = thread === undefined ? undefined : addThread(undefined, thread)
  const places = new Map(moved.filter(({ id }) => known.has(id)).map((run) => [run.id, run]))
  const rewritten = new Set([...written.values()].map(({ id }) => id))
  const ids = extra === undefined ? [...places.keys()] : [...known].filter((id) => !rewritten.has(id))
  return ids.map((id) => toMove(first.source, traceId, { id, ...places.get(id), extra }))
}

function toMove(source: RunWrite, traceId: string, change: Partial<PlacedRun> & Pick<RunWrite, 'id' | 'extra'>) {
  const { id, parentRunId, dottedOrder, extra } = change
  const write: RunWrite = { kind: 'post', isMove: true, id, traceId, parentRunId, dottedOrder, extra, bytes: 0 }
  return { source, write }
}

/**
 * Finds the positions of the stored runs below roots of SDKs that replace a placeholder, which may have another start.
 *
 * @param roots  runs whose id is that of their trace
 */
export async function placeBelowRoots(
  deps: PlaceDeps,
  tenantId: string,
  roots: readonly { readonly source: RunWrite; readonly run: KnownRun }[],
): Promise<readonly PendingWrite[]> {
  const traces = roots.map(({ run }) => ({ traceId: run.id, spans: [] }))
  const { runs } = await readStoredRuns(deps, tenantId, traces)
  const aliases = await readAliases(deps, tenantId, traces)
  return roots.flatMap(({ source, run: root }) => {
    const traceId = root.id
    const known = new Map<string, KnownRun>([...(runs.get(traceId) ?? []), [traceId, root]])
    const facts = { traceId, spans: [], known, isTaken: () => false, aliases, logged: new Set<string>() }
    const moved = placeTrace(facts).moved.filter(({ id }) => id !== traceId)
    return moved.map((run) => toMove(source, traceId, run))
  })
}

/**
 * The write of the run that stands for the missing root. It is no create: whatever creates the run replaces it, and the end of
 * its last child is its own.
 */
function toPlaceholder(
  { traceId, spans }: TraceSpans,
  { placeholder }: PlacedTrace,
  before: { readonly sessionId?: string; readonly ends: readonly (string | undefined)[] },
  thread: string | undefined,
): RunWrite | undefined {
  const first = spans.find((span) => !isLog(span))
  const startTime = placeholder && parseDottedOrder(placeholder.dottedOrder)?.startTime
  if (placeholder === undefined || startTime === undefined || first === undefined) return undefined
  const { sessionId, defaultSessionId } = first.write
  const endTime = [...before.ends, ...spans.map(({ write }) => write.endTime), startTime].reduce((a = '', b = '') =>
    a > b ? a : b,
  )
  const extra = JSON.stringify({
    metadata: thread === undefined ? {} : { thread_id: thread },
    otel: { placeholder: true },
  })
  return {
    kind: 'patch',
    isPlaceholder: true,
    id: placeholder.id,
    traceId,
    parentRunId: placeholder.parentRunId,
    dottedOrder: placeholder.dottedOrder,
    name: MISSING_ROOT,
    runType: 'chain',
    sessionId: before.sessionId ?? sessionId,
    defaultSessionId,
    startTime,
    endTime,
    extra: RawPayload.trusted(extra),
    bytes: 0,
  }
}

function toAliases(traceId: string, { aliases }: PlacedTrace): RunAlias[] {
  return [...aliases].map(([id, run_id]) => ({ id, trace_id: traceId, run_id }))
}

export function toAliasRow(alias: RunAlias, tenantId: string, version: number): InsertRow {
  return { json: JSON.stringify({ tenant_id: tenantId, ...alias, version }) }
}

const FOUND_RUN = columns({
  ...each(['source', 'id', 'trace_id', 'dotted_order', 'name', 'run_type'], text),
  ...each(['parent_run_id', 'prompt_tokens', 'completion_tokens'], nullable(text)),
})

type StoredRunTokens = KnownRun & Omit<RunTokens, 'parentId'>

interface StoredRuns {
  /** By trace and id. */
  readonly runs: ReadonlyMap<string, Map<string, StoredRunTokens>>
  /** Trace by id of a stored run. */
  readonly owners: Map<string, string>
  readonly areNew: boolean
  readonly withFeedback: readonly string[]
}

/**
 * Everything about a block in one query, because most traces arrive whole: the stored runs of its traces; the traces of the runs,
 * also deleted ones, that have the id of one of its spans; and the spans that have feedback already.
 */
async function readStoredRuns(
  { analytics }: PlaceDeps,
  tenantId: string,
  traces: readonly TraceSpans[],
): Promise<StoredRuns> {
  const tenant = uuid(tenantId)
  const traceIds = uuids(traces.map(({ traceId }) => traceId))
  const spanIds = new Set(traces.flatMap(({ spans }) => spans.map(({ write }) => padSpanId(write.span.spanId))))
  const named = traces.flatMap(({ traceId, spans }) => [
    traceId,
    ...spans.flatMap(({ write }) => write.span.runId ?? []),
  ])
  const rows = await analytics.query(
    sql`
      select 'trace' as source, id, trace_id, dotted_order, parent_run_id, name, run_type,
        toString(prompt_tokens) as prompt_tokens, toString(completion_tokens) as completion_tokens
      from trace_runs final
      where tenant_id = ${tenant} and trace_id in ${traceIds}
      union all
      select if(is_deleted = 1, 'deleted', 'key') as source, id, trace_id, '' as dotted_order,
        cast(null as Nullable(UUID)) as parent_run_id, '' as name, '' as run_type,
        cast(null as Nullable(String)) as prompt_tokens, cast(null as Nullable(String)) as completion_tokens
      from (
        select id, trace_id, is_deleted from run_keys
        where tenant_id = ${tenant} and id in ${uuids([...new Set([...spanIds, ...named])])}
        order by version desc
        limit 1 by id)
      union all
      select distinct 'feedback' as source, run_id as id, run_id as trace_id, '' as dotted_order,
        cast(null as Nullable(UUID)) as parent_run_id, '' as name, '' as run_type,
        cast(null as Nullable(String)) as prompt_tokens, cast(null as Nullable(String)) as completion_tokens
      from run_feedback
      where tenant_id = ${tenant} and run_id in ${uuids([...spanIds])}`,
    FOUND_RUN,
  )
  const runs = new Map<string, Map<string, StoredRunTokens>>()
  const owners = new Map<string, string>()
  for (const { source, id, trace_id, ...row } of rows) {
    if (source === 'trace' || source === 'key') owners.set(id, trace_id)
    if (source !== 'trace') continue
    const ofTrace = runs.get(trace_id) ?? new Map<string, StoredRunTokens>()
    runs.set(trace_id, ofTrace)
    const { dotted_order: dottedOrder, parent_run_id: parentRunId, name, run_type: runType } = row
    ofTrace.set(id, { id, parentRunId, dottedOrder, name, runType, tokens: toTokens(row) })
  }
  const withFeedback = rows.filter(({ source }) => source === 'feedback').map(({ id }) => id)
  return { runs, owners, areNew: rows.length === withFeedback.length, withFeedback }
}

function toTokens(row: { readonly prompt_tokens: string | null; readonly completion_tokens: string | null }) {
  if (row.prompt_tokens === null && row.completion_tokens === null) return undefined
  return { input: Number(row.prompt_tokens ?? 0), output: Number(row.completion_tokens ?? 0) }
}

interface LateFacts {
  /** Other ids of runs. */
  readonly aliases: ReadonlyMap<string, string>
  /** Thread by trace. */
  readonly threads: ReadonlyMap<string, string>
  /** Trace by id, of runs that have the id which the run of a stored root gets when it is none any more. */
  readonly owners: ReadonlyMap<string, string>
  /** Placeholders by their trace, and runs of log records by their id. */
  readonly uncreated: ReadonlyMap<string, UncreatedRun>
  /** The latest end of the stored runs of traces that have neither a root nor a placeholder, in the contract's printed form. */
  readonly ends: ReadonlyMap<string, string>
}

/** A stored run without a create: it stands for the root of its trace, or has what log records say about a span. */
interface UncreatedRun {
  readonly sessionId: string
  /** In the contract's printed form. */
  readonly endTime: string | undefined
}

const NOTHING_STORED: LateFacts = {
  aliases: new Map(),
  threads: new Map(),
  owners: new Map(),
  uncreated: new Map(),
  ends: new Map(),
}

async function readLateFacts(
  deps: PlaceDeps,
  tenantId: string,
  late: readonly TraceSpans[],
  runs: StoredRuns['runs'],
): Promise<LateFacts> {
  const withoutRoot = late.flatMap(({ traceId }) => (runs.get(traceId)?.has(traceId) ? [] : [traceId]))
  const [aliases, threads, uncreated, ends] = await Promise.all([
    readAliases(deps, tenantId, late),
    readThreads(deps, tenantId, late),
    readUncreated(deps, tenantId, findCandidates(late, runs)),
    readEnds(deps, tenantId, withoutRoot),
  ])
  const roots = late.flatMap(({ traceId, spans }) => {
    const root = aliases.get(traceId)
    return root !== undefined && root !== traceId && spans.some(({ write }) => write.span.isRoot) ? [root] : []
  })
  return { aliases, threads, owners: await readOwners(deps, tenantId, roots), uncreated, ends }
}

const LAST_END = columns({ trace_id: text, last_end: nullable(text) })

async function readEnds({ analytics }: PlaceDeps, tenantId: string, traceIds: readonly string[]) {
  if (traceIds.length === 0) return new Map<string, string>()
  const rows = await analytics.query(
    sql`
      select trace_id, max(end_time) as last_end
      from trace_runs final
      where tenant_id = ${uuid(tenantId)} and trace_id in ${uuids(traceIds)}
      group by trace_id`,
    LAST_END,
  )
  return new Map(
    rows.flatMap(({ trace_id, last_end }) => (last_end === null ? [] : [[trace_id, printedTime(last_end)] as const])),
  )
}

interface Candidate {
  readonly id: string
  readonly traceId: string
}

/** Runs with the name of a placeholder, and runs without a name under the padded id of a span whose run may get another id. */
function findCandidates(late: readonly TraceSpans[], runs: StoredRuns['runs']): Candidate[] {
  return late.flatMap(({ traceId, spans }) => {
    const known = runs.get(traceId)
    const spanIds = spans.flatMap(({ write: { span } }) =>
      span.isRoot || span.runId !== undefined ? [padSpanId(span.spanId)] : [],
    )
    const logged = spanIds.filter((id) => known?.get(id)?.name === UNNAMED_RUN)
    return [...(known?.get(traceId)?.name === MISSING_ROOT ? [traceId] : []), ...logged].map((id) => ({ id, traceId }))
  })
}

const UNCREATED_RUN = columns({ ...each(['id', 'session_id'], text), end_time: nullable(text) })

/** Those of the runs that have no create; others were created under such a name. */
async function readUncreated({ analytics }: PlaceDeps, tenantId: string, runs: readonly Candidate[]) {
  if (runs.length === 0) return new Map<string, UncreatedRun>()
  const tenant = uuid(tenantId)
  const traceIds = uuids(runs.map(({ traceId }) => traceId))
  const ids = uuids(runs.map(({ id }) => id))
  const rows = await analytics.query(
    sql`
      select id, session_id, end_time
      from runs final
      where tenant_id = ${tenant} and (session_id, start_time, id) in (
          select session_id, start_time, id from trace_runs final
          where tenant_id = ${tenant} and trace_id in ${traceIds} and id in ${ids})
        and is_deleted = 0 and not has(patched, 'post')`,
    UNCREATED_RUN,
  )
  return new Map(
    rows.map(({ id, session_id: sessionId, end_time }): [string, UncreatedRun] => [
      id,
      { sessionId, endTime: end_time === null ? undefined : printedTime(end_time) },
    ]),
  )
}

const OWNER = columns(each(['id', 'trace_id'], text))

async function readOwners({ analytics }: PlaceDeps, tenantId: string, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, string>()
  const rows = await analytics.query(
    sql`
      select id, trace_id
      from run_keys
      where tenant_id = ${uuid(tenantId)} and id in ${uuids(ids)}
      order by version desc
      limit 1 by id`,
    OWNER,
  )
  return new Map(rows.map(({ id, trace_id }) => [id, trace_id]))
}

const ALIAS = columns(each(['id', 'trace_id', 'run_id'], text))

async function readAliases({ analytics }: PlaceDeps, tenantId: string, late: readonly TraceSpans[]) {
  const ids = new Set<string>()
  for (const { traceId, spans } of late) {
    ids.add(traceId)
    for (const { write } of spans) {
      const { parentSpanId, spanId, isLog } = write.span
      const named = isLog ? spanId : parentSpanId
      if (named !== undefined) ids.add(padSpanId(named))
    }
  }
  const rows = await analytics.query(
    sql`
      select id, trace_id, run_id
      from run_aliases final
      where tenant_id = ${uuid(tenantId)} and id in ${uuids([...ids])}
        and trace_id in ${uuids(late.map(({ traceId }) => traceId))}`,
    ALIAS,
  )
  return new Map(rows.map(({ id, run_id }) => [id, run_id]))
}

const THREAD = columns(each(['trace_id', 'thread'], text))

/** A string is stored with a leading quote, any other value as its JSON text. */
async function readThreads({ analytics }: PlaceDeps, tenantId: string, late: readonly TraceSpans[]) {
  const tenant = uuid(tenantId)
  const traceIds = uuids(late.map(({ traceId }) => traceId))
  const rows = await analytics.query(
    sql`
      select trace_id, metadata.value[indexOf(metadata.key, 'thread_id')] as thread
      from runs final
      where tenant_id = ${tenant} and (session_id, start_time, id) in (
          select session_id, start_time, id from trace_runs final where tenant_id = ${tenant} and trace_id in ${traceIds})
        and thread != ''
      order by start_time, id
      limit 1 by trace_id`,
    THREAD,
  )
  return new Map(rows.map(({ trace_id, thread }) => [trace_id, thread.replace(/^"/, '')]))
}
