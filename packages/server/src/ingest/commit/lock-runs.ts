import type { Problems } from '../../outcome.ts'
import type { Analytics } from '../../storage/analytics/port.ts'
import { isPaddedSpanId, padSpanId } from '../../storage/analytics/run-aliases.ts'
import { sql, uuid, uuids } from '../../storage/analytics/sql.ts'
import type { WriteLocks } from '../../storage/relational/write-locks.ts'
import { columns, text } from '../../storage/rows.ts'
import { groupByTenant, type IngestItem } from '../ingest-item.ts'
import { type SpanPlace, toTraceUuid } from '../otlp/tree/span-ids.ts'

type Commit = (items: readonly IngestItem[]) => Promise<Problems<IngestItem>>

/**
 * The same commit for several processes that write to one store: while a block is read, merged and inserted, no other process
 * writes the same runs, traces or feedback. Otherwise two processes that read the same stored row would each insert a row
 * without the change of the other.
 *
 * A write locks its run and its trace. A trace is one lock for the spans below it, whose places may change together; a write
 * that does not name its trace finds it by the stored run, and locks the one whose root it may be, because the spans of that
 * trace may write a placeholder for it. Feedback that names a span locks the span as well, because its run
 * takes the feedback over when it arrives.
 */
export function lockRuns(locks: WriteLocks, analytics: Pick<Analytics, 'query'>, commit: Commit): Commit {
  return (items) =>
    locks.hold(
      items.flatMap(listKeys),
      async () => [...(await findTraces(analytics, items)), ...(await findSpansOfFeedback(analytics, items))],
      () => commit(items),
    )
}

function listKeys(item: IngestItem): readonly string[] {
  const { tenantId } = item
  if (item.kind === 'row') return []
  if (item.kind === 'feedback') {
    const { write } = item
    if (!('row' in write)) return [toFeedbackKey(tenantId, write.id)]
    const { id, run_id } = write.row
    return [toFeedbackKey(tenantId, id), ...(isPaddedSpanId(run_id) ? [toRunKey(tenantId, run_id)] : [])]
  }
  const { id, traceId, span } = item.write
  if (span === undefined) return [toRunKey(tenantId, id), toTraceKey(tenantId, traceId ?? id)]
  return [
    toRunKey(tenantId, id),
    toRunKey(tenantId, padSpanId(span.spanId)),
    ...listTraces(span).map((trace) => toTraceKey(tenantId, trace)),
  ]
}

/** An attribute of a span may name a trace of an SDK. */
function listTraces({ otelTraceId, traceId, runId, isRoot }: SpanPlace): readonly string[] {
  const named = traceId ?? (isRoot ? runId : undefined)
  return [toTraceUuid(otelTraceId), ...(named === undefined ? [] : [named])]
}

const toRunKey = (tenantId: string, id: string) => `run ${tenantId} ${id}`
const toFeedbackKey = (tenantId: string, id: string) => `feedback ${tenantId} ${id}`
const toTraceKey = (tenantId: string, traceId: string) => `trace ${tenantId} ${traceId}`

const RUN_TRACE = columns({ trace_id: text })

/** Keys of the traces of stored runs whose writes do not name them. */
async function findTraces(analytics: Pick<Analytics, 'query'>, items: readonly IngestItem[]): Promise<string[]> {
  const keys: string[] = []
  for (const [tenantId, runs] of groupByTenant(items.filter((item) => item.kind === 'run'))) {
    const ids = runs.filter(({ write }) => write.traceId === undefined && write.span === undefined)
    if (ids.length === 0) continue
    const rows = await analytics.query(
      sql`
        select trace_id from run_keys final
        where tenant_id = ${uuid(tenantId)} and id in ${uuids([...new Set(ids.map(({ write }) => write.id))])}`,
      RUN_TRACE,
    )
    keys.push(...rows.map(({ trace_id }) => toTraceKey(tenantId, trace_id)))
  }
  return keys
}

const FEEDBACK_RUN = columns({ run_id: text })

/** Keys of the spans of stored feedback whose writes do not name them. */
async function findSpansOfFeedback(
  analytics: Pick<Analytics, 'query'>,
  items: readonly IngestItem[],
): Promise<string[]> {
  const keys: string[] = []
  for (const [tenantId, writes] of groupByTenant(items.filter((item) => item.kind === 'feedback'))) {
    const ids = writes.flatMap(({ write }) => ('row' in write ? [] : [write.id]))
    if (ids.length === 0) continue
    const rows = await analytics.query(
      sql`
        select run_id from feedback_keys final
        where tenant_id = ${uuid(tenantId)} and id in ${uuids([...new Set(ids)])}`,
      FEEDBACK_RUN,
    )
    keys.push(...rows.filter(({ run_id }) => isPaddedSpanId(run_id)).map(({ run_id }) => toRunKey(tenantId, run_id)))
  }
  return keys
}
