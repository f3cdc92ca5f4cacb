import { open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Problems } from '../../outcome.ts'
import { makeFolder } from '../../storage/make-folder.ts'
import { groupByTenant, type IngestItem } from '../ingest-item.ts'
import { printLateReceipt, type Receipts } from '../receipts/record-receipts.ts'
import type { PayloadField, RunWrite } from '../run-write.ts'
import { WAS_DELETED } from '../write-runs.ts'
import { isJournaled, type JournaledItem } from './encode-items.ts'

type KeepDeps = Pick<Deps, 'config' | 'clock' | 'ids' | 'log' | 'metrics'> & { readonly receipts: Receipts }

/** The file of a workspace's refused items: JSON lines of `{ at, reason, item }`, payloads as texts. */
export const toPath = (dataDir: string, tenantId: string) => join(dataDir, 'journal', 'refused', `${tenantId}.jsonl`)

/** One line of the file, as JSON. */
export interface RefusedLine {
  readonly at: string
  readonly reason: string
  readonly item:
    | Exclude<JournaledItem, { readonly kind: 'run' }>
    | { readonly kind: 'run'; readonly tenantId: string; readonly write: PlainWrite }
}

/** A write with its payloads as JSON texts. */
type PlainWrite = Omit<RunWrite, PayloadField> & { readonly [Field in PayloadField]?: string | undefined }

/**
 * Keeps items that the store refused after they were acknowledged: appends them to a file of their workspace, adds a
 * receipt, and logs an error. An update of a deleted run only gets a receipt, because the deletion was meant.
 */
export async function keepRefused(deps: KeepDeps, refused: Problems<IngestItem>): Promise<void> {
  const all = [...refused].flatMap(([item, reason]) =>
    isJournaled(item) ? [{ tenantId: item.tenantId, item, reason }] : [],
  )
  for (const [tenantId, reasons] of groupByTenant(all)) {
    const lost = reasons.filter(({ reason }) => !reason.endsWith(WAS_DELETED))
    if (lost.length > 0) {
      const path = await appendRefused(deps, tenantId, new Map(lost.map(({ item, reason }) => [item, reason])))
      deps.log.error(
        { count: lost.length, path, reason: lost[0]?.reason },
        'acknowledged items could not be stored; they are kept in a file',
      )
      deps.metrics.refusedLate(lost.length)
    }
    const problems = reasons.map(({ item, reason }) => ({ id: item.kind === 'run' ? item.write.id : '', reason }))
    deps.receipts.add({ json: printLateReceipt(deps, tenantId, problems) })
  }
}

/** Appends items to the file of their workspace, and returns its path. */
export async function appendRefused(
  { config, clock }: Pick<Deps, 'config' | 'clock'>,
  tenantId: string,
  refused: Problems<IngestItem>,
): Promise<string> {
  const path = toPath(config.dataDir, tenantId)
  const at = timeOfEpochMs(clock())
  const lines = [...refused].flatMap(([item, reason]) =>
    isJournaled(item) ? [`${JSON.stringify({ at, reason, item: toPlain(item) } satisfies RefusedLine)}\n`] : [],
  )
  if (lines.length > 0) await appendDurably(path, lines.join(''))
  return path
}

/** Removes the refused items of a deleted workspace. */
export async function deleteRefused({ config }: Pick<Deps, 'config'>, tenantId: string): Promise<void> {
  const path = toPath(config.dataDir, tenantId)
  for (const end of ['', '.retrying', '.retrying.rest']) await rm(path + end, { force: true })
}

function toPlain(item: JournaledItem): RefusedLine['item'] {
  if (item.kind !== 'run') return item
  const { inputs, outputs, extra, events, serialized, ...write } = item.write
  const payloads = { inputs, outputs, extra, events, serialized }
  const texts = Object.entries(payloads).map(([field, payload]) => [field, payload?.text])
  return { ...item, write: { ...write, ...Object.fromEntries(texts) } }
}

async function appendDurably(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path), 0o700)
  const file = await open(path, 'a', 0o600)
  try {
    await file.appendFile(text)
    await file.datasync()
  } finally {
    await file.close()
  }
}
