import type { Caller } from '../../http/caller.ts'
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

/** A tag that someone wants to make, to move, or (without a commit) to remove. */
export interface TagMove {
  readonly caller: Caller
  readonly repo: RepoRow
  readonly tagName: string
  readonly commit: CommitRow | undefined
}

/** Decides who may move which tag, e.g. `production`; asked before anything is changed. */
export type MayMoveTag = (move: TagMove) => Promise<boolean>

/** For a house in which nobody listens. */
export const hearNothing: OnCommit = async () => {}

/** For a house without protected tags. */
export const anyoneMayMoveTags: MayMoveTag = async () => true
