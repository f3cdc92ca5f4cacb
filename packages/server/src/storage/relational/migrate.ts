import { sql } from 'drizzle-orm'
import { columns, number, type RowDecoder } from '../rows.ts'
import { foundation } from './migrations/0001-foundation.ts'
import { serverSecrets } from './migrations/0002-server-secrets.ts'
import { feedback } from './migrations/0003-feedback.ts'
import { runShares } from './migrations/0004-run-shares.ts'
import { datasets } from './migrations/0005-datasets.ts'
import { experiments } from './migrations/0006-experiments.ts'
import { datasetSharesAndWords } from './migrations/0007-dataset-shares-and-words.ts'
import { annotationQueues } from './migrations/0010-annotation-queues.ts'
import { prompts } from './migrations/0011-prompts.ts'
import { promptWebhooks } from './migrations/0012-prompt-webhooks.ts'
import { rolesAndEnvironments } from './migrations/0013-roles-and-environments.ts'
import { people } from './migrations/0014-people.ts'
import { savedViews } from './migrations/0015-saved-views.ts'
import { bulkJobs } from './migrations/0016-bulk-jobs.ts'
import { dashboards } from './migrations/0017-dashboards.ts'
import { retention } from './migrations/0018-retention.ts'
import { personalViews } from './migrations/0019-personal-views.ts'
import { runsInDatasets } from './migrations/0020-runs-in-datasets.ts'
import { deletions } from './migrations/0021-deletions.ts'
import { memberships } from './migrations/0022-memberships.ts'
import { serverSetup } from './migrations/0023-server-setup.ts'
import { agents } from './migrations/0025-agents.ts'
import { evaluators } from './migrations/0026-evaluators.ts'
import { threadShares } from './migrations/0027-thread-shares.ts'
import { serverAdmins } from './migrations/0028-server-admins.ts'
import { modelProviders } from './migrations/0029-model-providers.ts'
import { hiddenScores } from './migrations/0030-hidden-scores.ts'
import { playground } from './migrations/0031-playground.ts'
import { savedEvaluators } from './migrations/0032-saved-evaluators.ts'
import { judgeCosts } from './migrations/0033-judge-costs.ts'
import { evaluatorJobs } from './migrations/0034-evaluator-jobs.ts'
import { exportParts } from './migrations/0035-export-parts.ts'
import { processDeaths } from './migrations/0036-process-deaths.ts'
import { pricedAgain } from './migrations/0037-priced-again.ts'
import { spending } from './migrations/0039-spending.ts'
import { rules } from './migrations/0041-rules.ts'
import { notifications } from './migrations/0042-notifications.ts'
import { alerts } from './migrations/0043-alerts.ts'
import { ruleTargets } from './migrations/0044-rule-targets.ts'
import { runRuleFields } from './migrations/0045-run-rule-fields.ts'
import type { Database, Relational } from './port.ts'

/** A constant: processes that migrate the same database take turns. */
const ADVISORY_LOCK = 7_160_321

/**
 * Migrates the database to the version of this program, in one transaction: an interrupted start changes nothing.
 *
 * @throws Error when the data was written by a newer program
 */
export async function migrateRelational(relational: Relational): Promise<void> {
  await relational.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`)
    await tx.execute(sql.raw(MIGRATIONS_TABLE))
    const applied = await appliedVersions(tx)
    const current = Math.max(0, ...applied)
    if (current > NEWEST_VERSION) {
      throw new Error(
        `The database was written by a newer Touchstone (data version ${current}, this program supports ${NEWEST_VERSION}). ` +
          'Start that version, or point --data-dir somewhere else.',
      )
    }
    for (const { version, name, statements } of listMigrations((one) => !applied.has(one))) {
      for (const statement of statements) await tx.execute(sql.raw(statement))
      await tx.execute(sql`insert into migrations (version, name) values (${version}, ${name})`)
    }
  })
}

const MIGRATIONS_TABLE = `
  create table if not exists migrations (
    version int primary key, name text not null, applied_at timestamptz not null default now()
  )`

/** Statements that make the empty tables of a database with these migrations. */
export const printSchema = (versions: readonly number[]): string[] => [
  MIGRATIONS_TABLE,
  ...listMigrations((version) => versions.includes(version)).flatMap(({ statements }) => statements),
]

const listMigrations = (isWanted: (version: number) => boolean) =>
  migrations
    .filter(({ version }) => isWanted(version))
    .map(({ version, name, sql: text }) => ({ version, name, statements: splitStatements(text) }))

/** A set and not the newest version: of two changes developed in parallel, the later number may be applied first. */
async function appliedVersions(tx: Database): Promise<Set<number>> {
  const rows = toRows(await tx.execute(sql`select version from migrations`), columns({ version: number }))
  return new Set(rows.map((row) => row.version))
}

/**
 * The rows of a raw statement, which both drivers return under `rows`.
 *
 * @throws TypeError when a column has another type than `row` expects
 */
export function toRows<Row>(result: unknown, row: RowDecoder<Row>): Row[] {
  // The type of a raw result depends on the driver.
  return (result as RawResult).rows.map(row)
}

/** The row of a raw statement that always returns one. @throws Error when there is none */
export function toRow<Row>(result: unknown, row: RowDecoder<Row>): Row {
  return getFirst(toRows(result, row))
}

interface RawResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

/** The row of a statement that always returns one. @throws Error when there is none */
export function getFirst<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('A statement that always returns a row returned none.')
  return row
}

/** In our migrations semicolons occur only between statements. */
function splitStatements(text: string): string[] {
  return text
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}

export interface Migration {
  readonly version: number
  readonly name: string
  /** Statements separated by semicolons, run in one transaction with all other new migrations. */
  readonly sql: string
}

/** In order; a released migration is never rewritten. */
export const migrations: readonly Migration[] = [
  foundation,
  serverSecrets,
  feedback,
  runShares,
  datasets,
  experiments,
  datasetSharesAndWords,
  annotationQueues,
  prompts,
  promptWebhooks,
  rolesAndEnvironments,
  people,
  savedViews,
  bulkJobs,
  dashboards,
  retention,
  personalViews,
  runsInDatasets,
  deletions,
  memberships,
  serverSetup,
  agents,
  evaluators,
  threadShares,
  serverAdmins,
  modelProviders,
  hiddenScores,
  playground,
  savedEvaluators,
  judgeCosts,
  evaluatorJobs,
  exportParts,
  processDeaths,
  pricedAgain,
  spending,
  rules,
  notifications,
  alerts,
  ruleTargets,
  runRuleFields,
]

/** Version of the newest migration. */
export const NEWEST_VERSION = Math.max(...migrations.map(({ version }) => version))
