import type { RequestReceipt } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { describeRejected, describeSender, explainFound } from './receipts.ts'

const RECEIPT: RequestReceipt = {
  id: 'r',
  received_at: '2026-02-03T04:05:06.000007Z',
  route: 'POST /runs/batch',
  status: 202,
  sender: 'CI',
  api_key_id: 'k',
  short_key: 'lsv2_…ab',
  user_agent: 'curl/8',
  sdk: '',
  sampling_rate: null,
  projects: [],
  accepted: 1,
  rejected: 1,
  warnings: 0,
  error: '',
  items: [{ id: 'i', outcome: 'rejected', project: 'p', reason: 'outputs is too large' }],
}

describe('ingest receipts', () => {
  it('say how many runs were rejected, and why the latest was', () => {
    const list = { receipts: [RECEIPT], rejected_total: 12, next_cursor: null }
    expect(describeRejected(list)).toBe('12 runs were rejected in the last hour: outputs is too large')
    expect(describeRejected({ ...list, rejected_total: 1 })).toMatch(/^1 run was rejected/)
    expect(describeRejected({ ...list, rejected_total: 0 })).toBeUndefined()
    expect(describeRejected(undefined)).toBeUndefined()
  })

  it('give the reason of a request that was refused whole', () => {
    const refused = { ...RECEIPT, items: [], error: 'the body is not valid JSON' }
    const list = { receipts: [refused], rejected_total: 1, next_cursor: null }
    expect(describeRejected(list)).toContain('the body is not valid JSON')
  })

  it('name the sender by key and program', () => {
    expect(describeSender(RECEIPT)).toBe('CI (lsv2_…ab), curl/8')
    expect(describeSender({ ...RECEIPT, sender: null, user_agent: '' })).toBe('Unknown')
  })

  it('explain each outcome of a search', () => {
    const found = { id: 'x', stored: null, receipts: [], sampling_rates: [0.25] }
    expect(explainFound({ ...found, outcome: 'sampled_out' }).text).toContain('0.25')
    expect(explainFound({ ...found, outcome: 'unknown' }).title).toBe('Unknown')
  })
})
