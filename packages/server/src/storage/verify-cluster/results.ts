export type CheckedStore = 'PostgreSQL' | 'ClickHouse' | 'S3'

/** The outcome of one check of a store. */
export interface CheckResult {
  readonly store: CheckedStore
  /** E.g. `version`. */
  readonly check: string
  /** `warning`: works now, and may lose something or slow down later. */
  readonly status: 'ok' | 'warning' | 'failed'
  /** What was found. */
  readonly found: string
  /** What to do about a warning or a failure. */
  readonly remedy?: string
}

/** What a check finds; a text alone is in order. */
export type Finding = string | Omit<CheckResult, 'store' | 'check'>

export const warning = (found: string, remedy: string): Finding => ({ status: 'warning', found, remedy })
export const failure = (found: string, remedy: string): Finding => ({ status: 'failed', found, remedy })

/** A check; an error that it throws is a failure with `remedy`. */
export interface Check {
  readonly check: string
  readonly remedy: string
  readonly run: () => Promise<Finding>
}

export async function runChecks(store: CheckedStore, checks: readonly Check[]): Promise<CheckResult[]> {
  const results: CheckResult[] = []
  for (const { check, remedy, run } of checks) {
    const finding = await run().catch((error: unknown) => failure(firstLine(error), remedy))
    const result = typeof finding === 'string' ? ({ status: 'ok', found: finding } as const) : finding
    results.push({ store, check, ...result })
  }
  return results
}

/** Differences of clocks that lose nothing, and that mix up the order of changes. */
const TOLERATED_MS = 1_000
const HARMFUL_MS = 30_000

/** Compares the clock of a store with the clock of this machine; the answer was on its way for an unknown part of the time. */
export async function compareClocks(readStoreMs: () => Promise<number>, precisionMs = 0): Promise<Finding> {
  const before = Date.now()
  const storeMs = await readStoreMs()
  const after = Date.now()
  const apart = Math.max(0, before - precisionMs - storeMs, storeMs - after)
  const found = `${apart} ms apart from this machine`
  if (apart <= TOLERATED_MS) return found
  const remedy = 'Synchronize the clocks of all machines (NTP): retention, grace periods and expiry of keys use them.'
  return apart <= HARMFUL_MS ? warning(found, remedy) : failure(found, remedy)
}

export const firstLine = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]?.trim().slice(0, 300) ?? ''
