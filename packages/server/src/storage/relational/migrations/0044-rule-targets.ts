import type { Migration } from '../migrate.ts'

/** Rules on traces, threads, feedback and experiments; what they spend, and their backfills. */
export const ruleTargets: Migration = {
  version: 44,
  name: 'rule targets',
  sql: `
    alter table rules
      add column dataset_id uuid, -- of the newest version
      add column looks_since bigint not null default 0; -- runs before this version of the column store are not looked at
    alter table rule_claims
      add column target text not null default 'run', -- run, trace, thread, feedback
      add column run_id uuid, -- whom feedback is about; target_id is the run, the trace or the hash of the thread
      add column thread_id text not null default '',
      add column ready_at timestamptz,
      add column lag_ms integer, -- from ready_at to the first try
      add column is_limited boolean not null default false, -- it waits for the next window of the spend limit
      add column is_again boolean not null default false, -- it is acted on although it was before
      add column backfill_id uuid;
    update rule_claims set run_id = target_id, ready_at = decided_at;
    alter table rule_claims alter column run_id set not null, alter column ready_at set not null;
    create index rule_claims_of_run on rule_claims (tenant_id, run_id);
    create index rule_claims_of_backfill on rule_claims (backfill_id) where backfill_id is not null;
    drop index rule_claims_to_note;
    create index rule_claims_to_note on rule_claims (decided_at)
      where state in ('done', 'failed', 'limited') and not is_noted;
    create table rule_spend (
      rule_id uuid not null references rules (id) on delete cascade,
      day date not null, -- in UTC
      tenant_id uuid not null,
      spent_usd numeric not null,
      calls integer not null,
      unpriced_calls integer not null,
      primary key (rule_id, day)
    );
    create table rule_backfills (
      id uuid primary key,
      rule_id uuid not null references rules (id) on delete cascade,
      rule_version integer not null,
      tenant_id uuid not null,
      from_time timestamptz not null,
      to_time timestamptz not null,
      again boolean not null,
      state text not null, -- running, paused, done, canceled, failed
      total integer not null,
      looked_at integer not null default 0,
      claimed integer not null default 0,
      cursor_time timestamptz, -- start of the last run that was looked at
      cursor_id uuid,
      error text,
      created_at timestamptz not null,
      created_by text,
      finished_at timestamptz
    );
    create index rule_backfills_of_rule on rule_backfills (rule_id, created_at)
  `,
}
