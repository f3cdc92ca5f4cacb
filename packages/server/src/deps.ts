import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Metrics } from './http/metrics.ts'
import { AnswerCache } from './storage/analytics/changes.ts'
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
  readonly caches: Caches
}

/** Values that a server keeps in memory. Two servers in one process do not share them. */
export interface Caches {
  /** Projects of recent writes, by id and by name. */
  readonly projects: Map<string, CachedProject>
  /** Whether a workspace has attachments of runs. */
  readonly hasAttachments: AnswerCache<boolean>
}

export interface CachedProject {
  /** The part of a project that the ingest of a run needs. */
  readonly project: Promise<{ readonly id: string; readonly threadKeys: readonly string[] }>
  /** Milliseconds since 1970. */
  readonly until: number
}

export function createCaches({ changes }: Analytics): Caches {
  return { projects: new Map(), hasAttachments: new AnswerCache(changes) }
}

/** Milliseconds since 1970. */
export type Clock = () => number

/** A new UUID version 7. */
export type Ids = () => string
