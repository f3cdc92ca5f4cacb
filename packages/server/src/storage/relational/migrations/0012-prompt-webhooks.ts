import type { Migration } from '../migrate.ts'

/** Webhooks of prompts, and the deliveries of each event. */
export const promptWebhooks: Migration = {
  version: 12,
  name: 'prompt webhooks',
  sql: `
    create table prompt_webhooks (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id),
      url text not null,
      sealed_headers text not null, -- JSON, encrypted
      sealed_secret text not null,
      include_prompts uuid[] not null,
      exclude_prompts uuid[] not null,
      triggers text[] not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    );
    create index prompt_webhooks_of on prompt_webhooks (tenant_id, created_at);

    create table prompt_webhook_deliveries (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id),
      webhook_id uuid not null references prompt_webhooks (id) on delete cascade,
      event text not null,
      prompt_id uuid not null,
      prompt_name text not null,
      commit_hash text not null,
      tag_name text,
      payload text, -- as it is sent; gone once it was, or never will be
      status text not null,
      attempts int not null default 0,
      response_status int,
      response_text text,
      error text,
      created_at timestamptz not null,
      attempted_at timestamptz
    );
    create index prompt_webhook_deliveries_of on prompt_webhook_deliveries (webhook_id, created_at)
  `,
}
