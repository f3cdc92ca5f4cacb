import type { Migration } from './index.ts'

/** Feedback configs have ids, and a key may have an enforced config beside its own. */
export const enforcedFeedbackConfigs: Migration = {
  version: 26,
  name: 'enforced feedback configs',
  sql: `
    alter table feedback_configs
      drop constraint feedback_configs_pkey,
      add column id uuid not null default gen_random_uuid() primary key,
      add column is_enforced boolean not null default false,
      add column is_first boolean not null default true;
    alter table feedback_configs alter column id drop default, alter column is_enforced drop default, alter column is_first drop default;
    create unique index feedback_configs_of_key
      on feedback_configs (tenant_id, feedback_key, is_enforced) where deleted_at is null;
    create index feedback_configs_by_key on feedback_configs (tenant_id, feedback_key);
  `,
}
