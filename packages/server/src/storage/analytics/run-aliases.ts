import { type Fragment, sql, uuid, uuids } from './sql.ts'

/**
 * Ids of OpenTelemetry spans: 8 zero bytes and the 8 bytes of the span. Clients use this id for a root span too, whose run
 * has the id of its trace, and for a span that belongs to the run of an SDK. The table `run_aliases` has the ids of those runs.
 */
const PADDING = '00000000-0000-0000-'

/** The run id of a span. @param hex  16 hex digits */
export const padSpanId = (hex: string) => `${PADDING}${hex.slice(0, 4)}-${hex.slice(4)}`

export const isPaddedSpanId = (id: string) => id.startsWith(PADDING)

/** Condition that `id` is one of the ids, or that one of them is another id of its run. Only span ids cost a lookup. */
export function idIn(tenantId: string, ids: readonly string[]): Fragment {
  const spanIds = ids.filter(isPaddedSpanId)
  if (spanIds.length === 0) return sql`id in ${uuids(ids)}`
  return sql`(id in ${uuids(ids)} or id in (
          select run_id from run_aliases final where tenant_id = ${uuid(tenantId)} and id in ${uuids(spanIds)}))`
}
