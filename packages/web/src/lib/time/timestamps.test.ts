import { uuid7 } from '@touchstone/contract'
import { expect, it } from 'vitest'
import { readIdTime } from './timestamps.ts'

it('is read from ids of version 7 and from no others', () => {
  expect(readIdTime(uuid7(1_700_000_000_123))).toBe(1_700_000_000_123)
  expect(readIdTime('2b1f0f5e-6a0e-4f0a-8f0e-0f6f5a1b2c3d')).toBeUndefined()
  expect(readIdTime('nonsense')).toBeUndefined()
})
