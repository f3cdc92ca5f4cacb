import type { Migration } from '../migrate.ts'

/** Channels for notices of alerts, rules and budgets, and the deliveries of each notice. */
export const notifications: Migration = {
  version: 42,
  name: 'notifications',
  sql: `
    create table notification_channels (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id),
      kind text not null,
      name text not null,
      sealed_config text not null, -- JSON, encrypted
      key_id text not null, -- the secret key that encrypts it
      state text not null, -- active, disabled
      state_reason text,
      last_success_at timestamptz,
      last_failure_at timestamptz,
      last_failure text,
      failing_since timestamptz, -- the first failure after the last success
      created_at timestamptz not null,
      modified_at timestamptz not null,
      created_by text, -- name of the user or key
      unique (tenant_id, name)
    );
    create table notification_deliveries (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id),
      channel_id uuid not null, -- no reference: a notice may name a channel that is gone
      channel_name text not null,
      cause_kind text not null, -- alert, rule, budget, test
      cause_id uuid not null,
      key text not null, -- a notice with the same key is not delivered again
      title text not null,
      severity text not null,
      is_resolved boolean not null,
      payload text not null, -- the notice, JSON
      status text not null, -- pending, delivered, failed
      attempts integer not null default 0,
      next_at timestamptz, -- of pending ones
      response_status integer,
      response_text text,
      error text,
      created_at timestamptz not null,
      attempted_at timestamptz,
      unique (tenant_id, channel_id, key)
    );
    create index notification_deliveries_of on notification_deliveries (tenant_id, channel_id, created_at);
    create index notification_deliveries_by_cause on notification_deliveries (tenant_id, cause_kind, cause_id, created_at);
    create index notification_deliveries_by_age on notification_deliveries (created_at);
    create index notification_deliveries_due on notification_deliveries (next_at) where status = 'pending'
  `,
}
