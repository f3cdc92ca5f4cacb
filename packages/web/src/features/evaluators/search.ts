import { oneOf, type SearchOf, searchSchema, withDefault } from '#lib/search-schema.ts'

export const EvaluatorSearch = searchSchema({
  tab: withDefault(oneOf(['definition', 'agreement', 'versions']), 'definition'),
})
export type EvaluatorTab = SearchOf<typeof EvaluatorSearch>['tab']
