import type { Migration } from '../migrate.ts'

/** Queues whose reviewers see the scores of others only after they have completed an item. */
export const hiddenScores: Migration = {
  version: 30,
  name: 'hidden scores',
  sql: `
    alter table annotation_queues add column hide_others_scores boolean not null default false;
    create index annotation_queues_hiding on annotation_queues (tenant_id) where hide_others_scores;
  `,
}
