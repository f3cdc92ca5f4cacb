import type { RuleAction, RuleDefinition, RuleTarget, RuleWrite } from '@touchstone/sdk'
import { isSameJson } from '#lib/changes.ts'
import type { Filters } from '#lib/filter/chips.ts'
import type { NewRuleSearch } from './search.ts'
import { TEMPLATES } from './templates.ts'

export type ActionKind = RuleAction['kind']

/** An action as it is edited: the fields of every kind, as texts. */
export interface ActionDraft {
  readonly kind: ActionKind
  /** Of the evaluator, dataset or queue. */
  readonly id: string
  /** Of the evaluator; empty: the newest. */
  readonly version: string
  readonly split: string
  readonly key: string
  readonly score: string
  readonly value: string
  readonly comment: string
  /** Separated by commas. */
  readonly tags: string
  readonly channelIds: readonly string[]
}

/** The definition of a rule as it is edited. */
export interface RuleDraft {
  readonly target: RuleTarget
  readonly source: 'projects' | 'dataset'
  readonly projectIds: readonly string[]
  readonly datasetId: string
  readonly filters: Filters
  /** Of the target `feedback`. */
  readonly feedbackKey: string
  /** Empty: any score. */
  readonly operator: string
  readonly threshold: string
  readonly quietSeconds: string
  readonly idleMinutes: string
  /** Percent of the traces. */
  readonly percent: string
  readonly seed: string
  readonly actions: readonly ActionDraft[]
  readonly afterRuleIds: readonly string[]
  /** US dollars; empty: no limit. */
  readonly limit: string
  readonly limitWindow: 'day' | 'week'
  readonly allowsUnpriced: boolean
  /** Get notices about the rule itself. */
  readonly noticeChannelIds: readonly string[]
}

export const MAX_ACTIONS = 10
const MAX_TAGS = 20
const MAX_TAG = 250

export const newAction = (kind: ActionKind): ActionDraft => ({
  ...{ kind, id: '', version: '', split: '' },
  ...{ key: '', score: '', value: '', comment: '', tags: '' },
  channelIds: [],
})

const EMPTY: RuleDraft = {
  target: 'trace',
  source: 'projects',
  projectIds: [],
  datasetId: '',
  filters: {},
  feedbackKey: '',
  operator: '',
  threshold: '',
  quietSeconds: '10',
  idleMinutes: '10',
  percent: '100',
  seed: '',
  actions: [newAction('evaluate')],
  afterRuleIds: [],
  limit: '',
  limitWindow: 'week',
  allowsUnpriced: false,
  noticeChannelIds: [],
}

const TARGETS: readonly RuleTarget[] = ['run', 'trace', 'thread', 'feedback']

/** What a new rule begins with, from the address of its page. */
export function newDraft({ template, project, target, filter, traceFilter, treeFilter }: NewRuleSearch): RuleDraft {
  const start = TEMPLATES.find(({ id }) => id === template)
  const wanted = target ?? start?.start.target
  const run = filter ?? start?.start.filter
  return {
    ...EMPTY,
    target: TARGETS.find((one) => one === wanted) ?? EMPTY.target,
    projectIds: project === undefined ? [] : [project],
    filters: withoutUndefined({ run, root: traceFilter, tree: treeFilter }),
    ...(start && { percent: start.percent, actions: [newAction(start.action)] }),
  }
}

export function toDraft(definition: RuleDefinition): RuleDraft {
  const { target, project_ids, dataset_id, filter, trace_filter, tree_filter, feedback, spend_limit } = definition
  return {
    target,
    source: dataset_id ? 'dataset' : 'projects',
    projectIds: project_ids,
    datasetId: dataset_id ?? '',
    filters: withoutUndefined({
      run: filter ?? undefined,
      root: trace_filter ?? undefined,
      tree: tree_filter ?? undefined,
    }),
    feedbackKey: feedback?.key ?? '',
    operator: feedback?.operator ?? '',
    threshold: print(feedback?.score),
    quietSeconds: String(definition.quiet_seconds),
    idleMinutes: String(definition.idle_minutes),
    percent: String(Number((definition.sampling_rate * 100).toPrecision(10))),
    seed: definition.sampling_seed,
    actions: definition.actions.map(toActionDraft),
    afterRuleIds: definition.after_rule_ids,
    limit: print(spend_limit?.limit_usd),
    limitWindow: spend_limit?.window ?? 'week',
    allowsUnpriced: spend_limit?.allows_unpriced ?? false,
    noticeChannelIds: definition.notice_channel_ids,
  }
}

