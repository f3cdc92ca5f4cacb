import type { Problems } from '../../outcome.ts'
import type { Analytics } from '../../storage/analytics/port.ts'
import { sql, uuid, uuids } from '../../storage/analytics/sql.ts'
import type { WriteLocks } from '../../storage/relational/write-locks.ts'
import { columns, text } from '../../storage/rows.ts'
import { groupByTenant, type IngestItem } from '../ingest-item.ts'
import { toTraceUuid } from '../otlp/tree/span-ids.ts'

type Commit = (items: readonly IngestItem[]) => Promise<Problems<IngestItem>>

/**
 * The same commit for several processes that write to one store: while a block is read, merged and inserted, no other process
 * writes the same runs, traces or feedback. Otherwise two processes that read the same stored row would each insert a row
 * without the change of the other.
 *
 * A write locks its run and its trace. A trace is one lock for the spans below it, whose places may change together; a write
 * that does not name its trace finds it by the stored run.
 */
export function lockRuns(locks: WriteLocks, analytics: Pick<Analytics, 'query'>, commit: Commit): Commit {
  return (items) =>
    locks.hold(
      items.flatMap(listKeys),
      () => findTraces(analytics, items),
      () => commit(items),
    )
}

function listKeys(item: IngestItem): readonly string[] {
  const { tenantId } = item
  if (item.kind === 'row') return []
  if (item.kind === 'feedback') {
    const { write } = item
    return [`feedback ${tenantId} ${'row' in write ? write.row.id : write.id}`]
  }
  const { id, traceId, span } = item.write
  const trace = traceId ?? (span && toTraceUuid(span.otelTraceId))
  return [`run ${tenantId} ${id}`, ...(trace === undefined ? [] : [toTraceKey(tenantId, trace)])]
}

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
