import { bigint, boolean, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time, version } from '../columns.ts'

export const datasets = pgTable('datasets', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  name: text().notNull(),
  description: text(),
  data_type: text().notNull().default('kv'),
  /** JSON text as it came, as are the next three. */
  inputs_schema: text(),
  outputs_schema: text(),
  transformations: text(),
  metadata: text(),
  /** What filters see of `metadata`. */
  metadata_index: jsonb().notNull().default({}),
  externally_managed: boolean().notNull().default(false),
  baseline_experiment_id: uuid(),
  /** Of the newest version. */
  example_count: integer().notNull().default(0),
  /** The last number given to an example. */
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
