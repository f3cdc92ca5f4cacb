import type { Config } from '../../config.ts'
import { checkClickHouse } from './check-clickhouse.ts'
import { checkPostgres } from './check-postgres.ts'
import type { CheckResult } from './results.ts'

export type { CheckResult } from './results.ts'

/** Checks every store of the operator that the settings name; embedded stores need no check. */
export async function verifyCluster({
  postgresUrl,
  clickhouseUrl,
  clickhouse,
  s3,
}: Pick<Config, 'postgresUrl' | 'clickhouseUrl' | 'clickhouse' | 's3'>): Promise<CheckResult[]> {
  return [
    ...(postgresUrl === undefined ? [] : await checkPostgres(postgresUrl)),
    ...(clickhouseUrl === undefined ? [] : await checkClickHouse(clickhouseUrl, clickhouse)),
    // Its client is loaded only when it is used.
    ...(s3 === undefined ? [] : await (await import('./check-s3.ts')).checkS3(s3)),
  ]
}
