import type { WebhookTrigger } from '@touchstone/contract'
import type { RepoRow } from '../index.ts'
import type { CommitRow } from './store.ts'

/** Something happened to the history of a repo; it is stored already. The manifest is read by `readManifest`. */
export interface PromptEvent {
  readonly tenantId: string
  readonly repo: RepoRow
  /** What was committed; what a tag stands for now, or stood for until it was removed. */
  readonly commit: CommitRow
  readonly event: WebhookTrigger
  readonly tagName?: string
  /** What the caller asked not to be called: all webhooks, or those of these ids. */
  readonly skipWebhooks?: boolean | readonly string[] | undefined
}

/** Hears of events after their transaction. What it throws is logged: nobody's push fails for a listener. */
export type PromptEventListener = (event: PromptEvent) => Promise<void>
