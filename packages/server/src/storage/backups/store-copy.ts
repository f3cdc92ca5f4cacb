import type { Manifest } from './manifest.ts'

/** How one store gets into a backup. The methods are called in this order, `close` also after a failure. */
export interface StoreCopy<Part> {
  /** Bytes of the copy, at most, by estimate. */
  size(): Promise<number>
  /** Copies what can be copied before the point in time. */
  begin(): Promise<void>
  /** Runs `work` while other writes of this process wait; where the store is a server, they go on. */
  hold<Result>(work: () => Promise<Result>): Promise<Result>
  /** Decides which state the copy has; called inside of `hold`. */
  fix(): Promise<void>
  /** Copies the rest. */
  finish(): Promise<Part>
  close(): Promise<void>
}

export type RelationalStoreCopy = StoreCopy<Manifest['relational']>
export type AnalyticsStoreCopy = StoreCopy<Manifest['analytics']>
