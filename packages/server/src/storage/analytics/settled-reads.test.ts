import { uuid7 } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import type { Analytics } from './port.ts'
import { type AcknowledgedWrites, OpenedWrites, withSettledReads } from './settled-reads.ts'
import { literal, sql, text, uuid, uuids } from './sql.ts'

const [acme, other] = [uuid7(), uuid7()]

/** Records for which workspaces a statement waits. */
function aStore(isSettled = false) {
  const waited: (readonly string[] | undefined)[] = []
  const writes: AcknowledgedWrites = {
    isSettled,
    settled: async (tenantIds) => void waited.push(tenantIds),
    hold: (work) => work(),
  }
  const engine = { query: async () => [], queryTexts: async () => [], command: async () => {} } as unknown as Analytics
  return { waited, analytics: withSettledReads(engine, writes) }
}

describe('reads of a store with acknowledged writes', () => {
  it('wait for the workspaces that their statement names', async () => {
    const { waited, analytics } = aStore()
    const inner = sql`select id from run_keys where tenant_id = ${uuid(other)}`
    await analytics.query(
      sql`select 1 from runs where tenant_id = ${uuid(acme)} and name = ${text(other)}`,
      (row) => row,
    )
    await analytics.queryTexts(sql`select 1 from runs where tenant_id = ${uuid(acme)} and id in (${inner})`)
    await analytics.command(sql`delete from runs where tenant_id in ${uuids([acme, other])}`)
    expect(waited).toEqual([[acme], [acme, other], [acme, other]])
  })

  it('wait for all workspaces when their statement names none', async () => {
    const { waited, analytics } = aStore()
    await analytics.queryTexts(literal('select count() from runs'))
    expect(waited).toEqual([undefined])
  })

  it('do not look at their statement when everything is in the store', async () => {
    const { waited, analytics } = aStore(true)
    await analytics.queryTexts(literal('select count() from runs'))
    expect(waited).toEqual([])
  })

  it('do not wait before the writes are opened', async () => {
    const writes = new OpenedWrites()
    expect(writes.isSettled).toBe(true)
    await writes.settled()
    expect(await writes.hold(async () => 'done')).toBe('done')
  })
})
