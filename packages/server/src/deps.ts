import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Metrics } from './http/metrics.ts'
import type { Analytics } from './storage/analytics/port.ts'
import type { Blobs } from './storage/blobs/port.ts'
import type { Relational } from './storage/relational/port.ts'

/** What the server is built from. A feature selects what it needs with `Pick`, so a test supplies only that. */
export interface Deps {
  readonly config: Config
  readonly relational: Relational
  readonly analytics: Analytics
  readonly blobs: Blobs
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  readonly metrics: Metrics
}

/** Milliseconds since 1970. */
export type Clock = () => number

/** A new UUID version 7. */
export type Ids = () => string
