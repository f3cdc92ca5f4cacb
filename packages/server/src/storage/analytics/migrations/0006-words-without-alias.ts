import { WORDS } from '../index-expressions.ts'
import type { Migration } from '../migrate.ts'

/** The text index over an expression instead of an alias of the table, which slowed every query. */
export const wordsWithoutAlias: Migration = {
  version: 6,
  name: 'words without alias',
  statements: [
    'alter table runs drop index if exists words',
    'alter table runs drop column if exists words',
    `alter table runs add index if not exists words ${WORDS}
      type text(tokenizer = 'splitByNonAlpha') granularity 100000000`,
    'alter table runs materialize index words',
  ],
}
