import { guid, oneOf, optional, type SearchOf, searchSchema, text, withDefault } from '#lib/search-schema.ts'

export const DATASETS_SEARCH_DEFAULTS = { q: '', sort: '-modified_at' } as const

/** Search params of the list of datasets. */
export const DatasetsSearch = searchSchema({
  q: withDefault(text(), DATASETS_SEARCH_DEFAULTS.q),
  /** A column's id, with `-` in front for descending. */
  sort: withDefault(text(/^-?[a-z0-9_]+$/), DATASETS_SEARCH_DEFAULTS.sort),
  /** Token of a public dataset to copy; opens the dialog. */
  clone: optional(guid()),
})
export type DatasetsSearch = SearchOf<typeof DatasetsSearch>

/** Search params of the examples of a dataset. */
export const ExamplesSearch = searchSchema({
  q: optional(text()),
  /** Filter language over `EXAMPLE_FILTER_FIELDS`. */
  filter: optional(text()),
  /** Only examples of this split. */
  split: optional(text()),
  /** A version of the dataset: a time or a tag. Absent: the latest, which can be edited. */
  as_of: optional(text()),
  sort: optional(text()),
  cols: optional(text()),
  /** Example that is open in the panel; `new` for a new one. */
  peek: optional(text()),
})
export type ExamplesSearch = SearchOf<typeof ExamplesSearch>

export const PUBLIC_DATASET_SEARCH_DEFAULTS = { tab: 'examples', q: '' } as const

/** Search params of a shared dataset. */
export const PublicDatasetSearch = searchSchema({
  tab: withDefault(oneOf(['examples', 'experiments', 'pairwise']), PUBLIC_DATASET_SEARCH_DEFAULTS.tab),
  /** Text that an example contains. */
  q: withDefault(text(), PUBLIC_DATASET_SEARCH_DEFAULTS.q),
})
export type PublicDatasetSearch = SearchOf<typeof PublicDatasetSearch>

/** Search params of one example. */
export const ExampleSearch = searchSchema({ as_of: optional(text()) })

/** Search params of the versions of a dataset: the two versions that are compared. */
export const VersionsSearch = searchSchema({ from: optional(text()), to: optional(text()) })
export type VersionsSearch = SearchOf<typeof VersionsSearch>
