import type { Migration } from '../migrate.ts'

/**
 * What deletions removed, and the blobs that the next sweep checks. A sweep looks up which blobs examples reference;
 * the partial index makes the cost depend on the number of attachments, not of examples.
 */
export const deletions: Migration = {
  version: 21,
  name: 'deletions',
  sql: `
    create table deletions (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id) on delete cascade,
      kind text not null,
      subject text not null,
      requested_by text,
      status text not null,
      error text,
      runs bigint not null default 0,
      feedback bigint not null default 0,
      attachments bigint not null default 0,
      attachment_bytes bigint not null default 0,
      examples bigint not null default 0,
      queue_items bigint not null default 0,
      shares bigint not null default 0,
      blobs_removed bigint not null default 0,
      blob_bytes_removed bigint not null default 0,
      blobs_kept bigint not null default 0,
      remaining bigint, -- rows that the verification found
      verified_at timestamptz,
      erased_at timestamptz, -- when the analytics store had rewritten the files that held the text
      created_at timestamptz not null,
      updated_at timestamptz not null,
      ended_at timestamptz
    );
    create index deletions_of_workspace on deletions (tenant_id, created_at desc, id desc);
    create index deletions_to_erase on deletions (ended_at) where erased_at is null;

    create table deletion_blobs ( -- bytes that a deletion no longer refers to, until it is known what became of them
      deletion_id uuid not null references deletions (id) on delete cascade,
      blob text not null,
      bytes bigint not null,
      primary key (blob, deletion_id)
    );
    create index deletion_blobs_of_deletion on deletion_blobs (deletion_id);

    create table blob_sweeps ( -- one row: what the last sweep found
      id boolean primary key default true check (id),
      ended_at timestamptz not null,
      blobs bigint not null,
      bytes bigint not null,
      unreferenced bigint not null,
      unreferenced_bytes bigint not null,
      removed bigint not null,
      removed_bytes bigint not null
    );

    create index example_states_with_attachments on example_states (dataset_id) where attachments <> '[]';
  `,
}
