import type { FilterScope } from '#lib/filter/chips.ts'

/** What a filter speaks about. */
export const SCOPE_LABELS: Readonly<Record<FilterScope, string>> = {
  run: 'This run',
  root: 'Root',
  tree: 'Any in trace',
}
