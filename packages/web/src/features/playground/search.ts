import { optional, type SearchOf, searchSchema, text } from '#lib/search-schema.ts'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

export const PlaygroundSearch = searchSchema({
  /** A saved draft. */
  draft: optional(text(UUID)),
  /** The run whose messages, tools and parameters are opened. */
  run: optional(text(UUID)),
  /** The prompt that is opened: `owner/name/commit`. */
  prompt: optional(text(/^[^/]+\/[^/]+\/[^/]+$/)),
  /** The dataset that dialogs begin with. */
  dataset: optional(text(UUID)),
  /** A run over a dataset, whose progress is shown. */
  job: optional(text(UUID)),
})
export type PlaygroundSearch = SearchOf<typeof PlaygroundSearch>
