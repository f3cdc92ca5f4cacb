import type { Migration } from '../migrate.ts'

/** Tokens that give public access to datasets, and the words by which examples are found. */
export const datasetSharesAndWords: Migration = {
  version: 7,
  name: 'dataset-shares-and-words',
  sql: `
    create table dataset_shares (
      dataset_id uuid primary key references datasets (id) on delete cascade,
      tenant_id uuid not null,
      share_token uuid not null unique,
      shares_projects boolean not null, -- experiments too
      created_at timestamptz not null
    );

    create table dataset_indexes (
      dataset_id uuid primary key references datasets (id) on delete cascade,
      number bigint generated always as identity, -- stands before the words, so that a search stays in its dataset
      tag text not null,
      indexed_version timestamptz(3) -- whose states have their words below
    );

    create table example_words (
      dataset_id uuid not null references datasets (id) on delete cascade,
      example_id uuid not null,
      as_of timestamptz(3) not null,
      words tsvector not null, -- of the inputs
      primary key (dataset_id, example_id, as_of)
    );
    create index example_words_by_word on example_words using gin (words);
  `,
}
