import { guid, oneOf, optional, type SearchOf, searchSchema } from '#lib/search-schema.ts'

export const CompareRunsSearch = searchSchema({
  a: optional(guid()),
  b: optional(guid()),
  /** The selected step: a run of either side. */
  run: optional(guid()),
  tab: optional(oneOf(['chat', 'json', 'text'])),
  only: optional(oneOf(['1'])),
})

export type CompareRunsSearch = SearchOf<typeof CompareRunsSearch>
