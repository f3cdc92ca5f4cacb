import type { Deps } from '../deps.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import { insertRows } from './insert-rows.ts'
import type { FindPrice } from './merge-run.ts'
import { createRecentRuns } from './recent-runs.ts'
import type { RunWrite } from './run-write.ts'
import { createVersions, type Versions } from './versions.ts'
import { writeRuns } from './write-runs.ts'

/** One thing to store. Attachments and feedback are rows already; a run is merged onto what is stored of it. */
export type IngestItem =
  | { readonly kind: 'run'; readonly tenantId: string; readonly write: RunWrite }
  | { readonly kind: 'row'; readonly table: 'run_attachments' | 'feedback'; readonly json: string }

/** The one way into the column store for whatever clients send. */
export interface Ingest extends GroupCommit<IngestItem> {
  readonly versions: Versions
}

export type IngestDeps = Pick<Deps, 'config' | 'analytics' | 'relational' | 'clock' | 'ids' | 'metrics'> & {
  readonly findPrice: FindPrice
}

export function openIngest(deps: IngestDeps): Ingest {
  const versions = createVersions(deps.clock)
  const writeDeps = { ...deps, versions, recent: createRecentRuns() }
  const { groupRows, groupBytes, maxWaitingRows, maxWaitingBytes } = deps.config.ingest
  const group = createGroupCommit<IngestItem>({
    groupRows,
    groupBytes,
    maxWaitingRows,
    maxWaitingBytes,
    bytesOf: (item) => (item.kind === 'run' ? item.write.bytes : item.json.length),
    onDepth: deps.metrics.buffered,
    commit: (items) => commit(writeDeps, items),
  })
  return { ...group, versions }
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
  for (const table of ['run_attachments', 'feedback'] as const) {
    const at = indexesOf(items, (item) => item.kind === 'row' && item.table === table)
    if (at.length > 0)
      report(
        at,
        await insertRows(
          deps.analytics,
          table,
          at.map((index) => rowAt(items, index)),
        ),
      )
  }
  const tenants = new Set(items.flatMap((item) => (item.kind === 'run' ? [item.tenantId] : [])))
  for (const tenantId of tenants) {
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
  return items.map((_, index) => problems[index])
}

function indexesOf(items: readonly IngestItem[], keep: (item: IngestItem) => boolean): number[] {
  return items.flatMap((item, index) => (keep(item) ? [index] : []))
}

function rowAt(items: readonly IngestItem[], index: number): string {
  return (items[index] as Extract<IngestItem, { kind: 'row' }>).json
}

function writeAt(items: readonly IngestItem[], index: number): RunWrite {
  return (items[index] as Extract<IngestItem, { kind: 'run' }>).write
}
