import type { FeedbackWrite } from '../features/feedback/index.ts'
import type { RunWrite } from './run-write.ts'

/** One item to store. Attachments are complete rows; runs and feedback are merged onto their stored rows. */
export type IngestItem =
  | { readonly kind: 'run'; readonly tenantId: string; readonly write: RunWrite }
  | { readonly kind: 'feedback'; readonly tenantId: string; readonly write: FeedbackWrite }
  | { readonly kind: 'row'; readonly tenantId: string; readonly table: 'run_attachments'; readonly json: string }

/** Bytes of an item in memory. */
export function measureItem(item: IngestItem): number {
  if (item.kind === 'run') return item.write.bytes
  return item.kind === 'row' ? item.json.length : JSON.stringify(item.write).length
}

/** Items by workspace, in their order. */
export function groupByTenant<Item extends { readonly tenantId: string }>(items: readonly Item[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const group = groups.get(item.tenantId)
    if (group === undefined) groups.set(item.tenantId, [item])
    else group.push(item)
  }
  return groups
}
