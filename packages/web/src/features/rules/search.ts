import { guid, oneOf, optional, type SearchOf, searchSchema, text, withDefault } from '#lib/search-schema.ts'

/** Search params of the page of a rule. */
export const RuleSearch = searchSchema({
  tab: withDefault(oneOf(['overview', 'log', 'versions', 'settings']), 'overview'),
  /** State of the decisions in the log. */
  state: optional(text()),
})
export type RuleTab = SearchOf<typeof RuleSearch>['tab']

/** What a new rule begins with: a template, or the project and filters of a list of runs. */
export const NewRuleSearch = searchSchema({
  template: optional(text()),
  project: optional(guid()),
  target: optional(text()),
  filter: optional(text()),
  traceFilter: optional(text()),
  treeFilter: optional(text()),
})
export type NewRuleSearch = SearchOf<typeof NewRuleSearch>
