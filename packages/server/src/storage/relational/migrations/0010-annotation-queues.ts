import type { Migration } from '../migrate.ts'

/** Runs and threads that wait for a review, and the state of each for each reviewer. */
export const annotationQueues: Migration = {
  version: 10,
  name: 'annotation-queues',
  sql: `
    create table annotation_queues (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id),
      name text not null,
      description text,
      queue_type text not null,
      default_dataset uuid references datasets (id) on delete set null,
      num_reviewers_per_item integer, -- null: all who may review
      enable_reservations boolean not null,
      reservation_minutes integer not null,
      reviewer_access_mode text not null,
      rubric_instructions text,
      rubric_items text, -- JSON as it came, as is the next
      metadata text,
      created_at timestamptz not null,
      updated_at timestamptz not null
    );
    create index annotation_queues_of_workspace on annotation_queues (tenant_id, created_at desc, id);

    create table annotation_queue_reviewers (
      queue_id uuid not null references annotation_queues (id) on delete cascade,
      identity_id uuid not null,
      primary key (queue_id, identity_id)
    );

    create table annotation_queue_items (
      id uuid primary key,
      number bigint generated always as identity, -- order of insertion
      tenant_id uuid not null,
      queue_id uuid not null references annotation_queues (id) on delete cascade,
      run_id uuid, -- of a run, with its trace
      trace_id uuid,
      thread_id text, -- of a thread
      project_id uuid not null,
      start_time timestamptz not null, -- of the run, or of the first trace of the thread
      added_at timestamptz not null,
      last_reviewed_time timestamptz,
      source_proposed_example_id uuid,
      example_id uuid, -- that was made of it
      completed_at timestamptz, -- since when enough reviewers have completed it
      constraint either_run_or_thread check ((run_id is null) = (thread_id is not null))
    );
    create unique index annotation_queue_items_once on annotation_queue_items (queue_id, run_id)
      where run_id is not null;
    create unique index annotation_queue_threads_once on annotation_queue_items (queue_id, project_id, md5(thread_id))
      where thread_id is not null; -- a long id does not fit into an index
    create index annotation_queue_items_waiting on annotation_queue_items (queue_id, added_at, number)
      where completed_at is null;
    create index annotation_queue_items_completed on annotation_queue_items (queue_id, completed_at, number)
      where completed_at is not null;
    create index annotation_queue_items_of_run on annotation_queue_items (run_id) where run_id is not null;
    create index annotation_queue_items_of_trace on annotation_queue_items (trace_id) where trace_id is not null;
    create index annotation_queue_items_of_project on annotation_queue_items (project_id);

    create table annotation_queue_reviews (
      item_id uuid not null references annotation_queue_items (id) on delete cascade,
      identity_id uuid not null,
      reserved_until timestamptz,
      completed_at timestamptz,
      override_added_at timestamptz, -- where the item stands for this reviewer
      primary key (item_id, identity_id)
    );
    create index annotation_queue_reviews_put_back on annotation_queue_reviews (identity_id)
      where override_added_at is not null and completed_at is null;
  `,
}
