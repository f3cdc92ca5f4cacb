import type { NewRuleSearch } from './search.ts'

/** What a new rule can begin with. */
export interface RuleTemplate {
  readonly id: string
  readonly title: string
  readonly explanation: string
  /** Filters and target of the rule. */
  readonly start: Pick<NewRuleSearch, 'target' | 'filter'>
  /** Kind of its first action. */
  readonly action: 'evaluate' | 'add_to_queue'
  /** Share of the traces, in percent. */
  readonly percent: string
}

export const TEMPLATES: readonly RuleTemplate[] = [
  {
    id: 'judge',
    title: 'Judge a tenth of the traces',
    explanation: 'Runs an evaluator on one of ten finished traces; its scores become feedback.',
    start: { target: 'trace', filter: 'eq(status, "success")' },
    action: 'evaluate',
    percent: '10',
  },
  {
    id: 'review',
    title: 'Send failures to review',
    explanation: 'Adds every failed trace to an annotation queue, where people look at it.',
    start: { target: 'trace', filter: 'eq(status, "error")' },
    action: 'add_to_queue',
    percent: '100',
  },
]
