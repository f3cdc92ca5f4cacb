import { sortTree } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { sql, uuid, uuids } from '../../storage/analytics/sql.ts'
import { columns, nullable, type RowOf, text } from '../../storage/rows.ts'
import { readAttachmentUrls, type Share } from '../attachments/index.ts'
import { readRunFeedbackStats } from '../feedback/index.ts'
import { readDerivedPreviews } from './derived-previews.ts'
import type { RunView } from './present.ts'
import type { RunRow } from './run-row.ts'
import { selectRunUses } from './run-uses.ts'
import { bySiblingOrder } from './sibling-order.ts'
import { readTraceFacts } from './trace-facts.ts'

export type RunViewDeps = Pick<Deps, 'analytics' | 'relational' | 'clock' | 'caches'> & {
  /** Origin of this server, the start of attachment URLs. Without it, URLs are paths. */
  readonly origin?: string
}

/**
 * Loads the data that the selected fields need beside the rows. Lookups for fields that were not selected are skipped.
 *
 * @param share  the public link through which the runs are read; attachment URLs expire with it
 */
export async function loadRunViews(
  deps: RunViewDeps,
  tenantId: string,
  rows: readonly RunRow[],
  fields: ReadonlySet<string>,
  share?: Share,
): Promise<RunView[]> {
  if (rows.length === 0) return []
  const wants = (...names: string[]) => names.some((name) => fields.has(name))
  const ids = rows.map((row) => row.id)
  const [traces, attachments, children, feedback, uses, derived] = await Promise.all([
    readTraceFacts(deps, tenantId, rows, fields),
    wants('s3_urls') ? readAttachmentUrls(deps, tenantId, ids, { origin: deps.origin, share }) : undefined,
    wants('child_run_ids', 'direct_child_run_ids') ? readDescendants(deps, tenantId, rows) : undefined,
    wants('feedback_stats') ? readRunFeedbackStats(deps, tenantId, ids) : undefined,
    wants('in_dataset', 'last_queued_at', 'reference_dataset_id', 'share_token')
      ? loadUses(deps, tenantId, rows)
      : undefined,
    wants('inputs_preview', 'outputs_preview', 'derived_payloads')
      ? readDerivedPreviews(deps, tenantId, rows)
      : undefined,
  ])
  return rows.map((row) => ({
    tenantId,
    row,
    totals: traces.totals.get(row.id),
    attachments: attachments?.get(row.id),
    childIds: children && findDescendants(row, children),
    directChildIds: children?.filter((child) => child.parent_run_id === row.id).map((child) => child.id),
    traceSpan: traces.spans.get(row.trace_id),
    derived: derived?.get(row.id),
    isRepeated: traces.repeated.has(row.id),
    shareToken: uses?.shareTokens.get(row.id),
    feedback: feedback?.get(row.id),
    inDataset: uses?.inDatasets.has(row.id),
    lastQueuedAt: uses?.lastQueued.get(row.id),
    referenceDatasetId: uses?.datasets.get(row.reference_example_id ?? ''),
  }))
}

function loadUses(deps: RunViewDeps, tenantId: string, rows: readonly RunRow[]) {
  const examples = new Set(rows.flatMap((row) => row.reference_example_id ?? []))
  return selectRunUses(
    deps,
    tenantId,
    rows.map(({ id }) => id),
    [...examples],
  )
}

const DESCENDANT = columns({ id: text, parent_run_id: nullable(text), dotted_order: text })

type Descendant = RowOf<typeof DESCENDANT>

/** In the order of the run trees. */
async function readDescendants(deps: RunViewDeps, tenantId: string, rows: readonly RunRow[]): Promise<Descendant[]> {
  const found = await deps.analytics.query(
    sql`
    select id, parent_run_id, dotted_order
    from trace_runs final
    where tenant_id = ${uuid(tenantId)} and trace_id in ${bindTraceIds(rows)} and parent_run_id is not null
    order by ${bySiblingOrder('trace_runs', 'asc')}`,
    DESCENDANT,
  )
  return sortTree(found)
}

function findDescendants(row: RunRow, runs: readonly Descendant[]): string[] {
  return runs.filter((run) => run.dotted_order.startsWith(`${row.dotted_order}.`)).map((run) => run.id)
}

function bindTraceIds(rows: readonly RunRow[]) {
  return uuids([...new Set(rows.map((row) => row.trace_id))])
}
