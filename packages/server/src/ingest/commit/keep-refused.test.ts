import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uuid7 } from '@touchstone/contract'
import { pino } from 'pino'
import { afterAll, expect, it } from 'vitest'
import { readConfig } from '../../config.ts'
import { createMetrics } from '../../http/metrics.ts'
import type { IngestItem } from '../ingest-item.ts'
import { RawPayload } from '../run-write.ts'
import { WAS_DELETED } from '../write-runs.ts'
import { deleteRefused, keepRefused } from './keep-refused.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'touchstone-refused-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const tenantId = uuid7()
const runOf = (id: string): IngestItem => ({
  kind: 'run',
  tenantId,
  write: { kind: 'post', id, bytes: 1, inputs: RawPayload.trusted('{"q":1}') },
})

function aKeeper() {
  const receipts: Record<string, unknown>[] = []
  const metrics = createMetrics()
  const deps = {
    config: { ...readConfig([], {}), dataDir },
    clock: () => Date.UTC(2026, 0, 1),
    ids: uuid7,
    log: pino({ level: 'silent' }),
    metrics,
    receipts: {
      add: ({ json }: { json: string }) => receipts.push(JSON.parse(json)),
      flush: async () => {},
      close: async () => {},
    },
  }
  return { deps, receipts, metrics }
}

it('keeps refused items in the file of their workspace, with a receipt and a count, until the workspace is deleted', async () => {
  const { deps, receipts, metrics } = aKeeper()
  const [first, second] = [uuid7(), uuid7()]
  await keepRefused(deps, new Map([[runOf(first), 'too large a number']]))
  await keepRefused(deps, new Map([[runOf(second), 'not a time']]))

  const path = join(dataDir, 'journal/refused', `${tenantId}.jsonl`)
  const lines = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines).toMatchObject([
    {
      at: '2026-01-01T00:00:00.000000Z',
      reason: 'too large a number',
      item: { tenantId, write: { id: first, inputs: '{"q":1}' } },
    },
    { reason: 'not a time', item: { write: { id: second } } },
  ])
  expect(receipts[0]).toMatchObject({ tenant_id: tenantId, status: 500, rejected: 1, ids: [first] })
  expect(receipts[0]?.items).toContain('too large a number')
  expect(await metrics.print()).toMatch(/touchstone_journal_refused_total 2/)

  await deleteRefused(deps, tenantId)
  expect(existsSync(path)).toBe(false)
})

it('only reports updates of deleted runs', async () => {
  const { deps, receipts } = aKeeper()
  await keepRefused(deps, new Map([[runOf(uuid7()), `run ${WAS_DELETED}`]]))
  expect(receipts).toHaveLength(1)
  expect(existsSync(join(dataDir, 'journal/refused', `${tenantId}.jsonl`))).toBe(false)
})
