import { join } from 'node:path'
import type { Deps } from '../deps.ts'
import type { ComputeCosts, SubmitCosts } from '../features/bulk-jobs/repricing/index.ts'
import type { SubmitFeedback } from '../features/feedback/index.ts'
import type { Problems } from '../outcome.ts'
import { AnswerCache } from '../storage/analytics/changes.ts'
import { FREE_BYTES_TO_INSERT } from '../storage/analytics/damaged-parts.ts'
import { type AcknowledgedWrites, ALWAYS_SETTLED } from '../storage/analytics/settled-reads.ts'
import { withStoreFailures } from '../storage/analytics/wrappers.ts'
import { openJournal } from '../storage/journal/index.ts'
import {
  createGroupCommit,
  createJournaledCommit,
  decodeItems,
  encodeItems,
  type GroupCommit,
  isJournaled,
  type JournaledCommit,
  type JournaledCommitOptions,
  lockRuns,
} from './commit/index.ts'
import { computeCost } from './compute-cost.ts'
import { type IngestItem, measureItem } from './ingest-item.ts'
import type { FindPrice } from './merge-run.ts'
import { printMoney } from './money.ts'
import { placeItems } from './place-items.ts'
import { computeStoredCosts } from './price-again.ts'
import { storeItems } from './store-items.ts'
import { createRecentRuns, createVersions, type Versions } from './stored-runs.ts'
import { readUsage } from './usage.ts'

/** The only way into the column store for data that clients send. */
export interface Ingest extends GroupCommit<IngestItem> {
  /** What is acknowledged and not in the store yet. */
  readonly writes: AcknowledgedWrites
  readonly versions: Versions
  readonly submitFeedback: SubmitFeedback
  readonly computeCosts: ComputeCosts
  readonly submitCosts: SubmitCosts
  /** US dollars of a run that is not stored yet, from its `usage_metadata`; null without a price or without tokens. */
  priceUsage(run: Parameters<FindPrice>[0], usageMetadata: Readonly<Record<string, unknown>>): number | null
}

export type IngestDeps = Pick<
  Deps,
  'config' | 'analytics' | 'relational' | 'clock' | 'ids' | 'log' | 'metrics' | 'caches'
> & {
  readonly findPrice: FindPrice
  /** Keeps and reports items that the store refused after they were acknowledged. */
  readonly keepRefused: (refused: Problems<IngestItem>) => Promise<void>
}

/**
 * Opens the write path: the embedded engine gets a journal in front of it, a server of ClickHouse gets every block at
 * once.
 *
 * @throws Error when the journal cannot be read
 * @see docs/decisions/0080-journal-before-the-store.md
 */
export async function openIngest(deps: IngestDeps): Promise<Ingest> {
  const versions = createVersions(deps.clock)
  const analytics = withStoreFailures(deps.analytics)
  const writeDeps = { ...deps, analytics, versions, recent: createRecentRuns(deps.config.memory.recentRunBytes) }
  const options = {
    ...deps.config.ingest,
    measure: measureItem,
    onDepth: deps.metrics.buffered,
    commit: (items: readonly IngestItem[]) => storeItems(writeDeps, items),
  }
  const isEmbedded = deps.config.clickhouseUrl === undefined
  const journaled = isEmbedded ? await openJournaled(deps, options) : undefined
  const group =
    journaled ?? createGroupCommit<IngestItem>({ ...options, commit: lockForProcesses(deps, options.commit) })
  const placeDeps = {
    ...writeDeps,
    deletions: new AnswerCache<boolean>(analytics.changes),
    isBehind: () => journaled?.isSettled !== true,
  }
  const writes: AcknowledgedWrites = journaled ?? ALWAYS_SETTLED

  return {
    async submit(items) {
      const { ready, sources, problems } = await placeItems(placeDeps, items)
      for (const [item, problem] of await group.submit(ready)) problems.set(sources.get(item) ?? item, problem)
      return problems
    },
    close: () => group.close(),
    writes,
    versions,
    priceUsage(run, usageMetadata) {
      const usage = readUsage({ metadata: { usage_metadata: usageMetadata } }, undefined)
      const cost = usage && computeCost(usage, deps.findPrice(run)).total
      return cost === undefined ? null : Math.max(0, Number(printMoney(cost)))
    },
    computeCosts: computeStoredCosts,
    async submitCosts(tenantId, writes) {
      const items = writes.map(({ id, ...costs }) => {
        const write = { kind: 'patch' as const, id, costs, bytes: COST_WRITE_BYTES }
        return { kind: 'run' as const, tenantId, write }
      })
      const problems = await group.submit(items)
      return new Map(
        [...problems].flatMap(([item, problem]) => (item.kind === 'run' ? [[item.write.id, problem]] : [])),
      )
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

/** In the buffer; the stored row is read when it is written. */
const COST_WRITE_BYTES = 1_000

/** On a PostgreSQL server there may be other processes that write the same runs. */
function lockForProcesses({ relational, analytics }: IngestDeps, commit: CommitOptions['commit']) {
  return relational.locks === undefined ? commit : lockRuns(relational.locks, analytics, commit)
}

type CommitOptions = Omit<
  JournaledCommitOptions<IngestItem>,
  'journal' | 'recovered' | 'encode' | 'isJournaled' | 'tenantOf' | 'keyOf' | 'kindOf' | 'keepRefused' | 'onFailure'
>

/** Free space that the journal leaves: the engine must be able to take what the journal has accepted. */
const KEEP_FREE_BYTES = FREE_BYTES_TO_INSERT + 64 * 1024 * 1024

/** Blocks that are acknowledged and not stored: one is being stored, the others are ready. With little memory blocks are small. */
const BLOCKS_UNAPPLIED = 3

async function openJournaled(deps: IngestDeps, options: CommitOptions): Promise<JournaledCommit<IngestItem>> {
  const directory = join(deps.config.dataDir, 'journal')
  const { journal, records, tornBytes } = await openJournal(directory, { keepFreeBytes: KEEP_FREE_BYTES })
  if (records.length > 0)
    deps.log.info({ requests: records.length }, 'storing what was acknowledged before the last stop')
  if (tornBytes > 0) {
    deps.log.warn(
      { directory, tornBytes },
      'the journal has bytes that are no whole request, as a power cut leaves them; they are kept in a file *.torn',
    )
  }
  const recovered = records.map(({ number, body }) => ({ number, items: decodeItems(body) }))
  const tenantIds = new Set(recovered.flatMap(({ items }) => items.map(({ tenantId }) => tenantId)))
  for (const tenantId of tenantIds) await deps.caches.threadKeys.load(deps, tenantId)
  const { groupRows, groupBytes } = deps.config.ingest
  const group = createJournaledCommit<IngestItem>({
    ...options,
    maxUnappliedRows: BLOCKS_UNAPPLIED * groupRows,
    maxUnappliedBytes: BLOCKS_UNAPPLIED * groupBytes,
    journal,
    recovered,
    encode: (items) => encodeItems(items.filter(isJournaled)),
    isJournaled,
    tenantOf: (item) => item.tenantId,
    keyOf: (item) => (item.kind === 'run' ? `${item.tenantId}/${item.write.id}` : undefined),
    kindOf: ({ kind }) => kind,
    keepRefused: deps.keepRefused,
    onFailure: (error, attempt) =>
      deps.log.error({ err: error, attempt }, 'acknowledged runs could not be stored yet; the journal keeps them'),
  })
  deps.metrics.watchJournal(() => ({ bytes: journal.bytes, lagSeconds: group.lagSeconds() }))
  return group
}
