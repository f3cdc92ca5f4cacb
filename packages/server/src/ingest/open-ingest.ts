import type { Deps } from '../deps.ts'
import { type FeedbackWrite, type SubmitFeedback, writeFeedback } from '../features/feedback/index.ts'
import { explainLackOfMemory } from '../storage/analytics/limit-queries.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import { insertRows } from './insert-rows.ts'
import type { FindPrice } from './merge-run.ts'
import type { RunWrite } from './run-write.ts'
import { createRecentRuns, createVersions, type Versions } from './stored-run.ts'
import { writeRuns } from './write-runs.ts'

/** One thing to store. Attachments are rows already; runs and feedback are laid onto what is stored of them. */
export type IngestItem =
  | { readonly kind: 'run'; readonly tenantId: string; readonly write: RunWrite }
  | { readonly kind: 'feedback'; readonly tenantId: string; readonly write: FeedbackWrite }
  | { readonly kind: 'row'; readonly table: 'run_attachments'; readonly json: string }

/** The one way into the column store for whatever clients send. */
export interface Ingest extends GroupCommit<IngestItem> {
  readonly versions: Versions
  readonly submitFeedback: SubmitFeedback
}

export type IngestDeps = Pick<Deps, 'config' | 'analytics' | 'relational' | 'clock' | 'ids' | 'log' | 'metrics'> & {
  readonly findPrice: FindPrice
}

export function openIngest(deps: IngestDeps): Ingest {
  const versions = createVersions(deps.clock)
  const analytics = explainLackOfMemory(deps.analytics)
  const writeDeps = { ...deps, analytics, versions, recent: createRecentRuns() }
  const { groupRows, groupBytes, maxWaitingRows, maxWaitingBytes } = deps.config.ingest
  const group = createGroupCommit<IngestItem>({
    groupRows,
    groupBytes,
    maxWaitingRows,
    maxWaitingBytes,
    bytesOf: measureItem,
    onDepth: deps.metrics.buffered,
    commit: (items) => commit(writeDeps, items),
  })
  return {
    ...group,
    versions,
    submitFeedback: (tenantId, writes) =>
      group.submit(writes.map((write): IngestItem => ({ kind: 'feedback', tenantId, write }))),
  }
}

function measureItem(item: IngestItem): number {
  if (item.kind === 'run') return item.write.bytes
  return item.kind === 'row' ? item.json.length : JSON.stringify(item.write).length
}

type CommitDeps = Parameters<typeof writeRuns>[0]

/** Rows that runs point at go first: whoever sees the run sees its attachments. */
async function commit(deps: CommitDeps, items: readonly IngestItem[]): Promise<(string | undefined)[]> {
  const problems: (string | undefined)[] = []
  const report = (at: readonly number[], found: readonly (string | undefined)[]) => {
    at.forEach((index, position) => {
      problems[index] = found[position]
    })
  }
  const attachments = indexesOf(items, (item) => item.kind === 'row')
  if (attachments.length > 0) {
    const rows = attachments.map((index) => rowAt(items, index))
    report(attachments, await insertRows(deps.analytics, 'run_attachments', rows))
  }
  for (const tenantId of tenantsOf(items, 'run')) {
    const at = indexesOf(items, (item) => item.kind === 'run' && item.tenantId === tenantId)
    report(
      at,
      await writeRuns(
        deps,
        tenantId,
        at.map((index) => writeAt(items, index)),
      ),
    )
  }
  // Feedback goes last: the run that came with it is known by then.
  const insert = (table: string, rows: readonly string[]) => insertRows(deps.analytics, table, rows)
  for (const tenantId of tenantsOf(items, 'feedback')) {
    const at = indexesOf(items, (item) => item.kind === 'feedback' && item.tenantId === tenantId)
    const writes = at.map((index) => feedbackAt(items, index))
    report(at, await writeFeedback({ ...deps, insert }, tenantId, writes))
  }
  return items.map((_, index) => problems[index])
}

function indexesOf(items: readonly IngestItem[], keep: (item: IngestItem) => boolean): number[] {
  return items.flatMap((item, index) => (keep(item) ? [index] : []))
}

function tenantsOf(items: readonly IngestItem[], kind: 'run' | 'feedback'): Set<string> {
  return new Set(items.flatMap((item) => (item.kind === kind ? [item.tenantId] : [])))
}

function rowAt(items: readonly IngestItem[], index: number): string {
  return (items[index] as Extract<IngestItem, { kind: 'row' }>).json
}

function writeAt(items: readonly IngestItem[], index: number): RunWrite {
  return (items[index] as Extract<IngestItem, { kind: 'run' }>).write
}

function feedbackAt(items: readonly IngestItem[], index: number): FeedbackWrite {
  return (items[index] as Extract<IngestItem, { kind: 'feedback' }>).write
}
