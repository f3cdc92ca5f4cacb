import type { Rule, RuleAction, RuleDecision, RuleState } from '@touchstone/sdk'

type BlockReason = NonNullable<Rule['blocked']>['reason']

/** What a person reads of a rule's state. */
export interface StateLabel {
  readonly text: string
  readonly tone: 'ok' | 'muted' | 'err'
}

export function describeState(rule: Pick<Rule, 'is_enabled' | 'blocked'>): StateLabel {
  if (!rule.is_enabled) return { text: 'Paused', tone: 'muted' }
  if (rule.blocked !== null) return { text: `Blocked: ${BLOCKS[rule.blocked.reason].label}`, tone: 'err' }
  return { text: 'On', tone: 'ok' }
}

/** Milliseconds from when a run is ready to its first try, over which a rule lags. */
export const LAG_MS = 60_000

/** Where a block is cured. */
export type CurePage = 'providers' | 'prices' | 'spending' | 'evaluators' | 'settings' | 'log'

interface Block {
  readonly label: string
  readonly page: CurePage
  /** Label of the link to the page. */
  readonly cure: string
}

const BLOCKS: Readonly<Record<BlockReason, Block>> = {
  provider_missing: { label: 'its model provider is gone', page: 'providers', cure: 'Open model providers' },
  provider_key_refused: { label: 'the provider refuses its key', page: 'providers', cure: 'Open model providers' },
  model_unknown: { label: 'the provider does not know the model', page: 'evaluators', cure: 'Open evaluators' },
  model_unpriced: { label: 'the model has no price', page: 'prices', cure: 'Open model prices' },
  spending_limit: { label: 'a spending limit is reached', page: 'spending', cure: 'Open spending' },
  evaluator_missing: { label: 'an evaluator is gone', page: 'settings', cure: 'Change the actions' },
  target_missing: { label: 'a dataset or a queue is gone', page: 'settings', cure: 'Change the actions' },
  mapping_invalid: { label: 'a variable finds no value', page: 'evaluators', cure: 'Open evaluators' },
  filter_invalid: { label: 'the filter is invalid', page: 'settings', cure: 'Change the filter' },
  too_many_failures: { label: '20 runs in a row failed', page: 'log', cure: 'Show what failed' },
}

export const getBlock = (reason: BlockReason): Block => BLOCKS[reason]

export const ACTION_LABELS: Readonly<Record<RuleAction['kind'], string>> = {
  evaluate: 'Run evaluator',
  feedback: 'Give feedback',
  tag: 'Add tags',
  add_to_dataset: 'Add to dataset',
  add_to_queue: 'Add to queue',
  notify: 'Send notice',
}

/** States of decisions, in the order of the funnel. */
export const STATE_LABELS: Readonly<Record<RuleState, string>> = {
  done: 'Done',
  failed: 'Failed',
  waiting: 'Waiting',
  running: 'Running',
  limited: 'Limited',
  sampled_out: 'Sampled out',
}

export const isRuleState = (text: string | undefined): text is RuleState =>
  text !== undefined && Object.hasOwn(STATE_LABELS, text)

/** Names of objects by their ids; undefined while they load. */
export type NameOf = (kind: RuleAction['kind'], id: string) => string | undefined

/** What an action does, in a few words. */
export function describeAction(action: RuleAction, nameOf: NameOf): string {
  if (action.kind === 'feedback') return `${action.key}${action.score == null ? '' : ` = ${action.score}`}`
  if (action.kind === 'tag') return action.tags.join(', ')
  if (action.kind === 'notify') {
    return action.channel_ids.map((id) => nameOf('notify', id) ?? id.slice(0, 8)).join(', ')
  }
  return nameOf(action.kind, getTargetId(action)) ?? getTargetId(action).slice(0, 8)
}

function getTargetId(action: Exclude<RuleAction, { kind: 'feedback' | 'tag' | 'notify' }>): string {
  if (action.kind === 'evaluate') return action.evaluator_id
  return action.kind === 'add_to_dataset' ? action.dataset_id : action.queue_id
}

/** "2 s ago". A rule looks within a second after something is written, and not while nothing is. */
export function describeLook(lookedAt: string | null, now: number): string {
  if (lookedAt === null) return 'not yet'
  const seconds = Math.max(0, Math.round((now - Date.parse(lookedAt)) / 1000))
  if (seconds < 120) return `${seconds} s ago`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min ago`
  return `${Math.round(seconds / 3600)} h ago`
}

/** The sample value against the rate, what failed or waits, or what the actions did. */
export function describeDecision({ state, detail, outcomes, sample_value, sampling_rate }: RuleDecision): string {
  if (state === 'sampled_out') return `Not in the sample: ${sample_value.toFixed(4)} ≥ ${sampling_rate}`
  if (detail !== '') return detail
  return outcomes.map((outcome) => `${outcome.kind}: ${outcome.detail}`).join('; ') || STATE_LABELS[state]
}
