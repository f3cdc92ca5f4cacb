import type { Migration } from '../migrate.ts'

/** Connections to model providers. */
export const modelProviders: Migration = {
  version: 29,
  name: 'model-providers',
  sql: `
    create table model_providers (
      id uuid primary key,
      tenant_id uuid not null references workspaces (id),
      name text not null,
      kind text not null, -- wire format
      base_url text not null,
      key_header text not null,
      provider text, -- what runs and prices call it
      models text[] not null, -- typed names
      sealed_key text, -- encrypted; null for no key
      key_last_four text,
      sealed_headers text, -- JSON, encrypted; null for no headers
      key_id text, -- of the secret key that encrypts both; null for neither
      created_at timestamptz not null,
      updated_at timestamptz not null,
      unique (tenant_id, name)
    )
  `,
}
