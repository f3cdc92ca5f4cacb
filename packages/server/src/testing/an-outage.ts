import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { timeOfEpochMs, uuid7 } from '@touchstone/contract'
import { pino } from 'pino'
import { createCaches } from '../deps.ts'
import { createJournaledCommit, decodeItems, encodeItems, isJournaled } from '../ingest/commit/index.ts'
import { type IngestItem, measureItem } from '../ingest/ingest-item.ts'
import { RawPayload } from '../ingest/run-write.ts'
import { storeItems } from '../ingest/store-items.ts'
import { createRecentRuns, createVersions } from '../ingest/stored-runs.ts'
import type { Analytics } from '../storage/analytics/port.ts'
import { sql, uuid } from '../storage/analytics/sql.ts'
import { withStoreFailures } from '../storage/analytics/wrappers.ts'
import { openJournal } from '../storage/journal/index.ts'
import { columns, text } from '../storage/rows.ts'

/** Length of an outage, on the clock of the writer. */
export const OUTAGE_MS = 60_000

/** The journaled writer over a real engine, with a clock that only its pauses move. */
export async function openWriter(analytics: Analytics) {
  const directory = mkdtempSync(join(tmpdir(), 'touchstone-outage-'))
  const { journal } = await openJournal(directory)
  const refused: string[] = []
  const failures: unknown[] = []
  let awaited = { count: Number.POSITIVE_INFINITY, settle: () => {} }
  let nowMs = 0
  let outage: { readonly end: () => Promise<void> } | undefined
  const deps = {
    analytics: withStoreFailures(analytics),
    clock: Date.now,
    log: pino({ level: 'silent' }),
    caches: createCaches(analytics),
    findPrice: () => undefined,
    versions: createVersions(Date.now),
    recent: createRecentRuns(1 << 20),
  }
  const group = createJournaledCommit<IngestItem>({
    journal,
    recovered: [],
    encode: (items) => encodeItems(items.filter(isJournaled)),
    isJournaled,
    tenantOf: ({ tenantId }) => tenantId,
    keyOf: (item) => (item.kind === 'run' ? item.write.id : undefined),
    kindOf: ({ kind }) => kind,
    measure: measureItem,
    commit: (items) => storeItems(deps, items),
    keepRefused: async (problems) => {
      for (const [item] of problems) refused.push(item.kind === 'run' ? item.write.id : item.kind)
    },
    onFailure: (error) => {
      failures.push(error)
      if (failures.length >= awaited.count) awaited.settle()
    },
    maxAgeMs: 3_600_000,
    maxReadWaitMs: 2 * OUTAGE_MS,
    time: {
      now: () => nowMs,
      async sleep(ms) {
        nowMs += ms
        // Timers and the disk go on between two attempts.
        await new Promise((resolve) => setImmediate(resolve))
        if (nowMs < OUTAGE_MS || outage === undefined) return
        const { end } = outage
        outage = undefined
        await end()
      },
    },
  })
  return {
    refused,
    failures,
    /** Settles with this number of failures. */
    failed: (count: number) =>
      new Promise<void>((settle) => {
        awaited = { count, settle }
      }),
    settled: () => group.settled(),
    close: () => group.close(),
    send: (...items: IngestItem[]) => group.submit(items),
    /** The outage ends by itself after `OUTAGE_MS`. */
    async break(begin: () => Promise<void>, end: () => Promise<void>) {
      nowMs = 0
      outage = { end }
      await begin()
    },
    /** Bodies of the journal records that are not applied. */
    waiting: async () => {
      const { records } = await openJournal(directory)
      return records.flatMap(({ body }) => decodeItems(body))
    },
  }
}

const PROJECT = uuid7()

export function aRunItem(tenantId: string, fields: object = {}): Extract<IngestItem, { kind: 'run' }> {
  const id = uuid7()
  const now = timeOfEpochMs(Date.now())
  const write = {
    kind: 'post' as const,
    id,
    traceId: id,
    dottedOrder: `${now.replaceAll(/[-:.]/g, '')}${id}`,
    sessionId: PROJECT,
    name: 'step',
    runType: 'chain' as const,
    startTime: now,
    receivedAt: now,
    inputs: RawPayload.trusted('{"question":"why"}'),
    bytes: 500,
    ...fields,
  }
  return { kind: 'run', tenantId, write }
}

export const idsOf = (items: readonly IngestItem[]) =>
  items.map((item) => (item.kind === 'run' ? item.write.id : '')).sort()

/** Ids of the runs of a workspace that are readable, with their payload. */
export async function readIds(analytics: Analytics, tenantId: string): Promise<string[]> {
  const rows = await analytics.query(
    sql`select id, inputs from runs final where tenant_id = ${uuid(tenantId)} and is_deleted = 0`,
    columns({ id: text, inputs: text }),
  )
  return rows
    .filter(({ inputs }) => inputs === '{"question":"why"}')
    .map(({ id }) => id)
    .sort()
}
