import type { Deps } from '../deps.ts'
import { type FeedbackWrite, type SubmitFeedback, writeFeedback } from '../features/feedback/index.ts'
import type { Problems } from '../outcome.ts'
import type { InsertRow } from '../storage/analytics/port.ts'
import { explainLackOfMemory } from '../storage/analytics/wrappers.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import type { FindPrice } from './merge-run.ts'
import type { RunWrite } from './run-write.ts'
import { createRecentRuns, createVersions, type Versions } from './stored-runs.ts'
import { computeCost, printMoney, readUsage } from './usage.ts'
import { insertRows, type WriteDeps, writeRuns } from './write-runs.ts'

/** One item to store. Attachments are complete rows; runs and feedback are merged onto their stored rows. */
export type IngestItem =
  | { readonly kind: 'run'; readonly tenantId: string; readonly write: RunWrite }
  | { readonly kind: 'feedback'; readonly tenantId: string; readonly write: FeedbackWrite }
  | { readonly kind: 'row'; readonly table: 'run_attachments'; readonly json: string }

/** The only way into the column store for data that clients send. */
export interface Ingest extends GroupCommit<IngestItem> {
  readonly versions: Versions
  readonly submitFeedback: SubmitFeedback
  /** US dollars of a run that is not stored yet, from its `usage_metadata`; null without a price or without tokens. */
  priceUsage(run: Parameters<FindPrice>[0], usageMetadata: Readonly<Record<string, unknown>>): number | null
}

export type IngestDeps = Pick<
  Deps,
  'config' | 'analytics' | 'relational' | 'clock' | 'ids' | 'log' | 'metrics' | 'caches'
> & {
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
    measure: measureItem,
    onDepth: deps.metrics.buffered,
    commit: (items) => commit(writeDeps, items),
  })
  return {
    ...group,
    versions,
    priceUsage(run, usageMetadata) {
      const usage = readUsage({ metadata: { usage_metadata: usageMetadata } }, undefined)
      const cost = usage && computeCost(usage, deps.findPrice(run)).total
      return cost === undefined ? null : Number(printMoney(cost))
    },
    async submitFeedback(tenantId, writes) {
      const items = writes.map((write) => ({ kind: 'feedback' as const, tenantId, write }))
      const problems = await group.submit(items)
      return new Map(
        items.flatMap((item) => {
          const problem = problems.get(item)
          return problem === undefined ? [] : [[item.write, problem] as const]
        }),
      )
    },
  }
}

function measureItem(item: IngestItem): number {
  if (item.kind === 'run') return item.write.bytes
  return item.kind === 'row' ? item.json.length : JSON.stringify(item.write).length
}

/**
 * Stores items in the order that readers rely on: attachments before their runs, so that a reader of a run finds its
 * attachments; feedback last, because it looks up the keys of its runs.
 */
async function commit(deps: WriteDeps, items: readonly IngestItem[]): Promise<Problems<IngestItem>> {
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

function groupByTenant<Item extends { readonly tenantId: string }>(items: readonly Item[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const group = groups.get(item.tenantId)
    if (group === undefined) groups.set(item.tenantId, [item])
    else group.push(item)
  }
  return groups
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
