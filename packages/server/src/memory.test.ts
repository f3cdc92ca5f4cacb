import { describe, expect, it } from 'vitest'
import { planMemory, readAvailableMemory } from './memory.ts'

const MiB = 1024 * 1024

describe('the division of memory', () => {
  it.each([512, 700, 1024, 2048, 8192, 65_536])(
    'of %d MB keeps every body within what may be in flight',
    (megabytes) => {
      const plan = planMemory(megabytes * MiB)
      expect(plan.bodyBytes).toBeLessThanOrEqual(plan.bytesInFlight)
      expect(plan.bytesInFlight).toBeGreaterThanOrEqual(8 * MiB)
      expect(plan.analyticsBytes).toBeLessThan(plan.availableBytes)
    },
  )

  it('gives the budgets of old to a machine with 8 GB', () => {
    expect(planMemory(8192 * MiB)).toMatchObject({
      bytesInFlight: 256 * MiB,
      waitingBytes: 256 * MiB,
      bodyBytes: 100 * MiB,
      groupBytes: 16 * MiB,
      relationalBufferBytes: 128 * MiB,
    })
  })

  it('reads what this process may use', () => {
    expect(readAvailableMemory()).toBeGreaterThan(100 * MiB)
  })
})
