import type { Migration } from '../migrate.ts'

/** What calls of models cost by calendar month, and the limits of it. */
export const spending: Migration = {
  version: 39,
  name: 'spending',
  sql: `
    create table spending_limits (
      tenant_id uuid not null,
      provider_id uuid not null, -- of model_providers; zeros for the whole workspace
      limit_usd numeric, -- of a month; null for none
      unpriced_call_usd numeric, -- what a call of unknown cost counts; of the workspace only
      updated_at timestamptz not null,
      primary key (tenant_id, provider_id)
    );

    create table spending (
      tenant_id uuid not null,
      month text not null, -- 2026-11, in UTC
      provider_id uuid not null, -- which may be deleted
      spent_usd numeric not null, -- calls under way count with their estimates
      calls bigint not null,
      unknown_calls bigint not null, -- of them, those of unknown cost; they count with an assumed one
      primary key (tenant_id, month, provider_id)
    )
  `,
}