const print = (number: number | null | undefined) => (number == null ? '' : String(number))

/** Kept drafts are JSON, in which a field without a value is absent. */
const withoutUndefined = (filters: Filters): Filters =>
  Object.fromEntries(Object.entries(filters).filter(([, text]) => text !== undefined && text !== ''))

function toActionDraft(action: RuleAction): ActionDraft {
  const empty = newAction(action.kind)
  switch (action.kind) {
    case 'evaluate':
      return { ...empty, id: action.evaluator_id, version: print(action.version) }
    case 'add_to_dataset':
      return { ...empty, id: action.dataset_id, split: action.split ?? '' }
    case 'add_to_queue':
      return { ...empty, id: action.queue_id }
    case 'tag':
      return { ...empty, tags: action.tags.join(', ') }
    case 'notify':
      return { ...empty, channelIds: action.channel_ids }
    case 'feedback': {
      const { key, score, value, comment } = action
      return { ...empty, key, score: print(score), value: value ?? '', comment: comment ?? '' }
    }
  }
}

/** The definition, or what is wrong by field. */
export type DraftResult =
  | { readonly definition: RuleWrite['definition'] }
  | { readonly problems: Readonly<Record<string, string>> }

/** @param isFilterOpen  whether the filter has text that is not applied, which would be left out */
export function toDefinition(draft: RuleDraft, isFilterOpen = false): DraftResult {
  const problems = findProblems(draft)
  if (isFilterOpen) problems.filter = 'Press Enter to apply the filter that you typed, or clear it.'
  if (Object.keys(problems).length > 0) return { problems }
  const { run, root, tree } = draft.filters
  const isOfFeedback = draft.target === 'feedback'
  const isByDataset = draft.source === 'dataset'
  return {
    definition: {
      target: draft.target,
      project_ids: isByDataset ? [] : [...draft.projectIds],
      dataset_id: isByDataset ? draft.datasetId : null,
      filter: run ?? null,
      trace_filter: root ?? null,
      tree_filter: tree ?? null,
      feedback: isOfFeedback ? toTrigger(draft) : null,
      // Of another target the field is hidden, and what is wrong in it has no effect.
      quiet_seconds: Number(checkQuiet(draft) === undefined ? draft.quietSeconds : EMPTY.quietSeconds),
      idle_minutes: Number(checkIdle(draft) === undefined ? draft.idleMinutes : EMPTY.idleMinutes),
      sampling_rate: Number((Number(draft.percent) / 100).toPrecision(10)),
      sampling_seed: draft.seed,
      actions: draft.actions.map(toAction),
      after_rule_ids: [...draft.afterRuleIds],
      notice_channel_ids: [...draft.noticeChannelIds],
      spend_limit:
        draft.limit.trim() === ''
          ? null
          : {
              limit_usd: Number(draft.limit),
              window: draft.limitWindow,
              allows_unpriced: draft.allowsUnpriced,
            },
    },
  }
}

type Trigger = NonNullable<RuleWrite['definition']['feedback']>

function toTrigger({ feedbackKey, operator, threshold }: RuleDraft): Trigger {
  const key = feedbackKey.trim()
  return operator === '' ? { key } : { key, operator: operator as Trigger['operator'], score: Number(threshold) }
}

function toAction(draft: ActionDraft): RuleAction {
  const { kind, id, version, split, key, score, value, comment, tags, channelIds } = draft
  switch (kind) {
    case 'evaluate':
      return { kind, evaluator_id: id, version: version === '' ? null : Number(version) }
    case 'add_to_dataset':
      return { kind, dataset_id: id, split: split.trim() || null }
    case 'add_to_queue':
      return { kind, queue_id: id }
    case 'tag':
      return { kind, tags: splitTags(tags) }
    case 'notify':
      return { kind, channel_ids: [...channelIds] }
    case 'feedback':
      return {
        kind,
        key: key.trim(),
        score: score.trim() === '' ? null : Number(score),
        value: value.trim() || null,
        comment: comment.trim() || null,
      }
  }
}

const splitTags = (tags: string) => [...new Set(tags.split(',').flatMap((tag) => tag.trim() || []))]

