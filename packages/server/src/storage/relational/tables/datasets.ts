import { bigint, boolean, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time, version } from '../columns.ts'

export const datasets = pgTable('datasets', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  name: text().notNull(),
  description: text(),
  data_type: text().notNull().default('kv'),
  /** JSON text as received, like the next three columns. */
  inputs_schema: text(),
  outputs_schema: text(),
  transformations: text(),
  metadata: text(),
  /** Copy of `metadata` for filters. */
  metadata_index: jsonb().notNull().default({}),
  externally_managed: boolean().notNull().default(false),
  baseline_experiment_id: uuid(),
  /** Time of the newest version. */
  example_count: integer().notNull().default(0),
  /** The highest number of an example. */
  last_number: bigint({ mode: 'number' }).notNull().default(0),
  latest_version: version(),
  created_at: time().notNull(),
  modified_at: time().notNull(),
})
export type DatasetRow = typeof datasets.$inferSelect

export const datasetVersions = pgTable('dataset_versions', {
  dataset_id: uuid().notNull(),
  as_of: version().notNull(),
})

export const datasetTags = pgTable('dataset_tags', {
  dataset_id: uuid().notNull(),
  tag: text().notNull(),
  as_of: version().notNull(),
})

/** Marks an id as used, also after its example was deleted. */
export const examples = pgTable('examples', {
  tenant_id: uuid().notNull(),
  id: uuid().notNull(),
  dataset_id: uuid().notNull(),
  number: bigint({ mode: 'number' }).notNull(),
  created_at: time().notNull(),
  erased_at: time(),
})

/** The content of an example from one version until another. */
export const exampleStates = pgTable('example_states', {
  tenant_id: uuid().notNull(),
  dataset_id: uuid().notNull(),
  example_id: uuid().notNull(),
  as_of: version().notNull(),
  until: version().notNull(),
  number: bigint({ mode: 'number' }).notNull(),
  created_at: time().notNull(),
  /** JSON text as received, like the next two columns; metadata is without `dataset_split`. */
  inputs: text().notNull(),
  outputs: text(),
  metadata: text().notNull(),
  /** Copy of the metadata for filters, with `dataset_split`. */
  metadata_index: jsonb().notNull(),
  splits: text().array().notNull(),
  source_run_id: uuid(),
  /** JSON text of `StoredAttachment[]`. */
  attachments: text().notNull(),
})

export const viewOverrides = pgTable('experiment_view_overrides', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  dataset_id: uuid().notNull(),
  /** JSON. */
  column_overrides: text().notNull(),
  created_at: time().notNull(),
  modified_at: time().notNull(),
})
export type ViewOverrideRow = typeof viewOverrides.$inferSelect

export const comparativeExperiments = pgTable('comparative_experiments', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  reference_dataset_id: uuid().notNull(),
  experiment_ids: uuid().array().notNull(),
  name: text(),
  description: text(),
  /** JSON text as received. */
  extra: text(),
  created_at: time().notNull(),
  modified_at: time().notNull(),
})
export type ComparativeRow = typeof comparativeExperiments.$inferSelect
