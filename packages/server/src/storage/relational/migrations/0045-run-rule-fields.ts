import type { Migration } from '../migrate.ts'

/** Fields of rules that only the public clients know. */
export const runRuleFields: Migration = {
  version: 45,
  name: 'fields of rules of public clients',
  sql: `
    create table run_rule_fields (
      rule_id uuid primary key references rules (id) on delete cascade,
      tenant_id uuid not null,
      fields text not null, -- JSON
      sealed text -- webhooks and alerts with their secrets, encrypted
    )
  `,
}
