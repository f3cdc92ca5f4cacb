import type { Migration } from '../migrate.ts'

/**
 * Datasets with their whole history. A state of an example is valid from the version that made it until the version
 * that replaced or removed it, so one condition on two times selects any version, and versions are never copied.
 */
export const datasets: Migration = {
  version: 5,
  name: 'datasets',
  sql: `
    create table datasets (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id),
      name text not null,
      name_key text generated always as (md5(name)) stored, -- a long name does not fit into an index
      description text,
      data_type text not null default 'kv',
      inputs_schema text, -- JSON as it came, as are the next three
      outputs_schema text,
      transformations text,
      metadata text,
      metadata_index jsonb not null default '{}', -- metadata for filters, without what jsonb cannot hold
      externally_managed boolean not null default false,
      baseline_experiment_id uuid,
      example_count integer not null default 0, -- of the newest version
      last_number bigint not null default 0, -- of the examples' labels
      latest_version timestamptz(3),
      created_at timestamptz not null,
      modified_at timestamptz not null,
      constraint datasets_name_is_taken unique (tenant_id, name_key)
    );
    create index datasets_of_workspace on datasets (tenant_id, created_at desc, id);
    create index datasets_by_metadata on datasets using gin (metadata_index jsonb_path_ops);

    create table dataset_versions (
      dataset_id uuid not null references datasets (id) on delete cascade,
      as_of timestamptz(3) not null,
      primary key (dataset_id, as_of)
    );

    create table dataset_tags (
      dataset_id uuid not null references datasets (id) on delete cascade,
      tag text not null,
      as_of timestamptz(3) not null,
      primary key (dataset_id, tag)
    );

    create table examples ( -- that an id is taken, which outlives what was stored under it
      tenant_id uuid not null,
      id uuid not null,
      dataset_id uuid not null,
      number bigint not null, -- of its label
      created_at timestamptz not null,
      erased_at timestamptz,
      primary key (tenant_id, id)
    );
    create index examples_of_dataset on examples (dataset_id);

    create table example_states (
      tenant_id uuid not null,
      dataset_id uuid not null,
      example_id uuid not null,
      as_of timestamptz(3) not null, -- the version that made this state
      until timestamptz(3) not null default 'infinity', -- the version that replaced or removed it
      number bigint not null, -- of the label; examples made by one request have theirs in its order
      created_at timestamptz not null, -- of the example
      inputs text not null, -- JSON as it came
      outputs text,
      metadata text not null, -- JSON without dataset_split
      metadata_index jsonb not null default '{}', -- the same with dataset_split, for filters
      splits text[] not null,
      source_run_id uuid,
      attachments text not null default '[]', -- JSON [{name, mime_type, hash, size}], bytes in the blob store
      primary key (dataset_id, example_id, as_of)
    );
    -- Nobody compares these by what is frequent in them, and looking for that would fetch long texts.
    alter table example_states alter column inputs set statistics 0, alter column outputs set statistics 0,
      alter column metadata set statistics 0, alter column metadata_index set statistics 0,
      alter column attachments set statistics 0;
    -- Newest first, and within one change in its order, hence the minus: both columns run the same way, so a page
    -- starts at a key. The end of a state stands in the index, so states that are over need not be visited.
    create index example_states_recent on example_states (dataset_id, as_of, (-number), until);
    create index example_states_created on example_states (dataset_id, created_at, (-number), until);
    create index example_states_ended on example_states (dataset_id, until) where until < 'infinity';
  `,
}
