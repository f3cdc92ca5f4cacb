import { columns, number } from '../rows.ts'
import { runs } from './migrations/0001-runs.ts'
import { feedback } from './migrations/0002-feedback.ts'
import { metadataAndWords } from './migrations/0003-metadata-and-words.ts'
import { projectFigures } from './migrations/0004-project-figures.ts'
import { fewerMerges } from './migrations/0005-fewer-merges.ts'
import { wordsWithoutAlias } from './migrations/0006-words-without-alias.ts'
import { usageThatMayRepeat } from './migrations/0007-usage-that-may-repeat.ts'
import { cheaperPlaces } from './migrations/0008-cheaper-places.ts'
import { errorLines } from './migrations/0009-error-lines.ts'
import { ingestReceipts } from './migrations/0011-ingest-receipts.ts'
import { runAliases } from './migrations/0012-run-aliases.ts'
import { packedTimes } from './migrations/0013-packed-times.ts'
import { reportedCosts } from './migrations/0039-reported-costs.ts'
import { arrival } from './migrations/0040-arrival.ts'
import { runLinks } from './migrations/0041-run-links.ts'
import { waitingRuns } from './migrations/0042-waiting-runs.ts'
import { unpricedFees } from './migrations/0043-unpriced-fees.ts'
import { durableRenames } from './migrations/0044-durable-renames.ts'
import { ruleDecisions } from './migrations/0045-rule-decisions.ts'
import { alertPoints } from './migrations/0046-alert-points.ts'
import { ruleTargets } from './migrations/0047-rule-targets.ts'
import type { Analytics } from './port.ts'
import { literal, sql, text, uint } from './sql.ts'

/**
 * Migrates the column store to the version of this program. Every statement of a migration may run twice (`if not
 * exists`), because the store has no transactions: two processes that start at once do the same work without harm, and
 * the next start completes an interrupted one.
 *
 * @param upTo  the last version; @default the newest
 * @throws Error when the data was written by a newer program
 */
export async function migrateAnalytics(
  analytics: Pick<Analytics, 'command' | 'query'>,
  upTo = NEWEST_VERSION,
): Promise<void> {
  await analytics.command(literal(MIGRATIONS_TABLE))
  const current = await readVersion(analytics)
  if (current > NEWEST_VERSION) {
    throw new Error(
      `The column store was written by a newer Touchstone (data version ${current}, this program supports ${NEWEST_VERSION}). ` +
        'Start that version, or point --data-dir somewhere else.',
    )
  }
  for (const migration of migrations.filter((one) => one.version > current && one.version <= upTo)) {
    for (const statement of migration.statements) await analytics.command(literal(statement))
    await analytics.command(
      sql`insert into migrations (version, name) values (${uint(migration.version)}, ${text(migration.name)})`,
    )
  }
}

/** The version of the newest migration that was applied. */
export async function readVersion(analytics: Pick<Analytics, 'query'>): Promise<number> {
  const applied = await analytics.query(
    sql`select max(version) as version from migrations`,
    columns({ version: number }),
  )
  return applied[0]?.version ?? 0
}

const MIGRATIONS_TABLE = `
  create table if not exists migrations (version UInt32, name String, applied_at DateTime default now())
  engine = MergeTree order by version
  settings fsync_after_insert = 1`

export interface Migration {
  readonly version: number
  readonly name: string
  /** Each statement must be safe to run again. */
  readonly statements: readonly string[]
}

/** In order; a released migration is never rewritten. */
export const migrations: readonly Migration[] = [
  runs,
  feedback,
  metadataAndWords,
  projectFigures,
  fewerMerges,
  wordsWithoutAlias,
  usageThatMayRepeat,
  cheaperPlaces,
  errorLines,
  ingestReceipts,
  runAliases,
  packedTimes,
  reportedCosts,
  arrival,
  runLinks,
  waitingRuns,
  unpricedFees,
  durableRenames,
  ruleDecisions,
  alertPoints,
  ruleTargets,
]

const STATEMENTS = [MIGRATIONS_TABLE, ...migrations.flatMap(({ statements }) => statements)]

const findNames = (pattern: RegExp) => new Set(STATEMENTS.flatMap((statement) => pattern.exec(statement)?.[1] ?? []))

/** Names of all tables, views excluded. */
export const TABLES: ReadonlySet<string> = findNames(/^\s*create table if not exists (\w+)/)

/** Names of the tables that are filled from others by materialized views. */
export const FOLLOWING_TABLES: ReadonlySet<string> = findNames(
  /^\s*create materialized view if not exists \w+ to (\w+)/,
)

/** Version of the newest migration. */
export const NEWEST_VERSION = Math.max(...migrations.map(({ version }) => version))
