import * as z from 'zod/mini'
import { optional, withDefault } from '#lib/search-schema.ts'

export const DATASETS_SEARCH_DEFAULTS = { q: '', sort: '-modified_at' } as const

/** Search params of the list of datasets. */
export const DatasetsSearch = z.object({
  q: withDefault(z.string(), DATASETS_SEARCH_DEFAULTS.q),
  /** A column's id, with `-` in front for descending. */
  sort: withDefault(z.string().check(z.regex(/^-?[a-z0-9_]+$/)), DATASETS_SEARCH_DEFAULTS.sort),
  /** Token of a public dataset to copy; opens the dialog. */
  clone: optional(z.guid()),
})
export type DatasetsSearch = z.infer<typeof DatasetsSearch>

/** Search params of the examples of a dataset. */
export const ExamplesSearch = z.object({
  q: optional(z.string()),
  /** Filter language over `EXAMPLE_FILTER_FIELDS`. */
  filter: optional(z.string()),
  /** Only examples of this split. */
  split: optional(z.string()),
  /** A version of the dataset: a time or a tag. Absent: the latest, which can be edited. */
  as_of: optional(z.string()),
  sort: optional(z.string()),
  cols: optional(z.string()),
  /** Example that is open in the panel; `new` for a new one. */
  peek: optional(z.string()),
})
export type ExamplesSearch = z.infer<typeof ExamplesSearch>

export const PUBLIC_DATASET_SEARCH_DEFAULTS = { tab: 'examples', q: '' } as const

/** Search params of a shared dataset. */
export const PublicDatasetSearch = z.object({
  tab: withDefault(z.enum(['examples', 'experiments']), PUBLIC_DATASET_SEARCH_DEFAULTS.tab),
  /** Text that an example contains. */
  q: withDefault(z.string(), PUBLIC_DATASET_SEARCH_DEFAULTS.q),
})
export type PublicDatasetSearch = z.infer<typeof PublicDatasetSearch>

/** Search params of one example. */
export const ExampleSearch = z.object({ as_of: optional(z.string()) })

/** Search params of the versions of a dataset: the two versions that are compared. */
export const VersionsSearch = z.object({ from: optional(z.string()), to: optional(z.string()) })
export type VersionsSearch = z.infer<typeof VersionsSearch>
