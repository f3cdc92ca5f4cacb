import { writeFeedback } from '../features/feedback/index.ts'
import type { Problems } from '../outcome.ts'
import type { InsertRow } from '../storage/analytics/port.ts'
import { groupByTenant, type IngestItem } from './ingest-item.ts'
import { insertRows, type WriteDeps, writeRuns } from './write-runs.ts'

/**
 * Stores items in the order that readers rely on: attachments before their runs, so that a reader of a run finds its
 * attachments; feedback last, because it looks up the keys of its runs.
 */
export async function storeItems(deps: WriteDeps, items: readonly IngestItem[]): Promise<Problems<IngestItem>> {
  const problems = new Map<IngestItem, string>()
  const record = (failed: Problems<IngestItem>) => {
    for (const [item, problem] of failed) problems.set(item, problem)
  }
  const attachments = items.filter((item) => item.kind === 'row')
  if (attachments.length > 0) record(await insertRows(deps.analytics, 'run_attachments', attachments))
  for (const [tenantId, runs] of groupByTenant(items.filter((item) => item.kind === 'run'))) {
    const failed = await writeRuns(
      deps,
      tenantId,
      runs.map((item) => item.write),
    )
    record(toProblemsOfItems(runs, failed))
  }
  const insert = <Row extends InsertRow>(table: string, rows: readonly Row[]) => insertRows(deps.analytics, table, rows)
  for (const [tenantId, feedback] of groupByTenant(items.filter((item) => item.kind === 'feedback'))) {
    const failed = await writeFeedback(
      { ...deps, insert },
      tenantId,
      feedback.map((item) => item.write),
    )
    record(toProblemsOfItems(feedback, failed))
  }
  return problems
}

function toProblemsOfItems<Write, Item extends { readonly write: Write }>(
  items: readonly Item[],
  problems: Problems<Write>,
): Problems<Item> {
  const found = new Map<Item, string>()
  if (problems.size === 0) return found
  for (const item of items) {
    const problem = problems.get(item.write)
    if (problem !== undefined) found.set(item, problem)
  }
  return found
}
