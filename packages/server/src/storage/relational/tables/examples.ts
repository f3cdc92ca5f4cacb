import { bigint, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time, version } from '../columns.ts'

/** That an id is taken, which outlives what was stored under it. */
export const examples = pgTable('examples', {
  tenant_id: uuid().notNull(),
  id: uuid().notNull(),
  dataset_id: uuid().notNull(),
  number: bigint({ mode: 'number' }).notNull(),
  created_at: time().notNull(),
  erased_at: time(),
})

/** What an example held from one version until another. */
export const exampleStates = pgTable('example_states', {
  tenant_id: uuid().notNull(),
  dataset_id: uuid().notNull(),
  example_id: uuid().notNull(),
  as_of: version().notNull(),
  until: version().notNull(),
  number: bigint({ mode: 'number' }).notNull(),
  created_at: time().notNull(),
  /** JSON text as it came, as are the next two; metadata is without `dataset_split`. */
  inputs: text().notNull(),
  outputs: text(),
  metadata: text().notNull(),
  /** What filters see of the metadata, `dataset_split` included. */
  metadata_index: jsonb().notNull(),
  splits: text().array().notNull(),
  source_run_id: uuid(),
  /** JSON text of `StoredAttachment[]`. */
  attachments: text().notNull(),
})
