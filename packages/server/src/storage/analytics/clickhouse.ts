import { createClient } from '@clickhouse/client'
import { analyticsOver, SESSION_SETTINGS } from './client.ts'
import { migrateAnalytics } from './migrate.ts'
import type { Analytics } from './port.ts'

/**
 * Connects to a ClickHouse server (26.2 or newer) and migrates its database.
 *
 * @param url  `http[s]://user:password@host:8123/database`
 */
export async function openClickHouse(url: string): Promise<Analytics> {
  const analytics = analyticsOver(
    createClient({
      url,
      clickhouse_settings: SESSION_SETTINGS,
      // A query may name thousands of examples, more than the server takes in a URL.
      use_multipart_params_auto: true,
    }),
  )
  await migrateAnalytics(analytics)
  return analytics
}
