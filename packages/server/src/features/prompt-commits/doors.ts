import type { RepoRow } from '../prompts/index.ts'
import type { CommitRow } from './store.ts'

/** Something happened to the history of a repo; it is stored already. The manifest is read by `readManifest`. */
export interface HubEvent {
  readonly tenantId: string
  readonly repo: RepoRow
  readonly commit: CommitRow
  readonly event: 'commit' | 'tag:create' | 'tag:update'
  readonly tagName?: string
  /** What the caller asked not to be called: all webhooks, or those of these ids. */
  readonly skipWebhooks?: boolean | readonly string[] | undefined
}

/** Hears of events after their transaction. What it throws is logged: nobody's push fails for a listener. */
export type OnCommit = (event: HubEvent) => Promise<void>

/** For a house in which nobody listens. */
export const hearNothing: OnCommit = async () => {}
