import type { Role } from '../accounts/roles.ts'

/** What decides whether a queue hides scores. */
interface HidingQueue {
  /** @default false */
  readonly hide_others_scores?: boolean | undefined
  /** `any` or `assigned`. @default any */
  readonly reviewer_access_mode?: string | undefined
}

/** Who reads the scores. */
export interface ScoreReader {
  /** A person, a key, or a caller of an open server without credentials. */
  readonly kind: 'person' | 'key' | 'local'
  readonly role: Role
  /** Whether the reader is an assigned reviewer of the queue. */
  readonly isAssigned: boolean
}

/**
 * Whether a queue hides from a reader what other people said about an item, until the reader has completed it. Viewers do not
 * review. Keys that are not assigned are programs, which read everything.
 */
export function hidesOthersScores(queue: HidingQueue, { kind, role, isAssigned }: ScoreReader): boolean {
  if (!queue.hide_others_scores || role === 'viewer') return false
  return queue.reviewer_access_mode === 'assigned' ? isAssigned : kind === 'person'
}
