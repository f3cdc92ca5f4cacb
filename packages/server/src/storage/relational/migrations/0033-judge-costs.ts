import type { Migration } from '../migrate.ts'

/** What judging the answers of playground jobs costs. */
export const judgeCosts: Migration = {
  version: 33,
  name: 'judge-costs',
  sql: `
    alter table playground_calls add column judge_cost double precision; -- US dollars; null without judges and for unknown
  `,
}
