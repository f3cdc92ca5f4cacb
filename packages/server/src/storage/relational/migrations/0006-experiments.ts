import type { Migration } from '../migrate.ts'

/** Columns that make a project an experiment, comparisons of experiments, and the display of their columns. */
export const experiments: Migration = {
  version: 6,
  name: 'experiments',
  sql: `
    alter table projects
      add column test_run_number integer, -- among the experiments of its dataset, from 1
      add column num_examples bigint, -- announced, as are the next two
      add column num_repetitions bigint,
      add column evaluator_keys text; -- JSON

    create table experiment_numbers ( -- the last one given out; a number is not given twice
      tenant_id uuid not null,
      dataset_id uuid not null,
      last_number integer not null,
      primary key (tenant_id, dataset_id)
    );

    update projects
    set test_run_number = numbered.number
    from (
      select id, row_number() over (partition by tenant_id, reference_dataset_id order by start_time, id) as number
      from projects
      where reference_dataset_id is not null
    ) as numbered
    where projects.id = numbered.id;

    insert into experiment_numbers
      select tenant_id, reference_dataset_id, max(test_run_number)
      from projects
      where reference_dataset_id is not null
      group by tenant_id, reference_dataset_id;

    create table comparative_experiments (
      id uuid primary key,
      tenant_id uuid not null,
      reference_dataset_id uuid not null references datasets (id) on delete cascade,
      experiment_ids uuid[] not null,
      name text,
      description text,
      extra text, -- JSON as it came
      created_at timestamptz not null,
      modified_at timestamptz not null
    );
    create index comparative_experiments_of_dataset
      on comparative_experiments (reference_dataset_id, created_at desc, id);

    create table experiment_view_overrides (
      id uuid primary key,
      tenant_id uuid not null,
      dataset_id uuid not null references datasets (id) on delete cascade,
      column_overrides text not null, -- JSON as it came
      created_at timestamptz not null,
      modified_at timestamptz not null,
      constraint one_view_of_a_dataset unique (dataset_id)
    );
  `,
}
