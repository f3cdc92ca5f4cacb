import type { Migration } from '../migrate.ts'

const TABLES = [
  'runs',
  'run_keys',
  'trace_runs',
  'run_attachments',
  'run_aliases',
  'run_links',
  'run_feedback',
  'feedback_keys',
  'project_roots',
  'project_usage',
  'migrations',
] as const

/**
 * A part gets its name after its files were synchronized. Without a synchronization of its folder, a power cut soon after that
 * loses the name, and with it rows whose journal was removed because they were stored.
 */
export const durableRenames: Migration = {
  version: 44,
  name: 'durable renames',
  statements: TABLES.map((table) => `alter table ${table} modify setting fsync_part_directory = 1`),
}
