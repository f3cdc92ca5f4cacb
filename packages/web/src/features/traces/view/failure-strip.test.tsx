// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { buildTrace } from '../model/build-trace.ts'
import { findFailures } from '../model/failures.ts'
import { aTraceTree, type GivenRun } from '../model/testing.ts'
import { findRow } from '../model/trace.ts'
import { FailureStrip } from './failure-strip.tsx'

afterEach(cleanup)

const failed = (id: string, error: string, rest: Omit<GivenRun, 'id'>): GivenRun => ({
  id,
  status: 'error',
  error_preview: error,
  ...rest,
})
/** The error of `lookup` was caught; that of `refund` ended the trace. */
const runs: GivenRun[] = [
  failed('root', 'RefundError: 409 already refunded', { at: [0, 100] }),
  failed('lookup', 'KeyError: order_id', { parent: 'root', at: [1, 10] }),
  { id: 'plan', parent: 'root', at: [11, 20] },
  failed('refund', 'RefundError: 409 already refunded', { parent: 'root', at: [21, 99] }),
  { id: 'cleanup', parent: 'root', at: [99, 100] },
]

function renderStrip(selected: string, given = runs) {
  const trace = buildTrace(aTraceTree(given))
  const failures = findFailures(trace)
  if (failures === undefined) throw new Error('no run failed')
  const onSelect = vi.fn()
  render(<FailureStrip {...{ trace, failures, onSelect }} selected={findRow(trace, selected)} />)
  const [first, next] = screen.getAllByRole('button')
  return {
    text: first?.textContent,
    key: first?.dataset.tipKeys,
    nextKey: next?.dataset.tipKeys,
    region: screen.getByRole('region'),
    select: () => {
      first?.click()
      return onSelect.mock.lastCall?.[0] === undefined ? undefined : given[onSelect.mock.lastCall[0]]?.id
    },
  }
}

describe('the strip of a failed trace', () => {
  it('names the run in which the error of the trace began', () => {
    const { text, region } = renderStrip('root')
    expect(text).toBe('Failed in refund:RefundError: 409 already refunded')
    expect(region.className).toContain('bg-del-bg')
  })

  it('tells of an error that was caught that it failed, too', () => {
    const { text, region } = renderStrip('lookup')
    expect(text).toBe('Also failed: lookup:KeyError: order_id')
    expect(region.className).not.toContain('bg-del-bg')
  })

  it.each([
    ['root', 'e'],
    ['plan', 'e'],
    ['cleanup', undefined],
    ['refund', undefined],
  ])('shows the key from %s only if it goes to the same run as a click', (selected, key) => {
    const strip = renderStrip(selected)
    expect(strip.key).toBe(key)
    expect(strip.select()).toBe('refund')
  })

  it('shows the key at the next error while a cause is open', () => {
    expect(renderStrip('refund').nextKey).toBe('e')
    cleanup()
    expect(renderStrip('root').nextKey).toBeUndefined()
  })
})

it('the strip of a trace that succeeded counts its failed runs', () => {
  const [root, ...rest] = runs
  const { text, region } = renderStrip('root', [{ ...root, id: 'root', status: 'success' }, ...rest])
  expect(region.textContent).toContain('2 runs failed')
  expect(text).toBe('lookup:KeyError: order_id')
})
