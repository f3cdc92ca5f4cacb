import type { Migration } from '../migrate.ts'

/**
 * Whether the usage of a run may repeat, or be repeated by, the usage of another run: computed once when the run is
 * written. Computing it when figures are read needs two ids of every run, which do not compress.
 *
 * Directly below the root, where most llm runs are, only a root that is an llm run itself can be repeated.
 */
export const usageThatMayRepeat: Migration = {
  version: 7,
  name: 'usage that may repeat',
  statements: [
    `alter table project_usage add column if not exists may_repeat Bool materialized
      if(parent_run_id is null, is_llm, assumeNotNull(parent_run_id) != trace_id and total_tokens is not null)`,
    'alter table project_usage materialize column may_repeat',
  ],
}
