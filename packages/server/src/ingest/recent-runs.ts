import type { StoredRun } from './stored-run.ts'

/** Rows written lately: the update of a run mostly follows its create within seconds, and then needs no read. */
export interface RecentRuns {
  keep(row: StoredRun): void
  /** The row, if it is still the version that the store has. */
  find(tenantId: string, id: string, version: string): StoredRun | undefined
}

/** @param maxBytes  payload held at the most; the oldest rows go first. @default 64 MiB */
export function createRecentRuns(maxBytes = 64 << 20): RecentRuns {
  const rows = new Map<string, StoredRun>()
  let bytes = 0

  function drop(key: string): void {
    const row = rows.get(key)
    if (row === undefined) return
    rows.delete(key)
    bytes -= weigh(row)
  }

  return {
    keep(row) {
      const key = keyOf(row.tenant_id, row.id)
      drop(key)
      // A finished run is seldom written again, and a huge one is not worth the room.
      if (row.end_time !== null || weigh(row) > maxBytes / 16) return
      rows.set(key, row)
      bytes += weigh(row)
      for (const oldest of rows.keys()) {
        if (bytes <= maxBytes) break
        drop(oldest)
      }
    },
    find(tenantId, id, version) {
      const row = rows.get(keyOf(tenantId, id))
      return row !== undefined && String(row.version) === version ? row : undefined
    },
  }
}

const keyOf = (tenantId: string, id: string) => `${tenantId}/${id}`

function weigh(row: StoredRun): number {
  const payload = row.inputs.length + row.outputs.length + row.extra.length + row.events.length + row.serialized.length
  return 1_000 + payload + row.error.length
}
