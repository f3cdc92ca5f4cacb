import { mkdirSync } from 'node:fs'
import { type ClickHouseClientConfigOptions, createClient } from '@clickhouse/client'
import { createChdbConnection } from 'chdb/connection'
import { analyticsOver, SESSION_SETTINGS } from './client.ts'
import { migrateAnalytics } from './migrate.ts'
import type { Analytics } from './port.ts'
import { literal } from './sql.ts'

/**
 * Opens the embedded column store below a directory, creating and migrating it as needed. One process may hold one
 * directory: the caller keeps others out (see the relational store's lock).
 */
export async function openChdb(directory: string): Promise<Analytics> {
  mkdirSync(directory, { recursive: true })
  // The two packages declare the same interface in two copies, which only `exactOptionalPropertyTypes` can tell apart.
  const connection = createChdbConnection({ path: directory }) as unknown as ClientConnection
  const client = createClient({ connection })
  const analytics = analyticsOver(client)
  for (const [name, value] of Object.entries(SESSION_SETTINGS))
    await analytics.command(literal(`set ${name} = ${value}`))
  await migrateAnalytics(analytics)
  return analytics
}

type ClientConnection = NonNullable<ClickHouseClientConfigOptions['connection']>
