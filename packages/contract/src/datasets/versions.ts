import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { QueryFlag, strictPage } from '../wire/page.ts'
import { BODY_LIMITS, describeRoutes } from '../wire/route.ts'
import { parseTime } from '../wire/time.ts'
import { datasetId } from './datasets.ts'

/** Always names the newest version; cannot be set. */
export const LATEST = 'latest'

/** The split of an example without one. */
export const BASE_SPLIT = 'base'

/**
 * Every successful change of a dataset's examples makes one version: a time in milliseconds. Tags name versions; the
 * newest version has the tag `latest`.
 */
export const DatasetVersion = z.object({
  as_of: z.string(),
  tags: z.array(z.string()),
  /** Number of examples that the version changed; only with `include_changes`. */
  changes: z.object({ added: z.int(), modified: z.int(), removed: z.int() }).optional(),
})
export type DatasetVersion = z.infer<typeof DatasetVersion>

export const VersionDiff = z.object({
  examples_modified: z.array(z.string()),
  examples_added: z.array(z.string()),
  examples_removed: z.array(z.string()),
})
export type VersionDiff = z.infer<typeof VersionDiff>

/** A time, meaning the newest version at or before it, or a tag. */
export const AsOf = z
  .union([z.string().min(1), z.number()])
  .transform((value) => (typeof value === 'number' ? (parseTime(value) ?? String(value)) : value))
  .meta({ type: 'string', description: 'timestamp or tag' })

export const VersionListQuery = z.object({
  /** Part of one of its tags. */
  search: z.string().optional(),
  /** Only versions that changed this example. */
  example: Uuid.optional(),
  /** Adds to each version how many examples it changed. An extension of ours. */
  include_changes: QueryFlag.optional(),
  ...strictPage,
})
export type VersionListQuery = z.output<typeof VersionListQuery>

export const TagWrite = z.object({ as_of: AsOf, tag: z.string().min(1) })
export type TagWrite = z.output<typeof TagWrite>

/** Most examples that one request restores by id. */
export const MAX_RESTORED = 100_000

export const VersionRestore = z.object({
  as_of: AsOf,
  /** Restores only these. Those that the version does not have are removed; unknown ids are ignored. @default all */
  examples: z.array(Uuid).max(MAX_RESTORED).nullish(),
})
export type VersionRestore = z.output<typeof VersionRestore>

/** Number of examples that a restore changed; `as_of` is the new version, or the newest when nothing differed. */
export const VersionRestored = z.object({
  as_of: z.string().nullable(),
  added: z.int(),
  modified: z.int(),
  removed: z.int(),
})
export type VersionRestored = z.infer<typeof VersionRestored>

export const SplitUpdate = z.object({
  split_name: z.string().min(1),
  examples: z.array(Uuid),
  remove: z.boolean().nullish(),
})
export type SplitUpdate = z.output<typeof SplitUpdate>

const tag = 'datasets'

export const datasetVersionRoutes = describeRoutes(routes.datasetVersions, tag, {
  list: {
    summary: 'Versions of a dataset, newest first',
    params: datasetId,
    query: VersionListQuery,
    answer: z.array(DatasetVersion),
  },
  read: {
    summary: 'The newest version not after an instant, or the version of a tag',
    params: datasetId,
    query: z.object({ as_of: AsOf.optional(), tag: z.string().optional() }),
    answer: DatasetVersion,
  },
  diff: {
    summary: 'Which examples two versions do not share',
    params: datasetId,
    query: z.object({ from_version: AsOf, to_version: AsOf }),
    answer: VersionDiff,
  },
  tag: {
    summary: 'Name a version; the tag moves if another version had it',
    params: datasetId,
    body: TagWrite,
    answer: DatasetVersion,
  },
  restore: {
    extension: true,
    maxBodyBytes: BODY_LIMITS.record,
    summary: 'Give examples the content that they had in a version, as one new version',
    params: datasetId,
    body: VersionRestore,
    answer: VersionRestored,
  },
  listSplits: {
    summary: 'Names of the splits in use',
    params: datasetId,
    query: z.object({ as_of: AsOf.optional() }),
    answer: z.array(z.string()),
  },
  updateSplits: {
    summary: 'Add examples to a split, or remove them from it',
    params: datasetId,
    query: z.object({ remove: QueryFlag.optional() }),
    body: SplitUpdate,
    answer: z.array(z.string()),
  },
})