function findProblems(draft: RuleDraft): Record<string, string> {
  const problems: Record<string, string> = {}
  const check = (field: string, problem: string | undefined) => {
    if (problem !== undefined) problems[field] = problem
  }
  if (draft.source === 'projects' && draft.projectIds.length === 0) problems.projects = 'Choose at least one project.'
  if (draft.source === 'dataset' && draft.datasetId === '') problems.dataset = 'Choose a dataset.'
  if (draft.source === 'dataset' && draft.target === 'thread') problems.target = 'Experiments have no threads.'
  if (draft.target === 'feedback') {
    if (draft.feedbackKey.trim() === '') problems.feedbackKey = 'Enter the key of the feedback.'
    if (draft.operator !== '' && !isNumber(draft.threshold)) problems.threshold = 'Enter a score.'
  }
  check('percent', isNumber(draft.percent, 0, 100) ? undefined : 'Enter a number from 0 to 100.')
  if (draft.target === 'trace') check('quiet', checkQuiet(draft))
  if (draft.target === 'thread') check('idle', checkIdle(draft))
  if (draft.limit.trim() !== '')
    check('limit', isNumber(draft.limit, 0, 1e6) ? undefined : 'Enter an amount in US dollars.')
  if (draft.actions.length === 0) problems.actions = 'Add at least one action.'
  for (const [at, action] of draft.actions.entries()) check(`action.${at}`, checkAction(action))
  return problems
}

const checkQuiet = ({ quietSeconds }: RuleDraft) => checkWhole(quietSeconds, 0, 3600)
const checkIdle = ({ idleMinutes }: RuleDraft) => checkWhole(idleMinutes, 1, 1440)

const CHOICES = { evaluate: 'an evaluator', add_to_dataset: 'a dataset', add_to_queue: 'an annotation queue' }

function checkAction({ kind, id, key, score, tags, channelIds }: ActionDraft): string | undefined {
  if (kind === 'feedback') {
    if (key.trim() === '') return 'Enter the key of the feedback.'
    return score.trim() !== '' && !isNumber(score) ? 'The score is no number.' : undefined
  }
  if (kind === 'tag') return checkTags(splitTags(tags))
  if (kind === 'notify') return channelIds.length === 0 ? 'Choose a channel.' : undefined
  return id === '' ? `Choose ${CHOICES[kind]}.` : undefined
}

function checkTags(tags: readonly string[]): string | undefined {
  if (tags.length === 0) return 'Enter at least one tag.'
  if (tags.length > MAX_TAGS) return `Enter at most ${MAX_TAGS} tags.`
  return tags.some((tag) => tag.length > MAX_TAG) ? `A tag has at most ${MAX_TAG} characters.` : undefined
}

function isNumber(text: string, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY): boolean {
  const number = Number(text)
  return text.trim() !== '' && Number.isFinite(number) && number >= min && number <= max
}

function checkWhole(text: string, min: number, max: number): string | undefined {
  const isRight = isNumber(text, min, max) && Number.isInteger(Number(text))
  return isRight ? undefined : `Enter a whole number from ${min} to ${max}.`
}

const LABELS: Readonly<Record<keyof RuleDraft, string>> = {
  target: 'Acts on',
  source: 'Source',
  projectIds: 'Projects',
  datasetId: 'Dataset',
  filters: 'Filter',
  feedbackKey: 'Feedback key',
  operator: 'Comparison',
  threshold: 'Score',
  quietSeconds: 'Quiet seconds',
  idleMinutes: 'Idle minutes',
  percent: 'Percent of the traces',
  seed: 'Seed',
  actions: 'Actions',
  afterRuleIds: 'After rules',
  limit: 'Spend limit',
  limitWindow: 'Window of the limit',
  allowsUnpriced: 'Models without a price',
  noticeChannelIds: 'Channels of notices',
}

/** Both texts of each part that differs between what is edited here and what was saved elsewhere. */
export function listConflicts(mine: RuleDraft, theirs: RuleDraft) {
  return (Object.keys(LABELS) as (keyof RuleDraft)[])
    .filter((field) => !isSameJson(mine[field], theirs[field]))
    .map((field) => ({ label: LABELS[field], theirs: printField(theirs[field]), mine: printField(mine[field]) }))
}

const printField = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))
