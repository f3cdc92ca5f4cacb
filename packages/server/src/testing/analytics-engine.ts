import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openChdb } from '../storage/analytics/chdb.ts'
import { openClickHouse } from '../storage/analytics/clickhouse.ts'
import type { Analytics } from '../storage/analytics/port.ts'
import { countStatements } from './count-statements.ts'
import { isMirrored, mirrorOverHttp } from './http-mirror.ts'
import { createClickHouseDatabase } from './test-stores.ts'

/** Address of the ClickHouse server of the tests, which `npm test` starts; undefined without one. */
export const clickhouseUrl = process.env.TOUCHSTONE_TEST_CLICKHOUSE_URL

/** Set in the test project in which every suite uses ClickHouse over HTTP instead of the embedded engine. */
const usesClickHouse = process.env.TOUCHSTONE_TEST_ANALYTICS === 'clickhouse'

/** Settings of a server whose column store is `openEmptyAnalytics`: what it does differs before a server of ClickHouse. */
export const analyticsConfig: { readonly clickhouseUrl?: string | undefined } = usesClickHouse ? { clickhouseUrl } : {}

/** A new, empty column store. A process can open only one directory of the embedded engine. */
export async function openEmptyAnalytics(): Promise<Analytics> {
  if (!usesClickHouse) {
    const directory = mkdtempSync(join(tmpdir(), 'touchstone-chdb-'))
    const embedded = await openChdb(directory)
    return countStatements(isMirrored ? await mirrorOverHttp(embedded, directory) : embedded)
  }
  if (clickhouseUrl === undefined) throw new Error('TOUCHSTONE_TEST_CLICKHOUSE_URL is not set; run npm test.')
  return openClickHouse(await createClickHouseDatabase(clickhouseUrl))
}
