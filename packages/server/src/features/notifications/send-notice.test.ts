import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toRows } from '../../storage/relational/migrate.ts'
import type { Relational } from '../../storage/relational/port.ts'
import { ANY_ROW } from '../../storage/rows.ts'
import { aNotice } from '../../testing/a-notice.ts'
import { type AWorkspace, aWorkspace } from '../../testing/a-workspace.ts'
import { relationalEngines } from '../../testing/relational-engines.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { assertChannels, sendNotice } from './index.ts'

describe.each(relationalEngines(import.meta.filename))('send notices on %s', (_engine, open) => {
  let relational: Relational
  let app: StartedApp
  let acme: AWorkspace
  beforeAll(async () => {
    relational = await open()
    app = await startApp({ relational })
    acme = await aWorkspace(app, 'acme')
  })
  afterAll(async () => {
    await app.close()
    await relational.close()
  })

  const UNKNOWN = '00000000-0000-4000-8000-000000000001'
  const deps = () => ({ clock: Date.now, ids: app.deps.ids, noticeDeliveries: { send: async () => '', begin() {} } })

  it('stores a failed delivery for a channel that does not exist, once per key', async () => {
    const notice = aNotice({ key: 'alert 1 critical' })
    const first = await relational.transaction((tx) => sendNotice(deps(), tx, acme.tenantId, [UNKNOWN], notice))
    const second = await relational.transaction((tx) => sendNotice(deps(), tx, acme.tenantId, [UNKNOWN], notice))
    expect(first).toHaveLength(1)
    expect(second).toEqual(first)
    const rows = toRows(await relational.db.execute(sql`select * from notification_deliveries`), ANY_ROW)
    expect(rows).toMatchObject([{ status: 'failed', error: 'The channel does not exist. Choose another one.' }])
    expect(await assertChannels(relational.db, acme.tenantId, [UNKNOWN])).toBe(UNKNOWN)
  })
})
