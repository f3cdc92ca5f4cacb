import type { Migration } from '../migrate.ts'

/** Alerts with their versions and episodes, and budgets. */
export const alerts: Migration = {
  version: 43,
  name: 'alerts',
  sql: `
    create table alerts (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id),
      name text not null,
      description text not null,
      is_enabled boolean not null,
      mute_until timestamptz,
      version integer not null, -- the newest
      definition text not null, -- of the newest version, JSON
      project_ids uuid[] not null, -- of the newest version, without deleted projects
      platform text, -- JSON: the rule and the actions as LangSmith's routes wrote them, without secrets
      action_channel_ids uuid[] not null default '{}', -- channels of these actions, in their order
      watched_since timestamptz not null, -- it was created, changed or enabled
      state text not null,
      state_since timestamptz,
      progress text not null, -- JSON: the state machine
      broken_reason text,
      notice text,
      episode integer, -- that lasts
      last_point text, -- JSON
      evaluated_to bigint not null, -- end of the last window; seconds since 1970
      evaluated_at timestamptz,
      due_at timestamptz not null, -- when it is evaluated again
      evaluator uuid, -- the process that evaluates it
      evaluator_until timestamptz,
      created_at timestamptz not null,
      modified_at timestamptz not null,
      created_by text, -- name of the user or key
      unique (tenant_id, name)
    );
    create index alerts_due on alerts (due_at) where is_enabled;
    create table alert_versions (
      alert_id uuid not null references alerts (id) on delete cascade,
      version integer not null, -- from 1
      tenant_id uuid not null,
      definition text not null, -- JSON
      created_at timestamptz not null,
      created_by text,
      primary key (alert_id, version)
    );
    create table alert_episodes (
      alert_id uuid not null references alerts (id) on delete cascade,
      number integer not null, -- from 1
      tenant_id uuid not null,
      alert_version integer not null,
      state text not null, -- the worst one
      started_at timestamptz not null,
      ended_at timestamptz,
      peak double precision,
      peak_at timestamptz,
      peak_group text,
      peak_groups text not null default '[]', -- JSON: all groups at the peak
      notices text not null default '[]', -- JSON
      acknowledged_by text,
      acknowledged_at timestamptz,
      primary key (alert_id, number)
    );
    create index alert_episodes_by_time on alert_episodes (tenant_id, started_at);
    create table budgets (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id),
      name text not null,
      is_enabled boolean not null,
      scope text not null, -- JSON
      project_id uuid, -- of a scope that is a project
      period text not null, -- day, week, month
      time_zone text not null,
      amount_usd double precision not null,
      channel_ids uuid[] not null,
      current_spend text, -- JSON
      notified text not null default '{}', -- JSON: what was notified of which period
      due_at timestamptz not null, -- when its spend is read again
      evaluator uuid,
      evaluator_until timestamptz,
      created_at timestamptz not null,
      modified_at timestamptz not null,
      created_by text,
      unique (tenant_id, name)
    );
    create index budgets_due on budgets (due_at) where is_enabled
  `,
}
