import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Metrics } from './http/metrics.ts'
import { AnswerCache } from './storage/analytics/changes.ts'
import type { Analytics } from './storage/analytics/port.ts'
import type { Blobs } from './storage/blobs/port.ts'
import type { Relational } from './storage/relational/port.ts'
import type { ModelProviderRow } from './storage/relational/tables/model-providers.ts'
import { ThreadKeys } from './storage/relational/thread-keys.ts'

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
  /** The earliest start of a project that this process has read or written, by project id; the stored one may be earlier. */
  readonly projectStarts: Map<string, string>
  /** The metadata keys by which projects name their threads. */
  readonly threadKeys: ThreadKeys
  /** The project, as it was sent, of the first request of an OpenTelemetry trace, by workspace and trace id. */
  readonly traceProjects: Map<string, string>
  /** Whether a workspace has attachments of runs. */
  readonly hasAttachments: AnswerCache<boolean>
  /**
   * Rows of model providers for calls, by id. Kept with the embedded store only, whose one process clears them after each
   * change: a removed provider or key must not be called any longer.
   */
  readonly modelProviders: Map<string, Promise<ModelProviderRow | undefined>>
}

export interface CachedProject {
  readonly id: Promise<string>
  /** Milliseconds since 1970. */
  readonly until: number
}

export function createCaches({ changes }: Analytics): Caches {
  return {
    projects: new Map(),
    projectStarts: new Map(),
    threadKeys: new ThreadKeys(),
    traceProjects: new Map(),
    hasAttachments: new AnswerCache(changes),
    modelProviders: new Map(),
  }
}

/** Milliseconds since 1970. */
export type Clock = () => number

/** A new UUID version 7. */
export type Ids = () => string
